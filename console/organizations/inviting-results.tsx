/** The result for each invited address. */
import { Text } from '@mantine/core'
import { IconAlertTriangle, IconCheck, IconInfoCircle } from '@tabler/icons-react'
import { useTranslation } from 'react-i18next'
import { Refused } from '../parts/form.tsx'
import classes from './inviting.module.css'
import type { Outcome, Sent } from './sending.ts'

interface InvitingResultsProps {
  readonly sent: Sent
  readonly isMailed: boolean
  readonly heading: React.Ref<HTMLHeadingElement>
}

export function InvitingResults({ sent: { outcomes, left, halt }, isMailed, heading }: InvitingResultsProps) {
  const { t } = useTranslation()
  return (
    <section className={classes.results}>
      <h3 ref={heading} tabIndex={-1} className={classes.heading}>
        {t(isMailed ? 'organizations.inviting.sent' : 'organizations.inviting.created', { count: countSent(outcomes) })}
      </h3>
      {outcomes.length > 0 && (
        <ul className={classes.list}>
          {outcomes.map((outcome) => (
            <li key={outcome.email} className={classes.outcome} data-is={outcome.is}>
              <Mark is={outcome.is} />
              <span className={classes.email}>{outcome.email}</span>
              <span className={classes.words}>
                {outcome.is === 'refused' ? outcome.detail : t(`organizations.inviting.outcomes.${outcome.is}`)}
              </span>
            </li>
          ))}
        </ul>
      )}
      {halt !== undefined && <Refused error={halt} />}
      {left.length > 0 && (
        <Text size="sm" mt="xs">
          {t('organizations.inviting.left', { count: left.length })}
        </Text>
      )}
    </section>
  )
}

export function countSent(outcomes: readonly Outcome[]): number {
  return outcomes.filter(({ is }) => is === 'sent').length
}

function Mark({ is }: Pick<Outcome, 'is'>) {
  const Icon =
    is === 'sent'
      ? IconCheck
      : ['invalid', 'refused', 'invited_too_often'].includes(is)
        ? IconAlertTriangle
        : IconInfoCircle
  return <Icon size={16} stroke={1.8} aria-hidden />
}
