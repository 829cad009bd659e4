/** What an application must know of this service: issuer, client id, and the settings of well-known frameworks. */
import { NativeSelect, Stack, Text, Textarea } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { CopyText } from '../parts/copy-text.tsx'
import { Copyable } from '../parts/copyable.tsx'
import { Failed, Loading } from '../parts/states.tsx'
import { useTenant } from '../tenants/tenant.ts'
import type { Application } from './application.ts'
import classes from './applications.module.css'
import { frameworksFor, settingsOf } from './frameworks.ts'
import { issuerQuery } from './home.tsx'

export function SettingsToCopy({ application }: { readonly application: Application }) {
  const { t } = useTranslation()
  const { data: issuer, error, refetch } = useQuery(issuerQuery(useTenant().id))
  const frameworks = frameworksFor(application.kind)
  const [name, setName] = useState(frameworks[0]?.name ?? '')
  const framework = frameworks.find((each) => each.name === name)
  if (issuer === undefined) return error ? <Failed error={error} retry={refetch} /> : <Loading rows={2} />
  const written = framework?.write(settingsOf(application, issuer)) ?? ''
  return (
    <Stack gap="md">
      <dl className={classes.facts}>
        <dt>{t('applications.copy.issuer')}</dt>
        <dd>
          <Copyable value={issuer} name={t('applications.copy.issuer')} />
        </dd>
        <dt>{t('applications.copy.clientId')}</dt>
        <dd>
          <Copyable value={application.id} name={t('applications.copy.clientId')} />
        </dd>
      </dl>
      <NativeSelect
        label={t('applications.copy.framework')}
        value={name}
        onChange={({ currentTarget }) => setName(currentTarget.value)}
        data={frameworks.map((each) => each.name)}
      />
      {framework?.callback !== undefined && (
        <Text size="sm" c="dimmed">
          {t('applications.copy.callback', { framework: framework.name, path: framework.callback })}
        </Text>
      )}
      <Textarea
        label={t('applications.copy.settings', { framework: name })}
        classNames={{ input: classes.written ?? '' }}
        value={written}
        readOnly
        wrap="off"
        autosize
        maxRows={24}
      />
      <div>
        <CopyText text={written} label={t('applications.copy.copySettings')} />
      </div>
    </Stack>
  )
}
