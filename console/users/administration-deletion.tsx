/** Deleting a user. If they are the only owner of organizations with other members, these are transferred or deleted first. */
import { Alert, Button, Modal, Stack, Text, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useDisclosure } from '@mantine/hooks'
import { notifications } from '@mantine/notifications'
import { queryOptions, useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useEffect, useId, useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { api, ask, type Schemas } from '../api/client.ts'
import { queries } from '../api/queries.ts'
import { isRefusal } from '../api/refusal.ts'
import { DeleteOrganization } from '../organizations/directory-deletion.tsx'
import { TransferOrganization } from '../organizations/directory-transfer.tsx'
import { Dialog } from '../parts/dialog.tsx'
import { Form } from '../parts/form.tsx'
import { ButtonLink, TextLink } from '../parts/links.tsx'
import listClasses from '../parts/list.module.css'
import { LoadingOrFailed } from '../parts/states.tsx'
import { forgetUnsaved } from '../parts/unsaved.ts'
import classes from './administration.module.css'
import { nameOf, type User, userQuery } from './administration-user.ts'
import type { Impact } from './deletion-impact.ts'
import { usersKey } from './directory-search.ts'

interface DeleteUserProps {
  readonly user: User
  readonly isMe: boolean
}

type Owned = NonNullable<Schemas['Problem']['organizations']>[number]

export function DeleteUser({ user, isMe }: DeleteUserProps) {
  const { t } = useTranslation()
  const [isOpen, { open, close }] = useDisclosure()
  if (isMe)
    return (
      <Stack gap="sm" align="flex-start">
        <Text size="sm">{t('directory.deletion.me')}</Text>
        <ButtonLink to="/me/delete" variant="default">
          {t('directory.deletion.mine')}
        </ButtonLink>
      </Stack>
    )
  return (
    <Stack gap="sm" align="flex-start">
      <Text size="sm" c="dimmed">
        {t('directory.deletion.lead')}
      </Text>
      <Button variant="default" c="red" onClick={open}>
        {t('directory.deletion.open')}
      </Button>
      {/* Escape closes only the top dialog. */}
      <Modal.Stack>
        <Dialog
          stackId="user"
          opened={isOpen}
          onClose={close}
          size="lg"
          title={t('directory.deletion.confirmTitle', { name: nameOf(user) })}
        >
          <Deletion user={user} onClose={close} />
        </Dialog>
      </Modal.Stack>
    </Stack>
  )
}

const impactQuery = (userId: string) =>
  queryOptions({
    queryKey: [...usersKey, userId, 'deletion-impact'],
    queryFn: () => ask(api.GET('/api/admin/users/{userId}/deletion-impact', { params: { path: { userId } } })),
    staleTime: 0,
    gcTime: 0,
  })

/** What the deletion would do is read before it can be confirmed. */
function Deletion(props: Omit<DeletionProps, 'impact'>) {
  const query = useQuery({ ...impactQuery(props.user.id), refetchOnWindowFocus: false })
  return query.data ? <DeletionForm {...props} impact={query.data} /> : <LoadingOrFailed query={query} rows={4} />
}

interface DeletionProps {
  readonly user: User
  readonly impact: Impact
  readonly onClose: () => void
}

function DeletionForm({ user, impact, onClose }: DeletionProps) {
  const { t } = useTranslation()
  const navigate = useNavigate()
  const [owned, setOwned] = useState<readonly Owned[]>(impact.blockingOrganizations)
  const [settled, setSettled] = useState<readonly string[]>([])
  const isBlocked = owned.length > settled.length
  const form = useForm({
    initialValues: { email: '' },
    validate: {
      email: (typed) => (typed.trim().toLowerCase() === user.email ? null : t('directory.deletion.mismatch')),
    },
  })
  const erase = () => ask(api.DELETE('/api/admin/users/{userId}', { params: { path: { userId: user.id } } }))
  return (
    <Stack gap="md">
      {owned.length > 0 && (
        <OwnedOrganizations
          name={nameOf(user)}
          organizations={owned}
          settled={settled}
          onSettled={(id) => setSettled((before) => [...before, id])}
        />
      )}
      <Going user={user} impact={impact} />
      {!isBlocked && (
        <>
          <Text size="sm">{t('directory.deletion.confirmLead')}</Text>
          <Form
            form={form}
            submit={t('directory.deletion.submit')}
            color="red"
            disabled={form.values.email.trim() === ''}
            send={() =>
              erase().catch((error: unknown) => {
                if (!isRefusal(error, 'sole_owner')) throw error
                setOwned(error.problem.organizations ?? [])
                setSettled([])
                throw error
              })
            }
            onDone={async () => {
              onClose()
              notifications.show({ message: t('directory.deletion.done', { name: nameOf(user) }) })
              forgetUnsaved()
              await navigate({ to: '/admin/users' })
              queries.removeQueries({ queryKey: userQuery(user.id).queryKey })
              void queries.invalidateQueries({ queryKey: usersKey })
              void queries.invalidateQueries({ queryKey: ['admin'] })
            }}
          >
            <TextInput
              {...form.getInputProps('email')}
              label={t('directory.deletion.email', { email: user.email })}
              autoComplete="off"
              autoCapitalize="off"
              spellCheck={false}
              autoFocus // what the deletion would do was read first, after the dialog had opened
            />
          </Form>
        </>
      )}
    </Stack>
  )
}

/** What goes with the account. */
function Going({ user, impact: { counts, deletedOrganizations } }: Pick<DeletionProps, 'user' | 'impact'>) {
  const { t } = useTranslation()
  const title = useId()
  const counted = (['sessions', 'memberships', 'invitationsSent', 'invitationsReceived'] as const).filter(
    (what) => counts[what] > 0,
  )
  return (
    <div>
      <Text id={title} size="sm" fw={600} mb={4}>
        {t('directory.deletion.goes')}
      </Text>
      <ul className={classes.going} aria-labelledby={title}>
        <li>{t('directory.deletion.profile', { email: user.email })}</li>
        {counted.map((what) => (
          <li key={what}>{t(`directory.deletion.${what}`, { count: counts[what] })}</li>
        ))}
        {deletedOrganizations.map(({ id, name }) => (
          <li key={id}>
            <TextLink to="/admin/organizations/$organizationId" params={{ organizationId: id }} inherit>
              {name}
            </TextLink>
            {t('directory.deletion.organizationGoes')}
          </li>
        ))}
        <li>{t('directory.deletion.traces')}</li>
      </ul>
    </div>
  )
}

interface OwnedOrganizationsProps {
  readonly name: string
  readonly organizations: readonly Owned[]
  /** The ids of settled organizations. They are hidden and stay rendered while their dialogs close. */
  readonly settled: readonly string[]
  readonly onSettled: (id: string) => void
}

/** The organizations that block the deletion, and how to settle them. */
function OwnedOrganizations({ name, organizations, settled, onSettled }: OwnedOrganizationsProps) {
  const { t } = useTranslation()
  const alert = useRef<HTMLDivElement>(null)
  // The form was reset and has lost the focus.
  // biome-ignore lint/correctness/useExhaustiveDependencies: each time the deletion is blocked
  useEffect(() => alert.current?.focus(), [organizations])
  return (
    <div className={classes.owned} hidden={organizations.length === settled.length}>
      <Alert ref={alert} tabIndex={-1} color="yellow" role="alert" title={t('directory.deletion.soleOwner', { name })}>
        {t('directory.deletion.soleOwnerLead')}
      </Alert>
      <ul className={listClasses.framed} aria-label={t('directory.deletion.owned')}>
        {organizations.map((organization) => (
          <li key={organization.id} className={listClasses.item} hidden={settled.includes(organization.id)}>
            <div className={listClasses.words}>
              <TextLink
                to="/admin/organizations/$organizationId"
                params={{ organizationId: organization.id }}
                className={listClasses.what ?? ''}
                inherit
              >
                {organization.name}
              </TextLink>
              <p className={listClasses.hint}>{organization.slug}</p>
            </div>
            <TransferOrganization size="xs" organization={organization} onDone={() => onSettled(organization.id)} />
            <DeleteOrganization size="xs" organization={organization} onDone={() => onSettled(organization.id)} />
          </li>
        ))}
      </ul>
    </div>
  )
}
