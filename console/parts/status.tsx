/**
 * A region for words that come and go while the page is open. It is always there: of a region that comes with its words, screen readers
 * say nothing.
 */
import type { ReactNode } from 'react'
import classes from './status.module.css'

interface StatusProps {
  readonly className?: string | undefined
  /** Nothing, while there is nothing to say. */
  readonly children: ReactNode
}

export function Status({ className = '', children }: StatusProps) {
  return (
    <div role="status" className={`${classes.status} ${className}`}>
      {children}
    </div>
  )
}
