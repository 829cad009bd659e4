/** An entry of the audit log as a sentence, with people and things set off: "Ann Archer invited ben@example.com as an admin". */
import { type ComponentType, Fragment, type ReactNode } from 'react'
import { NameInParts } from '../parts/name-in-parts.tsx'
import { useMe } from '../users/me.ts'
import classes from './activity.module.css'
import { type Entry, isMe, keyNamed, nameIn, type Party, sentenceOf, signs, standIn } from './sentences.ts'

export interface PersonProps {
  readonly id: string
  /** The name in the entry. */
  readonly name: string | undefined
  /** A replacement for a name. */
  readonly children: ReactNode
}

interface SentenceProps {
  readonly entry: Entry
  /** Shows a person other than the reader, if the page knows more about them than the entry does. */
  readonly Person?: ComponentType<PersonProps> | undefined
}

/** The reader is addressed as "you". */
export function Sentence({ entry, Person }: SentenceProps) {
  const parts = sentenceOf(entry, useMe().id).split(/([\uE000\uE001])/)
  const first = parts.findIndex((part) => part !== '')
  return (
    <p className={classes.sentence}>
      {parts.map((part, index) => {
        const party = part === signs.actor ? entry.actor : part === signs.target ? entry.target : undefined
        return (
          <Fragment key={String(index)}>
            {party ? <Named entry={entry} party={party} starts={index === first} Person={Person} /> : part}
          </Fragment>
        )
      })}
    </p>
  )
}

interface NamedProps extends SentenceProps {
  readonly party: Party
  /** Whether it begins the sentence. */
  readonly starts: boolean
}

function Named({ entry, party, starts, Person = PlainName }: NamedProps): ReactNode {
  const { type, id } = party
  const isReader = isMe(party, useMe().id)
  const name = nameIn(entry, party)
  const words = type === 'key' ? keyNamed(name && signs.target) : standIn(party, isReader)
  const shown = starts ? words.charAt(0).toLocaleUpperCase() + words.slice(1) : words
  if (isReader) return shown
  if (type === 'key' && name !== undefined) {
    const [before, after] = shown.split(signs.target)
    return (
      <>
        {before}
        <BoldName name={name} />
        {after}
      </>
    )
  }
  if (type === 'user' && id !== null)
    return (
      <Person id={id} name={name}>
        {shown}
      </Person>
    )
  if (name !== undefined) return <BoldName name={name} />
  return <span title={type === 'deleted_user' ? (id ?? undefined) : undefined}>{shown}</span>
}

function PlainName({ name, children }: PersonProps) {
  return name === undefined ? children : <BoldName name={name} />
}

export function BoldName({ name }: { readonly name: string }) {
  return (
    <b className={classes.named}>
      <NameInParts name={name} />
    </b>
  )
}
