/**
 * The page of a link to join: what it offers, and joining, for every visitor.
 *
 * Invariant: the token is in the fragment of the address, in the memory of the page, and in the history's entry of a page that leads back
 * here; in storage only while the tab visits a provider.
 */
import { Stack, Text } from '@mantine/core'
import { useForm } from '@mantine/form'
import { queryOptions, useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import { api, ask, type Schemas } from '../api/client.ts'
import { isRefusal } from '../api/refusal.ts'
import { Pictures } from '../organizations/acceptance-preview.tsx'
import { MemberAlready, SignedInAs, useLanding } from '../organizations/acceptance-task.tsx'
import { Form } from '../parts/form.tsx'
import { ButtonLink, TextLink } from '../parts/links.tsx'
import { Failed, Loading } from '../parts/states.tsx'
import { Task } from '../parts/task.tsx'
import { type MailedLink, OfLink } from '../sign-in/mailed-link.tsx'
import { beginSession } from '../sign-in/session.ts'
import { WaysIn } from '../sign-in/ways-in.tsx'
import { useTenant } from '../tenants/tenant.ts'
import { callerQuery } from '../users/me.ts'
import { VerifyFirst } from '../users/verification.tsx'
import '../texts/inside.ts'
import '../theme/more-components.css'

/** Reads what the link offers. Its key contains the token, and stays in memory. */
const previewQuery = (token: string) =>
  queryOptions({
    queryKey: ['links', 'preview', token],
    queryFn: () => ask(api.POST('/api/links/preview', { body: { token } })),
    staleTime: 0,
    gcTime: 0,
    refetchOnWindowFocus: false,
  })

type Preview = Awaited<ReturnType<NonNullable<ReturnType<typeof previewQuery>['queryFn']>>>

/** Looks for the organization among the caller's own: most are no members yet, and asking for it would fail. */
const membershipQuery = ({ id, slug }: Preview['organization'], userId: string) =>
  queryOptions({
    queryKey: ['links', 'membership', id, userId],
    queryFn: () =>
      ask(api.GET('/api/organizations', { params: { query: { query: slug } } })).then(
        ({ data }) => data.find((each) => each.id === id) ?? null,
      ),
    staleTime: 0,
    gcTime: 0,
    refetchOnWindowFocus: false,
  })

export function JoinPage() {
  const { t } = useTranslation()
  return <OfLink incompleteLead={t('signIn.join.incompleteLead')}>{(link) => <OpenLink {...link} />}</OfLink>
}

function OpenLink(link: MailedLink) {
  const { t } = useTranslation()
  const preview = useQuery(previewQuery(link.token))
  const caller = useQuery(callerQuery)
  const failed = preview.error ?? caller.error
  if (isRefusal(failed, 'link_ended', 'not_found', 'invalid_request', 'tenant_mismatch'))
    return (
      <Task title={t('signIn.join.endedTitle')} lead={t('signIn.join.endedLead')}>
        <ButtonLink to="/" variant="default" fullWidth>
          {t('general.goHome')}
        </ButtonLink>
      </Task>
    )
  if (preview.data === undefined || caller.data === undefined)
    return (
      <Task title={t('signIn.join.loading')}>
        {failed ? (
          <Failed error={failed} retry={() => Promise.all([preview.refetch(), caller.refetch()])} />
        ) : (
          <Loading />
        )}
      </Task>
    )
  return caller.data === null ? (
    <Outside link={link} preview={preview.data} />
  ) : (
    <Inside link={link} preview={preview.data} caller={caller.data} />
  )
}

interface Parts {
  readonly link: MailedLink
  readonly preview: Preview
}

/** Signed in: one click, if the address is verified. */
function Inside({ link, preview, caller }: Parts & { readonly caller: Schemas['User'] }) {
  const { t } = useTranslation()
  const form = useForm({ initialValues: {} })
  const land = useLanding()
  const membership = useQuery(membershipQuery(preview.organization, caller.id))
  if (membership.isPending)
    return (
      <Task title={t('signIn.join.loading')}>
        <Loading />
      </Task>
    )
  if (membership.data) return <MemberAlready organization={membership.data} />
  return (
    <Offer preview={preview}>
      <SignedInAs caller={caller} />
      {caller.emailVerified ? (
        <Form
          form={form}
          submit={t('signIn.join.submit')}
          fullWidth
          final={['removed_member', 'membership_suspended']}
          send={() => join(link.token)}
          onDone={land}
        />
      ) : (
        <VerifyFirst lead={t('signIn.join.verifyFirst')} />
      )}
    </Offer>
  )
}

/** Signed out: a link lets nobody sign up, so an account comes first. Its token must not come into a query. */
function Outside({ link, preview }: Parts) {
  const { t } = useTranslation()
  const { signUp } = useTenant()
  const next = `/join#token=${link.token}`
  return (
    <Offer
      preview={preview}
      others={
        signUp === 'open' && (
          <span>
            {t('signIn.signIn.noAccount')}{' '}
            <TextLink to="/sign-up" state={{ next }} inherit>
              {t('signIn.signIn.signUp')}
            </TextLink>
          </span>
        )
      }
    >
      <WaysIn
        submit={t('signIn.join.signInSubmit')}
        next={next}
        then={async (user) => beginSession(user)}
        onDone={() => {}}
      />
    </Offer>
  )
}

async function join(token: string): Promise<Schemas['Organization']> {
  const { organization } = await ask(api.POST('/api/links/join', { body: { token } }))
  return organization
}

interface OfferProps {
  readonly preview: Preview
  readonly children: ReactNode
  readonly others?: ReactNode
}

function Offer({ preview, children, others }: OfferProps) {
  const { t } = useTranslation()
  const { organization, invitedBy, roles, emailDomains } = preview
  const names = roles.filter(({ key }) => key !== 'member').map(({ name }) => name)
  return (
    <Task
      picture={<Pictures organization={organization} invitedBy={invitedBy} />}
      title={t('signIn.invitation.title', { organization: organization.name })}
      lead={
        invitedBy?.name == null
          ? t('signIn.join.leadUnnamed', { organization: organization.name })
          : t('signIn.join.lead', { maker: invitedBy.name })
      }
      others={others}
    >
      <Stack gap="lg">
        {names.length > 0 && <Text size="sm">{t('signIn.join.roles', { roles: names.join(', ') })}</Text>}
        {emailDomains.length > 0 && (
          <Text size="sm">{t('signIn.join.domains', { domains: emailDomains.join(', ') })}</Text>
        )}
        {children}
      </Stack>
    </Task>
  )
}
