/** A message above a page, as wide as its column. */
import { Alert } from '@mantine/core'
import type { ReactNode } from 'react'
import classes from './strip.module.css'

interface StripProps {
  readonly color: string
  readonly role?: 'alert' | 'status'
  readonly className?: string | undefined
  readonly children: ReactNode
}

export function Strip({ color, role = 'alert', className, children }: StripProps) {
  return (
    <Alert color={color} radius={0} role={role} className={[classes.strip, className].join(' ')}>
      {children}
    </Alert>
  )
}
