/** A card of the overview: the first items of a list, and a link to the list. */
import { Title } from '@mantine/core'
import type { ReactNode } from 'react'
import { Failed, Loading } from '../parts/states.tsx'
import classes from './overview.module.css'

interface CardProps {
  readonly title: string
  /** A link to the whole list. */
  readonly all?: ReactNode
  readonly query: {
    readonly isPending: boolean
    readonly isError: boolean
    readonly error: unknown
    readonly refetch: () => unknown
  }
  /** How many items are expected, whose room is kept while the list is loading. */
  readonly rows: number
  readonly children: readonly ReactNode[]
}

export function Card({ title, all, query, rows, children }: CardProps) {
  return (
    <section className={classes.card}>
      <div className={classes.head}>
        <Title order={2}>{title}</Title>
        {all}
      </div>
      {query.isPending ? (
        <div className={classes.loading} style={{ height: `${rows * 2.75 + 0.75}rem` }}>
          <Loading rows={rows} />
        </div>
      ) : query.isError && children.length === 0 ? (
        <div className={classes.failed}>
          <Failed error={query.error} retry={query.refetch} />
        </div>
      ) : (
        <ul className={classes.list}>{children}</ul>
      )}
    </section>
  )
}
