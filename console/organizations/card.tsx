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
  /** The text for an empty list. */
  readonly none?: string
  readonly children: readonly ReactNode[]
}

export function Card({ title, all, query, none, children }: CardProps) {
  return (
    <section className={classes.card}>
      <div className={classes.head}>
        <Title order={2}>{title}</Title>
        {all}
      </div>
      {query.isPending ? (
        <div className={classes.loading}>
          <Loading rows={3} />
        </div>
      ) : query.isError && children.length === 0 ? (
        <div className={classes.loading}>
          <Failed error={query.error} retry={query.refetch} />
        </div>
      ) : children.length === 0 ? (
        <p className={classes.note}>{none}</p>
      ) : (
        <ul className={classes.list}>{children}</ul>
      )}
    </section>
  )
}
