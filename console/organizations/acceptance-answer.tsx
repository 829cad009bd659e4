/** Answering an invitation: with one click for the invited person, after signing in or up for a signed-out visitor. */
import { Button, Stack, Text } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { api, ask, type Schemas } from '../api/client.ts'
import { queries } from '../api/queries.ts'
import { Confirm } from '../parts/confirm.tsx'
import { Form, RefusedInFocus } from '../parts/form.tsx'
import { ButtonLink } from '../parts/links.tsx'
import { leaveSession } from '../sign-in/session.ts'
import { callerQuery } from '../users/me.ts'
import { AnswerOutside } from './acceptance-outside.tsx'
import {
  type AnswerProps,
  accept,
  Invitation,
  refusedBy,
  SignedInAs,
  useLanding,
  verifyByToken,
} from './acceptance-task.tsx'

type User = Schemas['User']

export function InvitationAnswer({ caller, ...props }: AnswerProps & { readonly caller: User | null }) {
  const [isLanding, setLanding] = useState(false)
  /** Why somebody who has just signed in here has not joined. */
  const [refused, setRefused] = useState<unknown>()
  if (caller === null || isLanding)
    return <AnswerOutside {...props} onLanding={() => setLanding(true)} onRefused={setRefused} />
  if (caller.email === props.invitation.email)
    return <AnswerInside {...props} caller={caller} refused={refused} onRetry={() => setRefused(undefined)} />
  return <ForAnother {...props} caller={caller} />
}

interface InsideProps extends AnswerProps {
  readonly caller: User
  readonly refused: unknown
  readonly onRetry: () => void
}

/** The invited person: one click. */
function AnswerInside({ link, invitation, caller, refused, onRetry }: InsideProps) {
  const { t } = useTranslation()
  const { id, organization } = invitation
  const form = useForm({ initialValues: {} })
  const land = useLanding()
  const [isDeclining, setDeclining] = useState(false)
  return (
    <Invitation invitation={invitation}>
      <SignedInAs caller={caller} />
      {refused !== undefined && <RefusedInFocus error={refused} />}
      <Form
        form={form}
        submit={t('signIn.invitation.accept')}
        send={() => {
          onRetry()
          return accept(link, invitation, caller).catch(refusedBy(link))
        }}
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
