/** The rules of a tenant: sign-up, passwords, sessions, retention, remote pictures. */
import { NumberInput, Radio, Stack, Switch, TagsInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useTranslation } from 'react-i18next'
import { Refusal } from '../api/refusal.ts'
import { changesOf } from '../parts/edit-form.tsx'
import { splitChars } from '../parts/split-chars.ts'
import { useTypedNumber } from '../parts/typed-number.ts'
import { OnlyWayIn } from '../providers/only-way-in.tsx'
import classes from './settings.module.css'
import { DurationInput, useDurationChecks } from './settings-duration.tsx'
import { SettingsSection } from './settings-section.tsx'
import { saveSettings, type TenantSettings } from './settings-tenant.ts'

interface RulesProps {
  readonly settings: TenantSettings
}

const policies = ['open', 'invited_only', 'closed'] as const
const pickSignUp = ({ signUp, allowedEmailDomains }: TenantSettings) => ({ signUp, allowedEmailDomains })

export function SignUpSettings({ settings }: RulesProps) {
  const { t } = useTranslation()
  const form = useForm({ initialValues: pickSignUp(settings) })
  return (
    <SettingsSection
      title={t('tenants.settings.signUp')}
      form={form}
      settings={settings}
      save={(values, before) => saveSettings(before, changesOf(pickSignUp(before), values))}
      pick={pickSignUp}
    >
      <Radio.Group {...form.getInputProps('signUp')} label={t('tenants.settings.policy')}>
        <Stack gap="sm" mt={8}>
          {policies.map((policy) => (
            <Radio
              key={policy}
              value={policy}
              label={t(`tenants.settings.policies.${policy}`)}
              description={t(`tenants.settings.policyHints.${policy}`)}
            />
          ))}
        </Stack>
      </Radio.Group>
      <TagsInput
        {...form.getInputProps('allowedEmailDomains')}
        label={t('tenants.settings.domains')}
        description={t('tenants.settings.domainsHint')}
        placeholder={form.values.allowedEmailDomains.length === 0 ? t('tenants.settings.domainsNone') : ''}
        splitChars={splitChars}
        onChange={(domains) =>
          form.setFieldValue(
            'allowedEmailDomains',
            domains.map((domain) => domain.replace(/^@/, '')),
          )
        }
      />
    </SettingsSection>
  )
}

/** An empty number is sent as null, for which the API returns a fault. */
type Numbers<Names extends keyof TenantSettings> = { [Name in Names]: number | null }

function numbersIn<Names extends keyof TenantSettings>(values: Partial<Numbers<Names>>) {
  return values as Partial<Record<Names, number>> // the API returns a fault for null
}

type SessionNumbers = Numbers<'passwordMinimum' | 'sessionIdleSeconds' | 'sessionAbsoluteSeconds'>
const pickSessions = (settings: TenantSettings): SessionNumbers => ({
  passwordMinimum: settings.passwordMinimum,
  sessionIdleSeconds: settings.sessionIdleSeconds,
  sessionAbsoluteSeconds: settings.sessionAbsoluteSeconds,
})
const lifetimes = ['minutes', 'hours', 'days'] as const

export function SessionSettings({ settings }: RulesProps) {
  const { t } = useTranslation()
  const form = useForm({
    initialValues: pickSessions(settings),
    validate: useDurationChecks('sessionIdleSeconds', 'sessionAbsoluteSeconds'),
  })
  const minimum = useTypedNumber(form.values.passwordMinimum, (typed) => form.setFieldValue('passwordMinimum', typed))
  return (
    <SettingsSection
      title={t('tenants.settings.sessions')}
      form={form}
      settings={settings}
      save={(values, before) => saveSettings(before, numbersIn(changesOf(pickSessions(before), values)))}
      pick={pickSessions}
    >
      <NumberInput
        {...form.getInputProps('passwordMinimum')}
        {...minimum}
        className={classes.short}
        label={t('tenants.settings.passwordMinimum')}
        description={t('tenants.settings.passwordMinimumHint')}
        allowDecimal={false}
        clampBehavior="none"
      />
      <DurationInput
        {...form.getInputProps('sessionIdleSeconds')}
        label={t('tenants.settings.idle')}
        description={t('tenants.settings.idleHint')}
        units={lifetimes}
      />
      <DurationInput
        {...form.getInputProps('sessionAbsoluteSeconds')}
        label={t('tenants.settings.absolute')}
        description={t('tenants.settings.absoluteHint')}
        units={lifetimes}
      />
    </SettingsSection>
  )
}

const pickPrivacy = ({ auditRetentionSeconds, eventRetentionSeconds, remotePictures }: TenantSettings) => ({
  remotePictures,
  auditRetentionSeconds: auditRetentionSeconds as number | null, // while it is typed
  eventRetentionSeconds: eventRetentionSeconds as number | null,
})

export function PrivacySettings({ settings }: RulesProps) {
  const { t } = useTranslation()
  const form = useForm({
    initialValues: pickPrivacy(settings),
    validate: useDurationChecks('auditRetentionSeconds', 'eventRetentionSeconds'),
  })
  return (
    <SettingsSection
      id="privacy"
      title={t('tenants.settings.privacy')}
      form={form}
      settings={settings}
      save={(values, before) => {
        const { remotePictures, ...numbers } = changesOf(pickPrivacy(before), values)
        return saveSettings(before, { ...numbersIn(numbers), ...(remotePictures !== undefined && { remotePictures }) })
      }}
      pick={pickPrivacy}
    >
      <DurationInput
        {...form.getInputProps('auditRetentionSeconds')}
        label={t('tenants.settings.retention')}
        description={t('tenants.settings.retentionHint')}
        units={['days']}
      />
      <DurationInput
        {...form.getInputProps('eventRetentionSeconds')}
        label={t('tenants.settings.eventRetention')}
        description={t('tenants.settings.eventRetentionHint')}
        units={['days']}
      />
      <Switch
        {...form.getInputProps('remotePictures', { type: 'checkbox' })}
        label={t('tenants.settings.pictures')}
        description={t('tenants.settings.picturesHint')}
      />
    </SettingsSection>
  )
}

const factorPolicies = ['optional', 'admins', 'required'] as const
const pickSignIn = ({ secondFactor, mailCodes }: TenantSettings) => ({ secondFactor, mailCodes })

export function SignInSettings({ settings }: RulesProps) {
  const { t } = useTranslation()
  const { mailCodes, onlyMailCodesCount } = settings
  const form = useForm({ initialValues: pickSignIn(settings) })
  return (
    <SettingsSection
      title={t('tenants.settings.signIn')}
      form={form}
      settings={settings}
      save={(values, before) =>
        saveSettings(before, changesOf(pickSignIn(before), values)).catch((error: unknown) => {
          throw Refusal.ofRequiring(error)
        })
      }
      pick={pickSignIn}
    >
      <Radio.Group {...form.getInputProps('secondFactor')} label={t('tenants.settings.secondFactor')}>
        <Stack gap="sm" mt={8}>
          {factorPolicies.map((policy) => (
            <Radio
              key={policy}
              value={policy}
              label={t(`tenants.settings.secondFactors.${policy}`)}
              description={t(`tenants.settings.secondFactorHints.${policy}`)}
            />
          ))}
        </Stack>
      </Radio.Group>
      <Switch
        {...form.getInputProps('mailCodes', { type: 'checkbox' })}
        label={t('tenants.settings.mailCodes')}
        description={t('tenants.settings.mailCodesHint')}
      />
      <OnlyWayIn count={mailCodes && !form.values.mailCodes ? onlyMailCodesCount : undefined} />
    </SettingsSection>
  )
}
