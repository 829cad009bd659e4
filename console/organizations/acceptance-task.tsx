/** What all answers to an invitation share: the page around them, accepting, and what comes after. */
import { Anchor, Stack } from '@mantine/core'
import { notifications } from '@mantine/notifications'
import { useMutation } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import { api, ask, type Schemas } from '../api/client.ts'
import { queries } from '../api/queries.ts'
import { isRefusal } from '../api/refusal.ts'
import { HomeButton, useHome } from '../applications/home.tsx'
import { ButtonLink } from '../parts/links.tsx'
import { Picture } from '../parts/picture.tsx'
import { Task } from '../parts/task.tsx'
import type { MailedLink } from '../sign-in/mailed-link.tsx'
import { leaveSession } from '../sign-in/session.ts'
import { readTenantAgain } from '../tenants/tenant.ts'
import { BusyButton } from '../theme/busy-button.tsx'
import { callerQuery } from '../users/me.ts'
import classes from './acceptance.module.css'
import { Expiry, Pictures, type Preview, previewQuery, Terms } from './acceptance-preview.tsx'

export interface AnswerProps {
  readonly link: MailedLink
  readonly invitation: Preview
}

type User = Schemas['User']

/** The token proves that its holder reads the mail of the invited address, so it verifies the address. */
export async function verifyByToken({ token }: MailedLink, { emailVerified }: User): Promise<void> {
  if (emailVerified) return
  try {
    await ask(api.POST('/api/auth/verify-email', { body: { token } }))
  } catch (error) {
    if (!isRefusal(error, 'token_spent')) throw error // accepting will then be refused with `email_not_verified`
  }
}

export async function accept(link: MailedLink, { id }: Preview, user: User): Promise<Schemas['Organization']> {
  await verifyByToken(link, user)
  const { organization } = await ask(api.POST('/api/invites/{inviteId}/accept', { params: { path: { inviteId: id } } }))
  return organization
}

/** The invitation has changed since the page was read: the page shows its new state. */
export async function readAgain(link: MailedLink): Promise<void> {
  await Promise.all([queries.invalidateQueries({ queryKey: previewQuery(link.token).queryKey }), readTenantAgain()])
}

/** For `catch`: throws the refusal again, after updating the page. */
export const refusedBy = (link: MailedLink) => async (error: unknown) => {
  if (!isRefusal(error, 'invalid_request', 'rate_limited')) await readAgain(link)
  throw error
}

/** Another page replaces this one, and its address with the token: that of the organization, or one that leads to the home application. */
export function useLanding() {
  const { t } = useTranslation()
  const navigate = useNavigate()
  const home = useHome()
  return async ({ id, slug, name }: Pick<Schemas['Organization'], 'id' | 'slug' | 'name'>) => {
    await queries.invalidateQueries({ queryKey: ['organizations'] })
    await queries.fetchQuery({ ...callerQuery, staleTime: 0 }) // their address may be verified now
    if (home) return navigate({ to: '/invitation', replace: true, state: { joined: { id, slug, name } } })
    await navigate({ to: '/organizations/$orgId', params: { orgId: slug }, replace: true })
    notifications.show({ message: t('users.invitations.joined', { organization: name }) })
  }
}

export function Invitation({ invitation, children, others }: Omit<AnswerProps, 'link'> & Parts) {
  const { t } = useTranslation()
  const { organization, invitedBy, role } = invitation
  const inviter = invitedBy?.name
  return (
    <Task
      picture={<Pictures {...invitation} />}
      title={t('signIn.invitation.title', { organization: organization.name })}
      lead={
        inviter == null
          ? t(`signIn.invitation.leadUnnamed.${role}`, { organization: organization.name })
          : t(`signIn.invitation.lead.${role}`, { inviter })
      }
      others={
        <>
          <Expiry expiresAt={invitation.expiresAt} />
          {others}
        </>
      }
    >
      <Stack gap="lg">
        <Terms invitation={invitation} />
        {children}
      </Stack>
    </Task>
  )
}

type Joined = Pick<Schemas['Organization'], 'id' | 'slug' | 'name'>

/** Where the tenant has a home application, people go on to it. */
export function ToOrganization({ organization: { id, slug, name } }: { readonly organization: Joined }) {
  const { t } = useTranslation()
  const home = useHome(id)
  return (
    <Stack gap="sm">
      {home && <HomeButton home={home} />}
      <ButtonLink to="/organizations/$orgId" params={{ orgId: slug }} variant={home ? 'default' : 'filled'} fullWidth>
        {t(home ? 'signIn.invitation.stayHere' : 'signIn.invitation.toOrganization', { organization: name })}
      </ButtonLink>
    </Stack>
  )
}

/** Opens an invitation or a link that has nothing to give. */
export function MemberAlready({ organization }: { readonly organization: Joined }) {
  const { t } = useTranslation()
  return (
    <Task key="member" title={t('signIn.invitation.memberTitle', { organization: organization.name })}>
      <ToOrganization organization={organization} />
    </Task>
  )
}

/** Who is signed in, and a way out for somebody else. It stays on the page, which then asks them to sign in. */
export function SignedInAs({ caller: { id, avatarUrl, name, email } }: { readonly caller: User }) {
  const { t } = useTranslation()
  const leaving = useMutation({ mutationFn: leaveSession })
  return (
    <div className={classes.me}>
      <Picture url={avatarUrl} name={name ?? email} id={id} size={28} />
      <p className={classes.words}>
        <bdi>{t('signIn.invitation.signedInAs', { email })}</bdi>{' '}
        <span className={classes.notYou}>
          {t('signIn.invitation.notYou')}{' '}
          <Anchor
            component={BusyButton}
            data-loading={leaving.isPending}
            inherit
            underline="always"
            onClick={() => leaving.mutate()}
          >
            {t('signIn.invitation.switch')}
          </Anchor>
        </span>
      </p>
    </div>
  )
}

interface Parts {
  readonly children: ReactNode
  readonly others?: ReactNode
}
