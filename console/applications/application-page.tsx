/** One application: what to copy into it, its settings, its secrets, its sign-outs, deleting it. */
import { Badge, Checkbox, Stack, Switch, Text, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { notifications } from '@mantine/notifications'
import { IconArrowLeft } from '@tabler/icons-react'
import { useParams } from '@tanstack/react-router'
import { useTranslation } from 'react-i18next'
import { changesOf, EditForm } from '../parts/edit-form.tsx'
import { ButtonLink, TextLink } from '../parts/links.tsx'
import classes from '../parts/list.module.css'
import { Page, Section } from '../parts/page.tsx'
import { Picture } from '../parts/picture.tsx'
import { Time } from '../parts/time.tsx'
import { useTenantSettings } from '../tenants/settings-tenant.ts'
import { useTenant } from '../tenants/tenant.ts'
import { linesOf } from './addresses.ts'
import {
  type Application,
  optionalScopes,
  readApplication,
  updateApplication,
  useApplicationOfPage,
} from './application.ts'
import { DeleteApplication } from './deletion.tsx'
import { AddressesField } from './fields.tsx'
import { RotateSecret } from './rotation.tsx'
import { SettingsToCopy } from './settings-to-copy.tsx'
import '../texts/administration.ts'

export function ApplicationPage() {
  const { t } = useTranslation()
  const { appId } = useParams({ from: '/inside/admin/applications/$appId' })
  const { application, isGone } = useApplicationOfPage(appId)
  const { name, kind, logoUrl, enabled, isHome } = application
  const toAll = (
    <ButtonLink to="/admin/applications" variant="default" leftSection={<IconArrowLeft size={16} stroke={1.8} />}>
      {t('applications.all')}
    </ButtonLink>
  )
  if (isGone) {
    return (
      <Page title={t('applications.gone')} lead={t('applications.goneLead')}>
        {toAll}
      </Page>
    )
  }
  return (
    <Page
      key={appId}
      picture={<Picture url={logoUrl} name={name} id={application.id} size={48} shape="square" />}
      title={name}
      lead={
        <>
          {t(`applications.kinds.${kind}.name`)} {isHome && <Badge>{t('applications.home')}</Badge>}{' '}
          {!enabled && <Badge color="gray">{t('applications.disabled')}</Badge>}
        </>
      }
      actions={toAll}
    >
      <Section title={t('applications.copy.title')} lead={t('applications.copy.lead')}>
        <SettingsToCopy application={application} place="below" />
      </Section>
      <Section title={t('applications.settings')}>
        <Settings application={application} />
      </Section>
      {kind === 'server' && (
        <Section title={t('applications.secret.sectionTitle')} lead={t('applications.secret.sectionLead')}>
          <Secrets application={application} />
        </Section>
      )}
      {application.backChannelLogoutUri !== null && (
        <Section title={t('applications.logout.title')} lead={t('applications.logout.lead')}>
          <LastLogout application={application} />
        </Section>
      )}
      <Section title={t('applications.deletion.title')} lead={t('applications.deletion.lead')}>
        <DeleteApplication application={application} />
      </Section>
    </Page>
  )
}

/** Text of the fields: addresses one a line, and nothing instead of null. */
const pick = (application: Application) => ({
  name: application.name,
  enabled: application.enabled,
  isHome: application.isHome,
  logoUrl: application.logoUrl ?? '',
  startUrl: application.startUrl ?? '',
  redirectUris: application.redirectUris.join('\n'),
  postLogoutUris: application.postLogoutUris.join('\n'),
  backChannelLogoutUri: application.backChannelLogoutUri ?? '',
  requireVerifiedEmail: application.requireVerifiedEmail,
  chooseOrganization: application.chooseOrganization,
  scopes: application.scopes as string[],
})
type Values = ReturnType<typeof pick>

/** The changed fields, as the body for the API. */
function bodyOf(before: Values, now: Values) {
  const { logoUrl, startUrl, backChannelLogoutUri, redirectUris, postLogoutUris, scopes, ...rest } = changesOf(
    before,
    now,
  )
  const orNull = (text: string) => (text.trim() === '' ? null : text.trim())
  return {
    ...rest,
    ...(logoUrl !== undefined && { logoUrl: orNull(logoUrl) }),
    ...(startUrl !== undefined && { startUrl: orNull(startUrl) }),
    ...(backChannelLogoutUri !== undefined && { backChannelLogoutUri: orNull(backChannelLogoutUri) }),
    ...(redirectUris !== undefined && { redirectUris: linesOf(redirectUris) }),
    ...(postLogoutUris !== undefined && { postLogoutUris: linesOf(postLogoutUris) }),
    ...(scopes !== undefined && { scopes: scopes as Application['scopes'] }), // from the choices below
  }
}

function Settings({ application }: { readonly application: Application }) {
  const { t } = useTranslation()
  const { id, kind } = application
  const tenant = useTenant()
  const { remotePictures } = useTenantSettings().data ?? tenant // without a reload, the tenant does not have what was turned on
  const form = useForm({ initialValues: pick(application) })
  return (
    <EditForm
      form={form}
      thing={application}
      pick={pick}
      read={() => readApplication(id)}
      save={(values, before) => updateApplication(before, bodyOf(pick(before), values))}
      onSaved={({ name }) => notifications.show({ message: t('applications.saved', { name }) })}
    >
      <Switch
        {...form.getInputProps('enabled', { type: 'checkbox' })}
        label={t('applications.fields.enabled')}
        description={t('applications.fields.enabledHint')}
      />
      <TextInput
        {...form.getInputProps('name')}
        label={t('applications.fields.name')}
        description={t('applications.fields.nameHint')}
        autoComplete="off"
      />
      <TextInput
        {...form.getInputProps('logoUrl')}
        type="url"
        label={t('applications.fields.logoUrl')}
        description={!remotePictures && <LogoNeeds />}
        placeholder="https://"
        autoComplete="off"
      />
      <AddressesField
        {...form.getInputProps('redirectUris')}
        kind={kind}
        label={t('applications.fields.redirectUris')}
        description={t(`applications.fields.redirectUrisHint.${kind}`)}
      />
      <AddressesField
        {...form.getInputProps('postLogoutUris')}
        kind={kind}
        label={t('applications.fields.postLogoutUris')}
        description={t('applications.fields.postLogoutUrisHint')}
      />
      <TextInput
        {...form.getInputProps('startUrl')}
        type="url"
        label={t('applications.fields.startUrl')}
        description={t('applications.fields.startUrlHint')}
        placeholder="https://"
        autoComplete="off"
      />
      <Switch
        {...form.getInputProps('isHome', { type: 'checkbox' })}
        label={t('applications.fields.isHome')}
        description={t('applications.fields.isHomeHint')}
      />
      <TextInput
        {...form.getInputProps('backChannelLogoutUri')}
        type="url"
        label={t('applications.fields.backChannelLogoutUri')}
        description={t('applications.fields.backChannelLogoutUriHint')}
        placeholder="https://"
        autoComplete="off"
      />
      <Switch
        {...form.getInputProps('requireVerifiedEmail', { type: 'checkbox' })}
        label={t('applications.fields.requireVerifiedEmail')}
        description={t('applications.fields.requireVerifiedEmailHint')}
      />
      <Switch
        {...form.getInputProps('chooseOrganization', { type: 'checkbox' })}
        label={t('applications.fields.chooseOrganization')}
        description={t('applications.fields.chooseOrganizationHint')}
      />
      <Checkbox.Group {...form.getInputProps('scopes')} label={t('applications.fields.scopes')}>
        <Stack gap="sm" mt="xs">
          {optionalScopes.map((scope) => (
            <Checkbox
              key={scope}
              value={scope}
              label={t(`applications.scopes.${scope}.name`)}
              description={t(`applications.scopes.${scope}.description`)}
            />
          ))}
        </Stack>
      </Checkbox.Group>
    </EditForm>
  )
}

/** While images from other servers are off, no logo is shown. */
function LogoNeeds() {
  const { t } = useTranslation()
  return (
    <>
      {t('applications.fields.logoNeeds', { setting: t('tenants.settings.pictures') })}{' '}
      <TextLink to="/admin/settings" hash="privacy" underline="always" inherit>
        {t('applications.fields.toSetting')}
      </TextLink>
    </>
  )
}

function Secrets({ application }: { readonly application: Application }) {
  const { t } = useTranslation()
  return (
    <Stack gap="md" align="flex-start">
      <ul className={classes.framed} aria-label={t('applications.secret.sectionTitle')} style={{ width: '100%' }}>
        {application.secrets.map(({ createdAt, expiresAt, lastUsedAt }) => (
          <li key={createdAt} className={classes.item}>
            <div className={classes.words}>
              <p className={classes.what}>
                {t('applications.secret.created')} <Time iso={createdAt} />
              </p>
              <p className={classes.hint}>
                {lastUsedAt === null ? (
                  t('applications.secret.unused')
                ) : (
                  <>
                    {t('applications.secret.used')} <Time iso={lastUsedAt} />
                  </>
                )}
                {expiresAt !== null && (
                  <>
                    {' · '}
                    {t('applications.secret.ends')} <Time iso={expiresAt} />
                  </>
                )}
              </p>
            </div>
          </li>
        ))}
      </ul>
      <RotateSecret application={application} />
    </Stack>
  )
}

/** How telling the application of an ended session went last. */
function LastLogout({ application: { lastLogout } }: { readonly application: Application }) {
  const { t } = useTranslation()
  if (lastLogout === null)
    return (
      <Text size="sm" c="dimmed">
        {t('applications.logout.none')}
      </Text>
    )
  return (
    <Text size="sm">
      {t(`applications.logout.${lastLogout.outcome}`)} <Time iso={lastLogout.at} />
    </Text>
  )
}
