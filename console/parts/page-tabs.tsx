/** Tabs of a page, each with an address of its own. */
import { createLink } from '@tanstack/react-router'
import type { ComponentProps, ReactNode } from 'react'
import classes from './page-tabs.module.css'

/** @param label names what the tabs are about */
export function PageTabs({ label, children }: { readonly label: string; readonly children: ReactNode }) {
  return (
    <nav className={classes.tabs} aria-label={label}>
      {children}
    </nav>
  )
}

/** A link to a tab. Filters in the address do not matter for which tab is shown. */
export const PageTab = createLink((props: ComponentProps<'a'>) => <a {...props} className={classes.tab} />)

/** For a tab whose address is the beginning of the others. */
export const exactly = { exact: true, includeSearch: false } as const
