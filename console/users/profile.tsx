/** The profile: name, picture, language, time zone, and facts about the account. */
import { Anchor, Badge, Box, type OptionsFilter, Select, TextInput } from '@mantine/core'
import { type UseFormReturnType, useForm } from '@mantine/form'
import { notifications } from '@mantine/notifications'
import { type ReactNode, useMemo } from 'react'
import { useTranslation } from 'react-i18next'
import { queries } from '../api/queries.ts'
import { Copyable } from '../parts/copyable.tsx'
import { EditForm } from '../parts/edit-form.tsx'
import { isolate } from '../parts/language.ts'
import { ButtonLink, TextLink } from '../parts/links.tsx'
import { Page, Section } from '../parts/page.tsx'
import { PictureField } from '../parts/picture-field.tsx'
import { useReader } from '../parts/reader.ts'
import { Time } from '../parts/time.tsx'
import { WithDates } from '../parts/with-dates.tsx'
import classes from './me.module.css'
import { type Me, type MyChanges, readMe, removeAvatar, updateMe, uploadAvatar, useMe } from './me.ts'
import { browserZone, clockIn, isSameZone, isZoneFound, languageChoices, zoneChoices, zoneInWords } from './zones.ts'

export function ProfilePage() {
  const { t } = useTranslation()
  return (
    <Page title={t('users.profile.title')} lead={t('users.profile.lead')}>
      <Section title={t('users.profile.about')}>
        <MyPicture />
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

/**
 * What the API takes, but for `metadata`, which only the API writes, the address, which has a page of its own, and the picture, which is
 * uploaded. The compiler names a field that is missing here.
 */
type FieldName = Exclude<keyof MyChanges, 'metadata' | 'email' | 'currentPassword' | 'avatarUrl'>

/** The values of the fields. A missing value is an empty text, or null for a choice. */
type Values = { readonly [Name in FieldName]: string | null }

/** In the order of the form. */
const fields: { readonly [Name in FieldName]: (props: FieldProps) => ReactNode } = {
  name: NameField,
  locale: LanguageField,
  timeZone: ZoneField,
}
const listed = Object.entries(fields) as [FieldName, (props: FieldProps) => ReactNode][] // the entries of the object above
const choices: ReadonlySet<FieldName> = new Set<FieldName>(['locale', 'timeZone'])

function valuesOf(me: Me): Values {
  return Object.fromEntries(listed.map(([name]) => [name, me[name] ?? (choices.has(name) ? null : '')])) as Values // of each field
}

/** The changed fields, as the body for the API. */
function changesOf(before: Values, now: Values): MyChanges {
  const changed = listed.filter(([name]) => now[name] !== before[name])
  return Object.fromEntries(changed.map(([name]) => [name, now[name] === '' ? null : now[name]]))
}

/** Reads everything again that shows the name or the picture: lists of members, and an admin's pages. */
async function readAgain() {
  await Promise.all([['organizations'], ['admin']].map((queryKey) => queries.invalidateQueries({ queryKey })))
}

function MyPicture() {
  const { t } = useTranslation()
  const { id, name, email, avatarUrl } = useMe()
  return (
    <Box mb="lg">
      <PictureField
        label={t('users.profile.picture')}
        hint={t('users.profile.pictureHint')}
        url={avatarUrl}
        name={name ?? email}
        id={id}
        shape="round"
        // The outcome does not wait for what is read again.
        upload={(picture) => uploadAvatar(picture).finally(() => void readAgain())}
        remove={() => removeAvatar().finally(() => void readAgain())}
      />
    </Box>
  )
}

function ProfileForm() {
  const { t } = useTranslation()
  const me = useMe()
  const form = useForm<Values>({ initialValues: valuesOf(me) })
  return (
    <EditForm
      form={form}
      submit={t('general.save')}
      thing={me}
      pick={valuesOf}
      read={readMe}
      save={(values, before) => updateMe(changesOf(valuesOf(before), values), before)}
      onSaved={() => {
        void readAgain()
        notifications.show({ message: t('users.profile.saved') })
      }}
    >
      {listed.map(([name, Field]) => (
        <Field key={name} form={form} me={me} />
      ))}
    </EditForm>
  )
}

interface FieldProps {
  readonly form: UseFormReturnType<Values>
  readonly me: Me
}

function NameField({ form }: FieldProps) {
  const { t } = useTranslation()
  return (
    <TextInput
      {...form.getInputProps('name')}
      label={t('users.profile.name')}
      description={t('users.profile.nameHint')}
      autoComplete="name"
    />
  )
}

/** The choices include the current value, even if the console would not offer it. */
function LanguageField({ form, me: { locale } }: FieldProps) {
  const { t } = useTranslation()
  const choices = useMemo(() => languageChoices(locale), [locale])
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

function ZoneField({ form, me: { timeZone } }: FieldProps) {
  const { t } = useTranslation()
  const value = form.values.timeZone
  const choices = useMemo(() => zoneChoices(timeZone), [timeZone])
  const here = browserZone()
  const { locale } = useReader()
  const clock = clockIn(value ?? here, locale)
  return (
    <div>
      <Select
        {...form.getInputProps('timeZone')}
        label={t('users.profile.timeZone')}
        description={
          clock === undefined ? undefined : (
            <WithDates>{t('users.profile.clock', { clock: isolate(clock, locale) })}</WithDates>
          )
        }
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
      {value !== null && !isSameZone(value, here) && (
        <Anchor component="button" type="button" size="sm" mt={6} onClick={() => form.setFieldValue('timeZone', here)}>
          {t('users.profile.useBrowsers', { zone: zoneInWords(here) })}
        </Anchor>
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
        <Time iso={createdAt} as="date" />
      </dd>
      <dt>{t('users.profile.id')}</dt>
      <dd>
        <Copyable value={id} name={t('users.profile.yourId')} />
      </dd>
    </dl>
  )
}
