/** The head of a column: the name of the role, which opens it, and how many members have it. */
import { Badge } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import classes from './access.module.css'
import type { Column } from './cells.ts'
import type { Subject } from './editor.tsx'

interface ColumnHeadProps {
  readonly column: Column
  readonly open: (subject: Subject) => void
}

/** The API counts no further. */
const mostCounted = 10_000

export function ColumnHead({ column, open }: ColumnHeadProps) {
  const { t } = useTranslation()
  const { id, name, role, memberCount, mark } = column
  const members =
    memberCount === undefined
      ? t('access.notSaved')
      : memberCount >= mostCounted
        ? t('access.membersMany', { count: mostCounted })
        : t('access.members', { count: memberCount })
  return (
    <th scope="col" className={classes.head} data-first={role === undefined ? undefined : role}>
      {role === undefined ? (
        <button
          type="button"
          className={classes.name}
          title={name}
          onClick={() => open({ is: 'role', id })}
          aria-label={t('access.edit', { name })}
        >
          {name}
        </button>
      ) : (
        <span className={classes.fixed}>{name}</span>
      )}
      <span className={classes.members}>{members}</span>
      {mark === 'changed' && (
        <Badge size="xs" color="accent">
          {t('access.changed')}
        </Badge>
      )}
    </th>
  )
}
