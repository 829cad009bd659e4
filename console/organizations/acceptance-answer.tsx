/** Answering an invitation: with one click for the invited person, after signing in or up for a signed-out visitor. */
import { Alert, Button, Stack, Text } from '@mantine/core'
import { useForm } from '@mantine/form'
import { notifications } from '@mantine/notifications'
import { useMutation } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { type ReactNode, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { api, asCookie, ask, type Schemas } from '../api/client.ts'
import { queries } from '../api/queries.ts'
import { isRefusal } from '../api/refusal.ts'
import { Confirm } from '../parts/confirm.tsx'
import { Form } from '../parts/form.tsx'
import { ButtonLink } from '../parts/links.tsx'
import { Picture } from '../parts/picture.tsx'
import { Task } from '../parts/task.tsx'
import type { MailedLink } from '../sign-in/mailed-link.tsx'
import { beginSession, leaveSession } from '../sign-in/session.ts'
import { SignInForm } from '../sign-in/sign-in-form.tsx'
import { type BareAccount, type NewAccount, SignUpForm } from '../sign-in/sign-up-form.tsx'
import { readTenantAgain, useTenant } from '../tenants/tenant.ts'
import { callerQuery } from '../users/me.ts'
import classes from './acceptance.module.css'
import { Pictures, type Preview, previewQuery, Terms } from './acceptance-preview.tsx'

interface AnswerProps {
  readonly link: MailedLink
  readonly invitation: Preview
}

type User = Schemas['User']

export function InvitationAnswer({ caller, ...props }: AnswerProps & { readonly caller: User | null }) {
  const [isLanding, setLanding] = useState(false)
  if (caller === null || isLanding) return <AnswerOutside {...props} onLanding={() => setLanding(true)} />
  if (caller.email === props.invitation.email) return <AnswerInside {...props} caller={caller} />
  return <ForAnother {...props} caller={caller} />
}

/** The token proves that its holder reads the mail of the invited address, so it verifies the address. */
async function verifyByToken({ token }: MailedLink, { emailVerified }: User): Promise<void> {
  if (emailVerified) return
  try {
    await ask(api.POST('/api/auth/verify-email', { body: { token } }))
  } catch (error) {
    if (!isRefusal(error, 'token_spent')) throw error // accepting will then be refused with `email_not_verified`
  }
}

async function accept(link: MailedLink, { id }: Preview, user: User): Promise<Schemas['Organization']> {
  await verifyByToken(link, user)
  const { organization } = await ask(api.POST('/api/invites/{inviteId}/accept', { params: { path: { inviteId: id } } }))
  return organization
}

/** The invitation has changed since the page was read: the page shows its new state. */
async function readAgain(link: MailedLink): Promise<void> {
  await Promise.all([queries.invalidateQueries({ queryKey: previewQuery(link.token).queryKey }), readTenantAgain()])
}

/** For `catch`: throws the refusal again, after updating the page. */
const refusedBy = (link: MailedLink) => async (error: unknown) => {
  if (!isRefusal(error, 'invalid_request', 'rate_limited')) await readAgain(link)
  throw error
}

/** The page of the organization replaces this one, and its address with the token. */
function useLanding() {
  const { t } = useTranslation()
  const navigate = useNavigate()
  return async ({ slug, name }: Pick<Schemas['Organization'], 'slug' | 'name'>) => {
    await queries.invalidateQueries({ queryKey: ['organizations'] })
    await queries.fetchQuery({ ...callerQuery, staleTime: 0 }) // their address may be verified now
    await navigate({ to: '/organizations/$orgId', params: { orgId: slug }, replace: true })
    notifications.show({ message: t('users.invitations.joined', { organization: name }) })
  }
}

function Invitation({ invitation, children, others }: Omit<AnswerProps, 'link'> & Parts) {
  const { t } = useTranslation()
  const { organization, invitedBy, role } = invitation
  const inviter = invitedBy?.name
  return (
    <Task
      picture={<Pictures invitation={invitation} />}
      title={t('signIn.invitation.title', { organization: organization.name })}
      lead={
        inviter == null
          ? t(`signIn.invitation.leadUnnamed.${role}`, { organization: organization.name })
          : t(`signIn.invitation.lead.${role}`, { inviter })
      }
      others={others}
    >
      <Stack gap="lg">
        <Terms invitation={invitation} />
        {children}
      </Stack>
    </Task>
  )
}

interface Parts {
  readonly children: ReactNode
  readonly others?: ReactNode
}

/** Signed out: sign-in if the address has an account, sign-up if it may get one. */
function AnswerOutside({ link, invitation, onLanding }: AnswerProps & { readonly onLanding: () => void }) {
  const { t } = useTranslation()
  const { email, hasAccount } = invitation
  const { name: tenant, signUp, signIn } = useTenant()
  const land = useLanding()

  // Signed in but not joined: the page shows why.
  const acceptAs = async (user: User) => {
    try {
      return { user, organization: await accept(link, invitation, user) }
    } catch {
      return { user, organization: undefined }
    }
  }
  const join = async (account: NewAccount | BareAccount) => {
    const body = { ...account, invitationToken: link.token }
    return acceptAs((await ask(api.POST('/api/auth/sign-up', { body, params: asCookie })).catch(refusedBy(link))).user)
  }
  const onDone = async ({ user, organization }: Awaited<ReturnType<typeof acceptAs>>) => {
    if (organization) onLanding() // the form stays until the page of the organization is loaded
    beginSession(user)
    if (organization) await land(organization)
    else await readAgain(link)
  }

  if (!hasAccount && signUp === 'closed')
    return (
      <Invitation invitation={invitation}>
        <Alert color="yellow" title={t('signIn.invitation.closedTitle', { tenant })}>
          {t('signIn.invitation.closedLead', { tenant, email })}
        </Alert>
      </Invitation>
    )

  return (
    <Invitation
      invitation={invitation}
      others={
        <>
          <span>{t('signIn.invitation.anotherAddress')}</span>
          <span>{t('signIn.invitation.ignore')}</span>
        </>
      }
    >
      <Text size="sm">{t(hasAccount ? 'signIn.invitation.signInLead' : 'signIn.invitation.signUpLead')}</Text>
      {hasAccount ? (
        <SignInForm
          submit={t('signIn.invitation.signInSubmit')}
          email={email}
          isFixed
          then={acceptAs}
          onDone={onDone}
        />
      ) : (
        <SignUpForm
          submit={t('signIn.invitation.signUpSubmit')}
          email={email}
          isFixed
          send={join}
          sendBare={signIn.mailCodes ? join : undefined}
          onDone={onDone}
        />
      )}
    </Invitation>
  )
}

/** The invited person: one click. */
function AnswerInside({ link, invitation, caller }: AnswerProps & { readonly caller: User }) {
  const { t } = useTranslation()
  const { id, organization } = invitation
  const form = useForm({ initialValues: {} })
  const land = useLanding()
  const [isDeclining, setDeclining] = useState(false)
  return (
    <Invitation invitation={invitation}>
      <Me caller={caller} />
      <Form
        form={form}
        submit={t('signIn.invitation.accept')}
        send={() => accept(link, invitation, caller).catch(refusedBy(link))}
        onDone={land}
        others={
          <Button variant="default" onClick={() => setDeclining(true)}>
            {t('signIn.invitation.decline')}
          </Button>
        }
      />
      <Confirm
        title={t('signIn.invitation.declineTitle')}
        submit={t('signIn.invitation.decline')}
        isOpen={isDeclining}
        onClose={() => setDeclining(false)}
        act={async () => {
          await verifyByToken(link, caller)
          await ask(api.POST('/api/invites/{inviteId}/decline', { params: { path: { inviteId: id } } })).catch(
            refusedBy(link),
          )
        }}
        onDone={() => {
          link.spend({ declined: organization.name })
          return queries.invalidateQueries({ queryKey: callerQuery.queryKey })
        }}
      >
        {t('signIn.invitation.declineLead', { organization: organization.name })}
      </Confirm>
    </Invitation>
  )
}

function Me({ caller: { avatarUrl, name, email } }: { readonly caller: User }) {
  const { t } = useTranslation()
  return (
    <div className={classes.me}>
      <Picture url={avatarUrl} name={name ?? email} size={28} />
      <span>{t('signIn.invitation.signedInAs', { email })}</span>
    </div>
  )
}

/** Signed in as somebody else. Signing out stays on this page, which then offers signing in as the invited person. */
function ForAnother({ invitation, caller }: AnswerProps & { readonly caller: User }) {
  const { t } = useTranslation()
  const leaving = useMutation({ mutationFn: leaveSession })
  return (
    <Invitation invitation={invitation}>
      <div>
        <Text fw={600}>{t('signIn.invitation.otherTitle')}</Text>
        <Text size="sm" c="dimmed">
          {t('signIn.invitation.other', { email: invitation.email, mine: caller.email })}
        </Text>
      </div>
      <Stack gap="sm">
        <Button fullWidth loading={leaving.isPending} onClick={() => leaving.mutate()}>
          {t('signIn.invitation.switch')}
        </Button>
        <ButtonLink to="/organizations" variant="default" fullWidth>
          {t('signIn.invitation.stay')}
        </ButtonLink>
      </Stack>
    </Invitation>
  )
}
