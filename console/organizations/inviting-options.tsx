/** What an invitation gives beside its role, until when, and how it reaches people. Closed at first: most invitations need none of it. */
import { NativeSelect, Stack, Switch, Text, UnstyledButton } from '@mantine/core'
import { IconChevronDown } from '@tabler/icons-react'
import { useId } from 'react'
import { useTranslation } from 'react-i18next'
import type { Schemas } from '../api/client.ts'
import { isDay } from '../audit/days.ts'
import { DateField } from '../parts/date-field.tsx'
import { useReader } from '../parts/reader.ts'
import { Failed } from '../parts/states.tsx'
import { WithDates } from '../parts/with-dates.tsx'
import { useTenant } from '../tenants/tenant.ts'
import { toDay, toEnd, useEndDate, useTomorrow } from './ends.tsx'
import { GrantsField, namesOfGrants } from './grants.tsx'
import classes from './inviting.module.css'
import { type Choices, type useTerms, usualDays } from './inviting-terms.ts'

const lifetimes = [1, 3, 7, 14, 30]

interface InvitingOptionsProps {
  readonly terms: ReturnType<typeof useTerms>
}

export function InvitingOptions({ terms }: InvitingOptionsProps) {
  const { t } = useTranslation()
  const id = useId()
  const { isMore, toggle, roles, choices } = terms
  const own = roles.data?.filter(({ source }) => source === 'tenant') ?? []
  return (
    <div>
      {roles.isError && <Failed error={roles.error} retry={roles.refetch} mb="md" />}
      <UnstyledButton className={classes.toggle} aria-expanded={isMore} aria-controls={id} onClick={toggle}>
        <IconChevronDown className={classes.chevron} size={16} stroke={1.8} aria-hidden />
        {t('organizations.inviting.options')}
      </UnstyledButton>
      {!isMore && <Chosen choices={choices} roles={own} />}
      {isMore && (
        <Stack id={id} gap="md" pt="sm">
          <Fields terms={terms} roles={own} />
        </Stack>
      )}
    </div>
  )
}

interface OfProduct {
  /** Those of the product. */
  readonly roles: readonly Schemas['Role'][]
}

/** The choices in words, without dates that are no days, while their fields are hidden. */
function Chosen({
  roles,
  choices: { role, grants, memberEnd, days, isMailed },
}: OfProduct & { readonly choices: Choices }) {
  const { t } = useTranslation()
  const { timeZone } = useReader()
  const dateOf = useEndDate()
  const endOf = (day = '') => (isDay(day) ? toEnd(day, [], timeZone) : null)
  const given = roles
    .filter(({ key }) => key in grants)
    .map(({ key, name }) => ({ role: key, name, expiresAt: endOf(grants[key]) }))
  const end = endOf(memberEnd)
  const isOwner = role === 'owner'
  const words = [
    !isOwner && given.length > 0 && namesOfGrants(given, dateOf),
    !isOwner && end !== null && t('organizations.inviting.chosen.until', { date: dateOf(end) }),
    days !== usualDays &&
      t('organizations.inviting.chosen.open', { lifetime: t('organizations.inviting.days', { count: days }) }),
    !isMailed && t('organizations.inviting.chosen.unmailed'),
  ].filter((each) => each !== false)
  return words.length === 0 ? null : (
    <Text size="sm" c="dimmed" ml={22}>
      <WithDates>{words.join(' · ')}</WithDates>
    </Text>
  )
}

function Fields({
  roles,
  terms: { choices, ownEnd, latest, choose, faults },
}: Pick<InvitingOptionsProps, 'terms'> & OfProduct) {
  const { t } = useTranslation()
  const { signUp } = useTenant()
  const dateOf = useEndDate()
  const tomorrow = useTomorrow()
  const others = roles.filter(({ key, mayGrant }) => !mayGrant && !(key in choices.grants)).map(({ name }) => name)
  const { timeZone } = useReader()
  return (
    <>
      {choices.role !== 'owner' && roles.length > 0 && (
        <GrantsField
          roles={roles}
          value={choices.grants}
          onChange={(grants) => choose({ grants })}
          error={faults.grants}
          {...(faults.ends && { faults: faults.ends })}
        >
          {others.length > 0 && (
            <Text size="xs" c="dimmed">
              {t('organizations.inviting.notYours', { roles: others.join(', ') })}
            </Text>
          )}
        </GrantsField>
      )}
      {choices.role !== 'owner' && (
        <DateField
          label={t('organizations.inviting.memberEnd')}
          description={
            latest === null ? (
              t('organizations.inviting.memberEndHint')
            ) : (
              <WithDates>
                {t(`organizations.inviting.${latest === ownEnd ? 'memberEndOwn' : 'memberEndLatest'}`, {
                  date: dateOf(latest),
                })}
              </WithDates>
            )
          }
          min={tomorrow}
          max={toDay(latest, timeZone)}
          value={choices.memberEnd}
          error={faults.memberEnd}
          onChange={(day) => choose({ memberEnd: day })}
        />
      )}
      <Lifetime value={choices.days} onChange={(days) => choose({ days })} />
      <Switch
        label={t('organizations.inviting.noMail')}
        description={t(
          signUp === 'open' ? 'organizations.inviting.noMailHint' : 'organizations.inviting.noMailHintClosed',
        )}
        checked={!choices.isMailed}
        onChange={({ currentTarget }) => choose({ isMailed: !currentTarget.checked })}
      />
    </>
  )
}

interface LifetimeProps {
  /** In days. */
  readonly value: number
  readonly onChange: (days: number) => void
}

export function Lifetime({ value, onChange }: LifetimeProps) {
  const { t } = useTranslation()
  return (
    <NativeSelect
      label={t('organizations.inviting.lifetime')}
      value={value}
      onChange={({ currentTarget }) => onChange(Number(currentTarget.value))}
      data={lifetimes.map((days) => ({
        value: String(days),
        label: t('organizations.inviting.days', { count: days }),
      }))}
    />
  )
}
