/** The step of an authorization in which the signed-in user says for which organization: one of theirs, an invitation, or a new one. */
import { Button, Divider, Loader, Stack, Text, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { IconChevronRight } from '@tabler/icons-react'
import { useMutation, useQuery } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import { api, ask, type Schemas } from '../api/client.ts'
import { isId } from '../api/ids.ts'
import { queries } from '../api/queries.ts'
import { readOrganizationsAgain } from '../organizations/organization.ts'
import { More, useEndless } from '../parts/endless.tsx'
import { Form, Refused } from '../parts/form.tsx'
import listClasses from '../parts/list.module.css'
import { Picture } from '../parts/picture.tsx'
import { LoadingOrFailed } from '../parts/states.tsx'
import { BusyButton } from '../theme/busy-button.tsx'
import { waitingInvitationsQuery } from '../users/waiting-invitations.ts'
import classes from './applications.module.css'
import { ApplicationTask, type StepProps, Who } from './authorize-task.tsx'

interface ChoiceProps extends StepProps {
  readonly isAnswering: boolean
  /** The id of the organization for which it is answered. */
  readonly chosen: string | undefined
}

export function ChooseOrganization({ isAnswering, chosen, ...props }: ChoiceProps) {
  const { t } = useTranslation()
  const { application, caller, goOn, refused } = props
  const { query, items } = useEndless(['organizations', { for: 'authorization' }], (cursor) =>
    ask(api.GET('/api/organizations', { params: { query: { ...(cursor !== undefined && { cursor }) } } })),
  )
  const usable = items.filter(({ membership }) => membership?.status !== 'suspended')
  const { data: invitations } = useQuery(waitingInvitationsQuery)
  const waiting = invitations?.data ?? []
  const isNone = query.isSuccess && usable.length === 0
  return (
    <ApplicationTask
      {...props}
      title={t(
        isNone && waiting.length === 0 ? 'authorization.organization.first' : 'authorization.organization.title',
      )}
    >
      <Stack gap="lg">
        {refused}
        <Who caller={caller} />
        {!query.isSuccess && items.length === 0 ? (
          <LoadingOrFailed query={query} rows={2} />
        ) : (
          <>
            {usable.length > 0 && (
              <ul className={listClasses.framed} aria-label={t('authorization.organization.yours')}>
                {usable.map(({ id, name, logoUrl }) => {
                  const isChosen = isAnswering && id === chosen
                  return (
                    <li key={id}>
                      <BusyButton
                        className={classes.choice}
                        disabled={isAnswering}
                        data-loading={isChosen}
                        onClick={() => goOn(id)}
                      >
                        <Picture url={logoUrl} name={name} id={id} size={32} shape="square" />
                        <span className={classes.words}>{name}</span>
                        {isChosen ? (
                          <Loader size={16} aria-hidden />
                        ) : (
                          <IconChevronRight size={16} stroke={1.6} aria-hidden />
                        )}
                      </BusyButton>
                    </li>
                  )
                })}
              </ul>
            )}
            <More query={query} />
            {waiting.length > 0 && <Invitations invitations={waiting} goOn={goOn} isAnswering={isAnswering} />}
            {usable.length + waiting.length > 0 && <Divider label={t('signIn.ways.or')} />}
            <NewOrganization
              application={application.name}
              goOn={goOn}
              isAnswering={isAnswering}
              isFirst={usable.length + waiting.length === 0}
            />
          </>
        )}
      </Stack>
    </ApplicationTask>
  )
}

interface OutsideProps extends StepProps {
  /** Its id or slug, as the application names it. */
  readonly organization: string
}

/** The application is about one organization, and the signed-in user is no member of it. */
export function OutsideOrganization({ organization, ...props }: OutsideProps) {
  const { t } = useTranslation()
  const { application, caller, goOn, refused } = props
  const { data: invitations } = useQuery(waitingInvitationsQuery)
  const waiting = (invitations?.data ?? []).filter(({ organization: { id, slug } }) =>
    [id, slug].includes(organization),
  )
  const values = { application: application.name, organization }
  return (
    <ApplicationTask
      {...props}
      title={t('authorization.organization.outside')}
      lead={t(
        isId('org', organization)
          ? 'authorization.organization.outsideLead'
          : 'authorization.organization.outsideNamed',
        values,
      )}
    >
      <Stack gap="lg">
        {refused}
        <Who caller={caller} />
        {waiting.length > 0 ? (
          <Invitations invitations={waiting} goOn={() => goOn()} />
        ) : (
          <Text size="sm">{t('authorization.organization.outsideHint')}</Text>
        )}
      </Stack>
    </ApplicationTask>
  )
}

interface InvitationsProps extends Pick<StepProps, 'goOn'> {
  readonly invitations: readonly Schemas['Invitation'][]
  readonly isAnswering?: boolean
}

function Invitations({ invitations, goOn, isAnswering = false }: InvitationsProps) {
  const { t } = useTranslation()
  const accepting = useMutation({
    mutationFn: (inviteId: string) =>
      ask(api.POST('/api/invites/{inviteId}/accept', { params: { path: { inviteId } } })),
    meta: { shows: true },
    onSuccess: ({ organization }) => {
      void readOrganizationsAgain()
      void queries.invalidateQueries(waitingInvitationsQuery)
      return goOn(organization.id)
    },
    onError: () => queries.invalidateQueries(waitingInvitationsQuery), // it may have been revoked or has expired
  })
  return (
    <Stack gap="sm">
      <Text size="sm" fw={550}>
        {t('authorization.organization.invited')}
      </Text>
      {accepting.isError && <Refused error={accepting.error} />}
      <ul className={listClasses.framed} aria-label={t('authorization.organization.invited')}>
        {invitations.map(({ id, organization: { name, logoUrl } }) => (
          <li key={id} className={classes.invitation}>
            <Picture url={logoUrl} name={name} id={id} size={32} shape="square" />
            <span className={classes.words}>{name}</span>
            <Button
              size="xs"
              disabled={isAnswering}
              loading={accepting.isPending && accepting.variables === id}
              aria-label={t('users.invitations.acceptNamed', { organization: name })}
              onClick={() => accepting.mutate(id)}
            >
              {t('users.invitations.accept')}
            </Button>
          </li>
        ))}
      </ul>
    </Stack>
  )
}

interface NewProps extends Pick<StepProps, 'goOn'> {
  readonly application: string
  readonly isAnswering: boolean
  readonly isFirst: boolean
}

function NewOrganization({ application, goOn, isAnswering, isFirst }: NewProps) {
  const { t } = useTranslation()
  const form = useForm({ initialValues: { name: '' } })
  return (
    <Form
      form={form}
      submit={t('organizations.creation.submit')}
      fullWidth
      disabled={isAnswering}
      send={(body) => ask(api.POST('/api/organizations', { body }))}
      onDone={({ id }) => {
        void readOrganizationsAgain()
        return goOn(id)
      }}
    >
      <TextInput
        {...form.getInputProps('name')}
        label={t('authorization.organization.new')}
        description={isFirst ? t('authorization.organization.newLead', { application }) : undefined}
        autoComplete="organization"
        autoFocus={isFirst}
      />
    </Form>
  )
}
