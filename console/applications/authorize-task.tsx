/** What all steps of signing in to an application share: the page around them, and who is signed in. */
import { Anchor, Stack, Text } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import type { Schemas } from '../api/client.ts'
import { Picture } from '../parts/picture.tsx'
import { Task } from '../parts/task.tsx'
import { leaveSession } from '../sign-in/session.ts'
import classes from './applications.module.css'
import { type AskingApplication, endRequest, type Step } from './authorization.ts'

interface PageProps {
  readonly application: AskingApplication
  readonly request: string
  /** Where the application is told that somebody has cancelled. */
  readonly cancelUrl: string
}

export interface OutsideProps extends PageProps {
  /**
   * Answers the request, or shows the next step.
   *
   * @param organizationId the chosen organization
   * @param userId         who has just signed in, if the page still shows somebody else
   * @returns the step that is missing
   */
  readonly goOn: (organizationId?: string, userId?: string) => Promise<Step | undefined>
  /** Why the request could not be answered. */
  readonly refused: ReactNode
}

/** Of a step for the signed-in user. */
export interface StepProps extends OutsideProps {
  readonly caller: Schemas['User']
  /** Keeps this step on the page, or lets the page go on to the next one and back to the application. */
  readonly hold: (isHeld: boolean) => void
}

interface ApplicationTaskProps extends PageProps {
  readonly title: string
  readonly lead?: ReactNode
  readonly others?: ReactNode
  readonly children: ReactNode
}

export function ApplicationTask({
  application,
  request,
  cancelUrl,
  title,
  lead,
  others,
  children,
}: ApplicationTaskProps) {
  const { t } = useTranslation()
  const { id, name, logoUrl } = application
  return (
    <Task
      picture={
        <div className={classes.mark}>
          <Picture url={logoUrl} name={name} id={id} size={48} shape="square" />
        </div>
      }
      title={title}
      lead={lead ?? t('authorization.toContinue', { application: name })}
      others={
        <>
          {others}
          <span>
            <Anchor href={cancelUrl} inherit onClick={() => endRequest(request)}>
              {t('authorization.cancel', { application: name })}
            </Anchor>
          </span>
        </>
      }
    >
      {children}
    </Task>
  )
}

/** Who is signed in, and a way to be somebody else: after signing out, the page asks to sign in. */
export function Who({ caller }: Pick<StepProps, 'caller'>) {
  const { t } = useTranslation()
  const leaving = useMutation({ mutationFn: leaveSession })
  return (
    <Person person={caller}>
      <Anchor
        component="button"
        type="button"
        size="sm"
        className={classes.another}
        onClick={() => leaving.isPending || leaving.mutate()}
      >
        {t('authorization.another')}
      </Anchor>
    </Person>
  )
}

interface PersonProps {
  readonly person: Pick<Schemas['User'], 'id' | 'name' | 'email' | 'avatarUrl'>
  readonly children?: ReactNode
}

export function Person({ person: { id, name, email, avatarUrl }, children }: PersonProps) {
  return (
    <div className={classes.who}>
      <Picture url={avatarUrl} name={name ?? email} id={id} size={36} />
      <Stack gap={0} className={classes.words}>
        {name !== null && <Text fw={550}>{name}</Text>}
        <Text size="sm" {...(name !== null && { c: 'dimmed' })}>
          {email}
        </Text>
        {children}
      </Stack>
    </div>
  )
}
