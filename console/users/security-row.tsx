/** The rows of the page about security: what is so, and a button that changes it. Forms open on demand. */
import type { TablerIcon } from '@tabler/icons-react'
import { type ReactNode, useId } from 'react'
import classes from './security.module.css'

export function SecurityRows({ children }: { readonly children: ReactNode }) {
  return <div className={classes.rows}>{children}</div>
}

interface SecurityRowProps {
  readonly icon: TablerIcon
  readonly title: string
  /** What is so. */
  readonly state?: ReactNode
  /** Buttons. */
  readonly actions?: ReactNode
  /** Below: what there is several of, or a fault. */
  readonly children?: ReactNode
}

export function SecurityRow({ icon: Icon, title, state, actions, children }: SecurityRowProps) {
  const id = useId()
  return (
    <section className={classes.row} aria-labelledby={id}>
      <span className={classes.sign}>
        <Icon size={20} stroke={1.5} aria-hidden />
      </span>
      <div className={classes.about}>
        <h2 id={id} className={classes.title}>
          {title}
        </h2>
        {state !== undefined && <div className={classes.state}>{state}</div>}
      </div>
      {actions !== undefined && <div className={classes.actions}>{actions}</div>}
      {children !== undefined && <div className={classes.below}>{children}</div>}
    </section>
  )
}

interface SecurityItemsProps {
  /** What they are, for screen readers. */
  readonly label: string
  readonly children: ReactNode
}

export function SecurityItems({ label, children }: SecurityItemsProps) {
  return (
    <ul className={classes.items} aria-label={label}>
      {children}
    </ul>
  )
}

interface SecurityItemProps {
  readonly title: ReactNode
  readonly facts: ReactNode
  readonly actions: ReactNode
  /** Dialogs. */
  readonly children?: ReactNode
}

export function SecurityItem({ title, facts, actions, children }: SecurityItemProps) {
  return (
    <li className={classes.item}>
      <div className={classes.about}>
        <span className={classes.name}>{title}</span>
        <p className={classes.facts}>{facts}</p>
      </div>
      <div className={classes.actions}>{actions}</div>
      {children}
    </li>
  )
}
