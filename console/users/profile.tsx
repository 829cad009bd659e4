/** The profile: name, picture, language, time zone, and facts about the account. */
import { Badge, Button, type OptionsFilter, Select, TextInput } from '@mantine/core'
import { type UseFormReturnType, useForm } from '@mantine/form'
import { notifications } from '@mantine/notifications'
import { useMemo } from 'react'
import { useTranslation } from 'react-i18next'
import { queries } from '../api/queries.ts'
import { Copyable } from '../parts/copyable.tsx'
import { EditForm } from '../parts/edit-form.tsx'
import { ButtonLink, TextLink } from '../parts/links.tsx'
import { Page, Section } from '../parts/page.tsx'
import { Picture } from '../parts/picture.tsx'
import { Time } from '../parts/time.tsx'
import { useTenant } from '../tenants/tenant.ts'
import classes from './me.module.css'
import { type Me, readMe, updateMe, useMe } from './me.ts'
import { browserZone, clockIn, isSameZone, isZoneFound, languageChoices, zoneChoices, zoneInWords } from './zones.ts'

export function ProfilePage() {
  const { t } = useTranslation()
  return (
    <Page title={t('users.profile.title')} lead={t('users.profile.lead')}>
      <Section title={t('users.profile.about')}>
        <ProfileForm />
      </Section>
      <Section title={t('users.profile.account')}>
        <Account />
      </Section>
      <Section title={t('users.profile.deletion')} lead={t('users.profile.deletionLead')}>
        <ButtonLink to="/me/delete" variant="default" c="red">
          {t('users.profile.delete')}
        </ButtonLink>
      </Section>
    </Page>
  )
}

/** The values of the fields. A missing value is an empty text. */
interface Values extends Record<string, unknown> {
  readonly name: string
  readonly avatarUrl: string
  readonly locale: string | null
  readonly timeZone: string | null
}

function valuesOf({ name, avatarUrl, locale, timeZone }: Me): Values {
  return { name: name ?? '', avatarUrl: avatarUrl ?? '', locale, timeZone }
}

/** The changed fields, as the body for the API. */
function changesOf(before: Values, now: Values) {
  const changed = Object.entries(now).filter(([field, value]) => value !== before[field])
  return Object.fromEntries(changed.map(([field, value]) => [field, value === '' ? null : value]))
}

function ProfileForm() {
  const { t } = useTranslation()
  const me = useMe()
  const form = useForm<Values>({ initialValues: valuesOf(me) })
  return (
    <EditForm
      form={form}
      submit={t('users.profile.save')}
      thing={me}
      pick={valuesOf}
      read={readMe}
      save={(values, before) => updateMe(changesOf(valuesOf(before), values), before)}
      onSaved={() => {
        void queries.invalidateQueries({ queryKey: ['organizations'] }) // lists of members contain the name
        notifications.show({ message: t('users.profile.saved') })
      }}
    >
      <TextInput
        {...form.getInputProps('name')}
        label={t('users.profile.name')}
        description={t('users.profile.nameHint')}
        autoComplete="name"
      />
      <PictureField form={form} name={form.values.name || me.email} />
      <LanguageField form={form} present={me.locale} />
      <ZoneField form={form} present={me.timeZone} />
    </EditForm>
  )
}

interface FieldProps {
  readonly form: UseFormReturnType<Values>
}

function PictureField({ form, name }: FieldProps & { readonly name: string }) {
  const { t } = useTranslation()
  const { remotePictures } = useTenant()
  const url = form.values.avatarUrl
  return (
    <div className={classes.picture}>
      <Picture url={/^https:\/\/\S+$/.test(url) ? url : null} name={name} size={64} />
      <TextInput
        {...form.getInputProps('avatarUrl')}
        type="url"
        label={t('users.profile.picture')}
        description={remotePictures ? t('users.profile.pictureHint') : t('users.profile.pictureKept')}
        placeholder="https://"
        autoComplete="photo"
      />
    </div>
  )
}

interface ChoiceProps extends FieldProps {
  /** The choices include the current value, even if the console would not offer it. */
  readonly present: string | null
}

function LanguageField({ form, present }: ChoiceProps) {
  const { t } = useTranslation()
  const choices = useMemo(() => languageChoices(present), [present])
  return (
    <Select
      {...form.getInputProps('locale')}
      label={t('users.profile.language')}
      description={t('users.profile.languageHint')}
      placeholder={t('users.profile.asBrowser')}
      nothingFoundMessage={t('users.profile.nothingFound')}
      data={choices}
      searchable
      clearable
      clearButtonProps={{ 'aria-label': t('users.profile.clearLanguage') }}
      checkIconPosition="right"
    />
  )
}

/** Mantine finds labels, which are the present names. */
const findZones: OptionsFilter = ({ options, search, limit }) =>
  options.filter((option) => 'value' in option && isZoneFound(option.value, search)).slice(0, limit)

function ZoneField({ form, present }: ChoiceProps) {
  const { t } = useTranslation()
  const value = form.values.timeZone
  const choices = useMemo(() => zoneChoices(present), [present])
  const here = browserZone()
  const clock = clockIn(value ?? here)
  return (
    <div>
      <Select
        {...form.getInputProps('timeZone')}
        label={t('users.profile.timeZone')}
        description={clock === undefined ? undefined : t('users.profile.clock', { clock })}
        placeholder={t('users.profile.asBrowser')}
        nothingFoundMessage={t('users.profile.nothingFound')}
        data={choices}
        filter={findZones}
        limit={200}
        searchable
        clearable
        clearButtonProps={{ 'aria-label': t('users.profile.clearTimeZone') }}
        checkIconPosition="right"
      />
      {(value === null || !isSameZone(value, here)) && (
        <Button
          variant="transparent"
          size="compact-sm"
          px={0}
          mt={6}
          onClick={() => form.setFieldValue('timeZone', here)}
        >
          {t('users.profile.useBrowsers', { zone: zoneInWords(here) })}
        </Button>
      )}
    </div>
  )
}

function Account() {
  const { t } = useTranslation()
  const { id, email, role, createdAt } = useMe()
  return (
    <dl className={classes.facts}>
      <dt>{t('users.profile.email')}</dt>
      <dd>
        {email}{' '}
        <TextLink to="/me/security" inherit>
          {t('users.profile.changeEmail')}
        </TextLink>
      </dd>
      {role === 'admin' && (
        <>
          <dt>{t('users.profile.role')}</dt>
          <dd>
            <Badge>{t('users.profile.tenantAdmin')}</Badge>
          </dd>
        </>
      )}
      <dt>{t('users.profile.since')}</dt>
      <dd>
        <Time iso={createdAt} />
      </dd>
      <dt>{t('users.profile.id')}</dt>
      <dd>
        <Copyable value={id} name={t('users.profile.yourId')} />
      </dd>
    </dl>
  )
}
