/** A new link to join: what it gives, to how many, and for how long. Then its URL, to be sent to people. */
import { NumberInput, TagsInput, Text } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { Schemas } from '../api/client.ts'
import { DateField } from '../parts/date-field.tsx'
import { Dialog } from '../parts/dialog.tsx'
import { Form } from '../parts/form.tsx'
import { useReader } from '../parts/reader.ts'
import { splitChars } from '../parts/split-chars.ts'
import { useTypedNumber } from '../parts/typed-number.ts'
import { useUnsaved } from '../parts/unsaved.ts'
import { WithDates } from '../parts/with-dates.tsx'
import { mostOfMembership, toDay, toEnd, useEndDate, useFaultOfEnd, useTomorrow } from './ends.tsx'
import { faultsOfEnds, type Grants, GrantsField, setGrants, toGrants } from './grants.tsx'
import { createLink, type Link } from './link.ts'
import { LinkUrl } from './link-url.tsx'
import classes from './links.module.css'
import { type Organization, readOrganizationsAgain } from './organization.ts'
import { latestOf } from './roles.ts'

interface LinkCreationProps {
  readonly organization: Organization
  /** The roles of the product that a link of the caller may give. */
  readonly roles: readonly Schemas['Role'][]
  readonly isOpen: boolean
  readonly onClose: () => void
}

export function LinkCreation({ organization, roles, isOpen, onClose }: LinkCreationProps) {
  const { t } = useTranslation()
  const [made, setMade] = useState<Link>()
  const { name } = organization
  return (
    <Dialog
      opened={isOpen}
      onClose={onClose}
      onExitTransitionEnd={() => setMade(undefined)}
      title={t(made ? 'organizations.links.made.title' : 'organizations.links.creation.title', { name })}
    >
      {made ? (
        <LinkUrl link={made} />
      ) : (
        <CreationForm
          organization={organization}
          roles={roles}
          onMade={(link) => {
            setMade(link)
            void readOrganizationsAgain()
          }}
        />
      )}
    </Dialog>
  )
}

interface CreationFormProps extends Pick<LinkCreationProps, 'organization' | 'roles'> {
  readonly onMade: (link: Link) => void
}

function CreationForm({ organization, roles, onMade }: CreationFormProps) {
  const { t } = useTranslation()
  const { timeZone } = useReader()
  const dateOf = useEndDate()
  const tomorrow = useTomorrow()
  const faultOfEnd = useFaultOfEnd(mostOfMembership)
  /** Nobody gives a membership that outlasts their own. */
  const ownEnd = organization.membership?.expiresAt ?? null
  const form = useForm({
    initialValues: {
      grants: {} as Grants,
      maxUses: 25 as number | null,
      expiresInDays: 7 as number | null,
      emailDomains: [] as string[],
      memberExpiresAt: toDay(ownEnd, timeZone),
    },
    validate: ({ grants, memberExpiresAt }) => ({
      ...faultsOfEnds(grants, (day, key) => faultOfEnd(day, [latestOf(roles, key)])),
      memberExpiresAt: faultOfEnd(memberExpiresAt, [ownEnd]),
    }),
  })
  useUnsaved(form)
  const people = useTypedNumber(form.values.maxUses, (typed) => form.setFieldValue('maxUses', typed))
  const days = useTypedNumber(form.values.expiresInDays, (typed) => form.setFieldValue('expiresInDays', typed))
  const send = ({ grants, maxUses, expiresInDays, emailDomains, memberExpiresAt }: typeof form.values) =>
    createLink(organization.id, {
      ...(roles.length > 0 && { grants: toGrants(grants, (day, key) => toEnd(day, [latestOf(roles, key)], timeZone)) }),
      ...({ maxUses, expiresInDays } as Record<'maxUses' | 'expiresInDays', number>), // the API returns a fault for null
      emailDomains,
      memberExpiresAt: toEnd(memberExpiresAt, [ownEnd], timeZone),
    })
  return (
    <Form form={form} submit={t('organizations.links.creation.submit')} send={send} onDone={onMade}>
      <Text size="sm">{t('organizations.links.creation.lead')}</Text>
      {roles.length > 0 && (
        <GrantsField
          roles={roles}
          value={form.values.grants}
          onChange={(grants) => setGrants(form, grants)}
          error={form.errors.grants}
          faults={form.errors}
        />
      )}
      <NumberInput
        {...form.getInputProps('maxUses')}
        {...people}
        className={classes.number}
        label={t('organizations.links.creation.maxUses')}
        description={t('organizations.links.creation.maxUsesHint')}
        allowDecimal={false}
        clampBehavior="none"
        data-autofocus
      />
      <NumberInput
        {...form.getInputProps('expiresInDays')}
        {...days}
        className={classes.number}
        label={t('organizations.links.creation.days')}
        description={t('organizations.links.creation.daysHint')}
        allowDecimal={false}
        clampBehavior="none"
      />
      <TagsInput
        {...form.getInputProps('emailDomains')}
        label={t('organizations.links.creation.domains')}
        description={t('organizations.links.creation.domainsHint')}
        placeholder={form.values.emailDomains.length === 0 ? t('organizations.links.creation.domainsNone') : ''}
        splitChars={splitChars}
        onChange={(domains) =>
          form.setFieldValue(
            'emailDomains',
            domains.map((domain) => domain.replace(/^@/, '')),
          )
        }
      />
      <DateField
        {...form.getInputProps('memberExpiresAt')}
        className={classes.date}
        label={t('organizations.links.creation.memberEnd')}
        description={
          ownEnd === null ? (
            t('organizations.links.creation.memberEndHint')
          ) : (
            <WithDates>{t('organizations.links.creation.memberEndOwn', { date: dateOf(ownEnd) })}</WithDates>
          )
        }
        min={tomorrow}
        max={toDay(ownEnd, timeZone)}
      />
    </Form>
  )
}
