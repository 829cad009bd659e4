/** A message above a page, as wide as its column. */
import { Alert } from '@mantine/core'
import type { ReactNode } from 'react'
import { Status } from '../parts/status.tsx'
import classes from './strip.module.css'

interface StripProps {
  readonly color: string
  readonly role?: 'alert' | 'note'
  readonly children: ReactNode
}

export function Strip({ color, role = 'alert', children }: StripProps) {
  return (
    <Alert color={color} radius={0} role={role} className={`${classes.strip} ${classes.place}`}>
      {children}
    </Alert>
  )
}

interface StatusStripProps extends Pick<StripProps, 'color' | 'children'> {
  readonly isShown: boolean
  readonly className?: string | undefined
}

/** One that comes and goes while the page is open. */
export function StatusStrip({ isShown, className = '', ...strip }: StatusStripProps) {
  return <Status className={`${classes.place} ${className}`}>{isShown && <Strip {...strip} role="note" />}</Status>
}
