/** What an application must know of this service: issuer, client id, and the settings of well-known frameworks. And what to enter for them. */
import { NativeSelect, Stack, Text, Textarea } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { CopyText } from '../parts/copy-text.tsx'
import { Copyable } from '../parts/copyable.tsx'
import { LoadingOrFailed } from '../parts/states.tsx'
import { useTenant } from '../tenants/tenant.ts'
import type { Application } from './application.ts'
import classes from './applications.module.css'
import { type Framework, frameworksFor, type Settings, settingsOf } from './frameworks.ts'
import { issuerQuery } from './home.tsx'

/** Where the settings of the application are, seen from the settings to copy. */
type Place = 'below' | 'next'

interface SettingsToCopyProps {
  readonly application: Application
  readonly place: Place
}

export function SettingsToCopy({ application, place }: SettingsToCopyProps) {
  const { t } = useTranslation()
  const query = useQuery(issuerQuery(useTenant().id))
  const { data: issuer } = query
  const frameworks = frameworksFor(application.kind)
  const [name, setName] = useState(frameworks[0]?.name ?? '')
  const field = useRef<HTMLTextAreaElement>(null)
  const framework = frameworks.find((each) => each.name === name)
  if (issuer === undefined) return <LoadingOrFailed query={query} rows={2} />
  if (framework === undefined) return null
  const settings = settingsOf(application, issuer, framework)
  const written = framework.write(settings)
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
      {framework.callback !== undefined && (
        <Text size="sm" c="dimmed">
          {t('applications.copy.callback', { framework: name, path: framework.callback })}
        </Text>
      )}
      <AddressesToEnter application={application} place={place} settings={settings} framework={framework} />
      <Textarea
        ref={field}
        label={t('applications.copy.settings', { framework: name })}
        classNames={{ input: classes.written ?? '' }}
        value={written}
        readOnly
        wrap="off"
        rows={Math.min(written.split('\n').length, 24)}
      />
      <div>
        <CopyText text={written} label={t('applications.copy.copySettings')} shown={field} />
      </div>
    </Stack>
  )
}

interface AddressesToEnterProps extends SettingsToCopyProps {
  readonly settings: Settings
  readonly framework: Framework
}

/** Addresses that the settings rely on, and that the application does not have yet. */
function AddressesToEnter({ application, place, settings, framework }: AddressesToEnterProps) {
  const { t } = useTranslation()
  const { kind, postLogoutUris, backChannelLogoutUri } = application
  const { postLogoutUri, backChannelUri } = settings
  return (
    <>
      <dl className={classes.facts}>
        {postLogoutUri !== undefined && !postLogoutUris.includes(postLogoutUri) && (
          <AddressToEnter place={place} field="postLogoutUris" address={postLogoutUri} />
        )}
        {backChannelUri !== undefined && backChannelLogoutUri === null && (
          <AddressToEnter place={place} field="backChannelLogoutUri" address={backChannelUri} />
        )}
      </dl>
      {kind === 'server' && backChannelUri === undefined && (
        <Text size="sm" c="dimmed">
          {t(framework.asks ? 'applications.copy.asks' : 'applications.copy.untold', { framework: framework.name })}
        </Text>
      )}
    </>
  )
}

interface AddressToEnterProps {
  readonly place: Place
  readonly field: 'postLogoutUris' | 'backChannelLogoutUri'
  readonly address: string
}

function AddressToEnter({ place, field, address }: AddressToEnterProps) {
  const { t } = useTranslation()
  return (
    <>
      <dt>{t(`applications.copy.toEnter.${place}`, { field: t(`applications.fields.${field}`) })}</dt>
      <dd>
        <Copyable value={address} name={address} />
      </dd>
    </>
  )
}
