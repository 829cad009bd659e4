/** Tabs: links between the parts of a page. The address names the part, so that "back" works and a link can be shared. */
import { createLink } from '@tanstack/react-router'
import type { AnchorHTMLAttributes, ReactNode, Ref } from 'react'
import classes from './tabs.module.css'

interface TabsProps {
  /** The accessible name: whose parts they are. */
  readonly label: string
  readonly children: ReactNode
}

export function Tabs({ label, children }: TabsProps) {
  return (
    <nav aria-label={label} className={classes.tabs}>
      {children}
    </nav>
  )
}

interface TabProps extends AnchorHTMLAttributes<HTMLAnchorElement> {
  readonly ref?: Ref<HTMLAnchorElement>
  /** How many there are, in words. */
  readonly count?: string | undefined
}

/** For a tab whose address is the beginning of the others. Filters in the address do not matter. */
export const exactly = { exact: true, includeSearch: false } as const

/** The router marks the link of the present part with `aria-current`. */
export const Tab = createLink(({ count, children, ...link }: TabProps) => (
  <a {...link} className={classes.tab}>
    {children} {count !== undefined && <span className={classes.count}>{count}</span>}
  </a>
))
