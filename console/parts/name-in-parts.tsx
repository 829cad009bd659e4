/** A name. If it is an address, a narrow page breaks it before its sign and its dots, and never inside what is between them. */
import { Fragment } from 'react'
import classes from './name-in-parts.module.css'

/** From how many characters on a part may be longer than a line. */
const longPart = 24

export function NameInParts({ name }: { readonly name: string }) {
  if (!/^\S+@\S+$/.test(name)) return name
  return (
    <span className={classes.address}>
      {name.split(/(?=[@.])/).map((part, index) => (
        <Fragment key={String(index)}>
          {index > 0 && <wbr />}
          <span
            className={part.length < longPart ? classes.part : classes.long}
            title={part.length < longPart ? undefined : name}
          >
            {part}
          </span>
        </Fragment>
      ))}
    </span>
  )
}
