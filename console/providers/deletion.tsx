/** Deleting a sign-in provider, after its name was typed. */
import { Text } from '@mantine/core'
import { notifications } from '@mantine/notifications'
import { useNavigate } from '@tanstack/react-router'
import { useTranslation } from 'react-i18next'
import { api, ask } from '../api/client.ts'
import { queries } from '../api/queries.ts'
import { ifUnchanged } from '../api/versions.ts'
import { DeletionByName } from '../parts/deletion-by-name.tsx'
import { readListAgain } from '../tenants/settings-tenant.ts'
import { OnlyWayIn } from './only-way-in.tsx'
import { type Provider, providerQuery, providersQuery } from './provider.ts'

export function DeleteProvider({ provider }: { readonly provider: Provider }) {
  const { t } = useTranslation()
  const navigate = useNavigate()
  const { id, name, identityCount, onlyWayInCount } = provider
  return (
    <DeletionByName
      texts={{
        open: t('providers.deletion.open'),
        question: t('providers.deletion.question', { name }),
        submit: t('providers.deletion.submit'),
        confirm: t('providers.deletion.confirm', { name }),
        mismatch: t('providers.deletion.mismatch'),
      }}
      send={(body) =>
        ask(
          api.DELETE('/api/admin/providers/{providerId}', {
            params: { path: { providerId: id }, ...ifUnchanged(provider) },
            body,
          }),
        )
      }
      onDone={async () => {
        await navigate({ to: '/admin/providers' })
        queries.removeQueries({ queryKey: providerQuery(id).queryKey })
        readListAgain(providersQuery)
        notifications.show({ message: t('providers.deletion.done', { name }) })
      }}
    >
      <Text size="sm">{t('providers.deletion.lead', { count: identityCount })}</Text>
      <OnlyWayIn count={identityCount > 0 ? onlyWayInCount : undefined} />
    </DeletionByName>
  )
}
