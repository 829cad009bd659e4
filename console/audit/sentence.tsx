/** An entry of the audit log as a sentence, with people and things set off: "Ann Archer invited ben@example.com as an admin". */
import { Link } from '@tanstack/react-router'
import { Fragment, type ReactNode } from 'react'
import classes from './activity.module.css'
import { type Entry, isMe, type Party, sentenceOf, signs, standIn } from './sentences.ts'

export interface Reading {
  /** Whoever reads their own log; they are spoken to. */
  readonly me?: string | undefined
  /** Whether people lead to their pages, which are for tenant admins. */
  readonly linksPeople?: boolean
}

export function Sentence({ entry, me, linksPeople = false }: Reading & { readonly entry: Entry }) {
  const { actor, target } = entry
  const parts = sentenceOf(entry, me).split(/([\uE000\uE001])/)
  let isFirst = true
  return (
    <p className={classes.sentence}>
      {parts.map((part, index) => {
        const starts = isFirst && part !== ''
        if (part !== '') isFirst = false
        const party = part === signs.actor ? actor : part === signs.target ? target : undefined
        return (
          <Fragment key={String(index)}>
            {party ? <Named party={party} isMe={isMe(party, me)} starts={starts} linksPeople={linksPeople} /> : part}
          </Fragment>
        )
      })}
    </p>
  )
}

interface NamedProps {
  readonly party: Party
  readonly isMe: boolean
  /** At the beginning of the sentence. */
  readonly starts: boolean
  readonly linksPeople: boolean
}

function Named({ party, isMe, starts, linksPeople }: NamedProps): ReactNode {
  const { type, id, name } = party
  const isPerson = type === 'user' && id !== null && !isMe
  const words = isMe || name === null ? standIn(party, isMe) : undefined
  const shown = words === undefined ? name : starts ? words.charAt(0).toLocaleUpperCase() + words.slice(1) : words
  if (isPerson && linksPeople) {
    return (
      <Link to="/admin/users/$userId" params={{ userId: id }} className={classes.person}>
        {shown}
      </Link>
    )
  }
  if (words === undefined) return <b className={classes.named}>{shown}</b>
  // The acts of a deleted user stay together under an id that says nothing else.
  return <span title={type === 'deleted_user' ? (id ?? undefined) : undefined}>{shown}</span>
}
