/** Answering an invitation as a signed-out visitor. */
import { Alert } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import { api, asCookie, ask, type Schemas } from '../api/client.ts'
import { OtherWays } from '../sign-in/other-ways.tsx'
import { beginSession } from '../sign-in/session.ts'
import { type BareAccount, type NewAccount, SignUpForm } from '../sign-in/sign-up-form.tsx'
import { WaysIn } from '../sign-in/ways-in.tsx'
import { useTenant } from '../tenants/tenant.ts'
import { type AnswerProps, accept, Invitation, readAgain, refusedBy, useLanding } from './acceptance-task.tsx'

type User = Schemas['User']

interface OutsideProps extends AnswerProps {
  readonly onLanding: () => void
  /** Is called before the page shows who is signed in. */
  readonly onRefused: (error: unknown) => void
}

/** Signed out: sign-in if the address has an account, sign-up if it may get one. */
export function AnswerOutside({ link, invitation, onLanding, onRefused }: OutsideProps) {
  const { t } = useTranslation()
  const { email, hasAccount } = invitation
  const { name: tenant, signUp, signIn } = useTenant()
  const land = useLanding()
  const next = `/invitation#token=${link.token}` // a provider leads back here

  // Signed in but not joined: the page shows why.
  const acceptAs = async (user: User) => {
    try {
      return { user, organization: await accept(link, invitation, user) }
    } catch (refused) {
      return { user, refused }
    }
  }
  const join = async (account: NewAccount | BareAccount) => {
    const body = { ...account, invitationToken: link.token }
    return acceptAs((await ask(api.POST('/api/auth/sign-up', { body, params: asCookie })).catch(refusedBy(link))).user)
  }
  const onDone = async ({ user, organization, refused }: Awaited<ReturnType<typeof acceptAs>>) => {
    if (organization) onLanding() // the form stays until the page of the organization is loaded
    onRefused(refused)
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
      {hasAccount ? (
        <WaysIn
          submit={t('signIn.invitation.signInSubmit')}
          email={email}
          isFixed
          next={next}
          invitationToken={link.token}
          then={acceptAs}
          onDone={onDone}
        />
      ) : (
        <div>
          <SignUpForm
            submit={t('signIn.invitation.signUpSubmit')}
            email={email}
            isFixed
            send={join}
            sendBare={signIn.mailCodes ? join : undefined}
            onDone={onDone}
          />
          <OtherWays
            next={next}
            invitationToken={link.token}
            isNew
            onDone={async (user) => onDone(await acceptAs(user))}
            onStep={() => {}}
          />
        </div>
      )}
    </Invitation>
  )
}
