/** Deleting an application, after its name was typed. */
import { Text } from '@mantine/core'
import { notifications } from '@mantine/notifications'
import { useNavigate } from '@tanstack/react-router'
import { useTranslation } from 'react-i18next'
import { api, ask } from '../api/client.ts'
import { queries } from '../api/queries.ts'
import { ifUnchanged } from '../api/versions.ts'
import { DeletionByName } from '../parts/deletion-by-name.tsx'
import { readListAgain } from '../tenants/settings-tenant.ts'
import { type Application, applicationQuery, applicationsQuery } from './application.ts'

export function DeleteApplication({ application }: { readonly application: Application }) {
  const { t } = useTranslation()
  const navigate = useNavigate()
  const { id, name } = application
  return (
    <DeletionByName
      texts={{
        open: t('applications.deletion.open'),
        question: t('applications.deletion.question', { name }),
        submit: t('applications.deletion.submit'),
        confirm: t('applications.deletion.confirm', { name }),
        mismatch: t('applications.deletion.mismatch'),
      }}
      send={(body) =>
        ask(
          api.DELETE('/api/admin/applications/{appId}', {
            params: { path: { appId: id }, ...ifUnchanged(application) },
            body,
          }),
        )
      }
      onDone={async () => {
        await navigate({ to: '/admin/applications' })
        queries.removeQueries({ queryKey: applicationQuery(id).queryKey })
        readListAgain(applicationsQuery)
        notifications.show({ message: t('applications.deletion.done', { name }) })
      }}
    >
      <Text size="sm">{t('applications.deletion.lead')}</Text>
    </DeletionByName>
  )
}
