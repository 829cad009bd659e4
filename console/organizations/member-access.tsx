/**
 * What a member may do and until when: roles of the product, the end, and the permissions that follow.
 *
 * Invariant: saving changes only what the user has changed. Members have no version, and others may change the same member meanwhile.
 */
import { Alert } from '@mantine/core'
import { useForm } from '@mantine/form'
import { notifications } from '@mantine/notifications'
import { queryOptions, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { api, ask, type Schemas } from '../api/client.ts'
import { DateField } from '../parts/date-field.tsx'
import { Dialog } from '../parts/dialog.tsx'
import { changesOf } from '../parts/edit-form.tsx'
import { Form } from '../parts/form.tsx'
import { useReader } from '../parts/reader.ts'
import { Failed, Loading } from '../parts/states.tsx'
import { WithDates } from '../parts/with-dates.tsx'
import { AccessShown, MayNow } from './access-shown.tsx'
import { mostOfMembership, toDay, toEnd, useEndDate, useFaultOfEnd, useTomorrow } from './ends.tsx'
import {
  faultsOfEnds,
  type Grants,
  GrantsField,
  mergeGrants,
  permissionNamesQuery,
  rolesQuery,
  setGrants,
} from './grants.tsx'
import { changeMember, type Member, nameOf } from './member.ts'
import { explained } from './member-faults.ts'
import { type Organization, readOrganizationsAgain } from './organization.ts'
import { placeOf, type Where, whereOf } from './place.ts'
import { latestOf } from './roles.ts'

/** Not below the key of `members`, whose lists show a changed role at once. */
const detailsQuery = (where: Where, memberId: string) =>
  queryOptions({
    queryKey: [...placeOf(where).key, 'member', memberId],
    queryFn: () => readDetails(where, memberId),
    staleTime: 0,
    gcTime: 0,
  })

function readDetails(where: Where, memberId: string) {
  const { base, path } = placeOf(where)
  return ask(api.GET(`${base}/members/{memberId}`, { params: { path: { ...path, memberId } } }))
}

interface MemberAccessProps {
  readonly organization: Organization
  /** Undefined: the caller. */
  readonly member?: Member
  readonly mayChange?: boolean
  readonly isOpen: boolean
  readonly onClose: () => void
}

export function MemberAccess({ isOpen, ...shown }: MemberAccessProps) {
  const { t } = useTranslation()
  const { organization, member, onClose } = shown
  return (
    <Dialog
      opened={isOpen}
      onClose={onClose}
      title={
        member
          ? t('organizations.access.title', { name: nameOf(member) })
          : t('organizations.access.titleOwn', { organization: organization.name })
      }
    >
      <Access {...shown} />
    </Dialog>
  )
}

/** Mounted only while the dialog is open: each opening reads the member again. */
function Access({ organization, member, mayChange = false, onClose }: Omit<MemberAccessProps, 'isOpen'>) {
  const where = whereOf(organization)
  const roles = useQuery(rolesQuery(where))
  const names = useQuery(permissionNamesQuery(where))
  const details = useQuery(detailsQuery(where, member?.id ?? 'me'))
  const failed = roles.error ?? details.error
  if (!roles.data || !names.data || !details.data)
    return failed ? (
      <Failed error={failed} retry={() => Promise.all([roles.refetch(), details.refetch()])} />
    ) : (
      <Loading />
    )
  const own = roles.data.filter(({ source }) => source === 'tenant')
  if (!mayChange) return <AccessShown member={details.data} roles={own} names={names.data} />
  return (
    <AccessForm
      key={details.data.id}
      organization={organization}
      member={details.data}
      roles={own}
      names={names.data}
      latest={latestOf(roles.data, details.data.role)}
      onClose={onClose}
    />
  )
}

interface AccessFormProps {
  readonly organization: Organization
  readonly member: Schemas['MemberDetails']
  /** Those of the product. */
  readonly roles: readonly Schemas['Role'][]
  /** Of permissions, by their keys. */
  readonly names: ReadonlyMap<string, string>
  /** Until when the caller can extend the membership at the longest; null: it needs no end. */
  readonly latest: string | null
  readonly onClose: () => void
}

function AccessForm({ organization, member, roles, names, latest, onClose }: AccessFormProps) {
  const { t } = useTranslation()
  const { timeZone } = useReader()
  const tomorrow = useTomorrow()
  const dateOf = useEndDate()
  const faultOfEnd = useFaultOfEnd(mostOfMembership)
  /** The member from whom the form was filled. */
  const [opened] = useState(member)
  const endOf = (key: string) => opened.grants.find(({ role }) => role === key)?.expiresAt ?? null
  const held: Grants = Object.fromEntries(opened.grants.map(({ role }) => [role, toDay(endOf(role), timeZone)]))
  const knownEnds = [opened.expiresAt, latest]
  const knownEndsOf = (key: string) => [endOf(key), latestOf(roles, key)]
  const form = useForm({
    initialValues: {
      grants: held,
      expiresAt: toDay(opened.expiresAt, timeZone),
    },
    validate: ({ grants, expiresAt }) => ({
      ...faultsOfEnds(grants, (day, key) => faultOfEnd(day, knownEndsOf(key))),
      expiresAt: faultOfEnd(expiresAt, knownEnds),
    }),
  })
  const save = async (values: typeof form.values) => {
    const { grants, expiresAt } = changesOf(form.getInitialValues(), values)
    const where = whereOf(organization)
    // The API takes only the whole list. Others may have changed it since the form was filled.
    const before = grants === undefined ? opened : await readDetails(where, opened.id)
    const after = {
      grants: mergeGrants(before.grants, held, values.grants, (day, key) => toEnd(day, knownEndsOf(key), timeZone)),
      expiresAt: expiresAt === undefined ? before.expiresAt : toEnd(expiresAt, knownEnds, timeZone),
    }
    return changeMember(where, opened.id, {
      ...(grants !== undefined && { grants: after.grants }),
      ...(expiresAt !== undefined && { expiresAt: after.expiresAt }),
    }).catch(async (error: unknown) => {
      throw await explained(error, where, { before, after }, dateOf)
    })
  }
  return (
    <Form
      form={form}
      submit={t('general.save')}
      disabled={!form.isDirty()}
      send={save}
      onDone={() => {
        onClose()
        void readOrganizationsAgain()
        notifications.show({ message: t('organizations.access.saved', { name: nameOf(member) }) })
      }}
    >
      {roles.length > 0 && (
        <GrantsField
          roles={roles}
          value={form.values.grants}
          onChange={(grants) => setGrants(form, grants)}
          error={form.errors.grants}
          faults={form.errors}
          held={held}
        />
      )}
      {member.role === 'owner' ? (
        <Alert color="gray">{t('organizations.access.owner')}</Alert>
      ) : (
        <DateField
          label={t('organizations.access.end')}
          description={
            latest === null ? (
              t('organizations.access.endLead')
            ) : (
              <WithDates>{t('organizations.access.endLatest', { date: dateOf(latest) })}</WithDates>
            )
          }
          min={tomorrow}
          max={toDay(latest, timeZone)}
          {...form.getInputProps('expiresAt')}
        />
      )}
      <MayNow member={member} names={names} />
    </Form>
  )
}
