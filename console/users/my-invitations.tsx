/** The invitations to the caller. They are shown only if the caller's address is verified. */
import { Button, Group } from '@mantine/core'
import { notifications } from '@mantine/notifications'
import { useMutation } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { api, ask, type Schemas } from '../api/client.ts'
import { queries } from '../api/queries.ts'
import { useEndDate } from '../organizations/ends.tsx'
import { offerInWords } from '../organizations/grants.tsx'
import { Confirm } from '../parts/confirm.tsx'
import { More, useEndless } from '../parts/endless.tsx'
import { ButtonLink } from '../parts/links.tsx'
import listClasses from '../parts/list.module.css'
import { Page } from '../parts/page.tsx'
import { Picture } from '../parts/picture.tsx'
import { Empty, LoadingOrFailed } from '../parts/states.tsx'
import { Time } from '../parts/time.tsx'
import { WithDates } from '../parts/with-dates.tsx'
import classes from './me.module.css'
import { useMe } from './me.ts'
import '../texts/audit.ts'

type Invitation = Schemas['Invitation']

const key = ['users', 'me', 'invites']

export function MyInvitationsPage() {
  const { t } = useTranslation()
  const { query, items } = useEndless(key, (cursor) =>
    ask(api.GET('/api/users/me/invites', { params: { query: { ...(cursor !== undefined && { cursor }) } } })),
  )
  const [declined, setDeclined] = useState<Invitation>()
  const [isDeclining, setDeclining] = useState(false)
  return (
    <Page title={t('users.invitations.title')}>
      {!query.isSuccess && items.length === 0 ? (
        <LoadingOrFailed query={query} rows={2} />
      ) : items.length === 0 ? (
        <None />
      ) : (
        <ul className={listClasses.framed} aria-label={t('users.invitations.title')}>
          {items.map((invitation) => (
            <Item
              key={invitation.id}
              invitation={invitation}
              onDecline={() => {
                setDeclined(invitation)
                setDeclining(true)
              }}
            />
          ))}
        </ul>
      )}
      <More query={query} />
      <Confirm
        title={t('users.invitations.declineTitle', { organization: declined?.organization.name ?? '' })}
        submit={t('users.invitations.decline')}
        isOpen={isDeclining}
        onClose={() => setDeclining(false)}
        act={() => (declined ? decline(declined) : Promise.resolve())}
        onDone={async () => {
          await queries.invalidateQueries({ queryKey: ['users', 'me'] })
          notifications.show({ message: t('users.invitations.declined') })
        }}
      >
        {t('users.invitations.declineLead')}
      </Confirm>
    </Page>
  )
}

function decline({ id: inviteId }: Invitation) {
  return ask(api.POST('/api/invites/{inviteId}/decline', { params: { path: { inviteId } } }))
}

function Item({ invitation, onDecline }: { readonly invitation: Invitation; readonly onDecline: () => void }) {
  const { t } = useTranslation()
  const navigate = useNavigate()
  const dateOf = useEndDate()
  const { id, organization, role, invitedBy, expiresAt } = invitation
  const accepting = useMutation({
    mutationFn: () => ask(api.POST('/api/invites/{inviteId}/accept', { params: { path: { inviteId: id } } })),
    onSuccess: async ({ organization: { slug, name } }) => {
      void queries.invalidateQueries({ queryKey: ['organizations'] })
      await navigate({ to: '/organizations/$orgId', params: { orgId: slug } })
      void queries.invalidateQueries({ queryKey: ['users', 'me'] })
      notifications.show({ message: t('users.invitations.joined', { organization: name }) })
    },
    // Whatever the reason: the address may be another one by now, and an answer that was lost may have been an acceptance.
    onError: () => void queries.invalidateQueries({ queryKey: key }),
  })
  return (
    <li className={classes.item}>
      <Picture url={organization.logoUrl} name={organization.name} id={organization.id} size={40} shape="square" />
      <div className={classes.about}>
        <span className={classes.title}>{organization.name}</span>
        <p className={`${classes.quiet} ${listClasses.facts}`}>
          <span>
            <WithDates>
              {t('users.invitations.from', {
                inviter: invitedBy?.name ?? t('users.invitations.somebody'),
                role: offerInWords(t(`audit.roles.organization.${role}`), invitation, dateOf),
              })}
            </WithDates>
          </span>{' '}
          <span>
            {t('users.invitations.until')} <Time iso={expiresAt} isListed />
          </span>
        </p>
      </div>
      <Group gap="xs">
        <Button
          variant="default"
          aria-label={t('users.invitations.declineNamed', { organization: organization.name })}
          onClick={onDecline}
        >
          {t('users.invitations.decline')}
        </Button>
        <Button
          loading={accepting.isPending}
          aria-label={t('users.invitations.acceptNamed', { organization: organization.name })}
          onClick={() => accepting.mutate()}
        >
          {t('users.invitations.accept')}
        </Button>
      </Group>
    </li>
  )
}

function None() {
  const { t } = useTranslation()
  const { email, emailVerified } = useMe()
  return emailVerified ? (
    <Empty title={t('users.invitations.noneTitle')}>{t('users.invitations.noneLead', { email })}</Empty>
  ) : (
    <Empty
      title={t('users.invitations.unverifiedTitle')}
      action={
        <ButtonLink to="/me/security" variant="default">
          {t('users.invitations.toEmail')}
        </ButtonLink>
      }
    >
      {t('users.invitations.unverifiedLead', { email })}
    </Empty>
  )
}
