/** A table in a frame, whose rows may have actions. On a phone each row is a card. */
import { Table, type TableThProps, VisuallyHidden } from '@mantine/core'
import type { ReactNode } from 'react'
import classes from './rows.module.css'

export { classes as rowClasses }

interface RowTableProps {
  readonly label: string
  /** The headers of the columns. */
  readonly heads: ReactNode
  /** Whether the rows are those of another filter. */
  readonly isBusy?: boolean
  readonly className?: string | undefined
  readonly children: ReactNode
}

export function RowTable({ label, heads, isBusy, className = '', children }: RowTableProps) {
  return (
    <div className={classes.frame} aria-busy={isBusy}>
      <Table withRowBorders={false} className={`${classes.table} ${className}`} aria-label={label}>
        <Table.Thead>
          <Table.Tr>{heads}</Table.Tr>
        </Table.Thead>
        <Table.Tbody>{children}</Table.Tbody>
      </Table>
    </div>
  )
}

/** The header of the actions, which only screen readers have. */
export function ActionsHead({ children, ...cell }: TableThProps) {
  return (
    <Table.Th className={classes.actions} {...cell}>
      <VisuallyHidden>{children}</VisuallyHidden>
    </Table.Th>
  )
}
