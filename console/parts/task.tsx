/** A page of one task, outside the shell: signing in, a link from a mail. */
import { Stack, Text } from '@mantine/core'
import type { ReactNode } from 'react'
import { Brand } from '../layout/brand.tsx'
import { PageTitle } from './page.tsx'
import classes from './task.module.css'

interface TaskProps {
  readonly title: string
  readonly lead?: ReactNode
  readonly children?: ReactNode
  /** Ways to elsewhere, below the task. */
  readonly others?: ReactNode
}

export function Task({ title, lead, children, others }: TaskProps) {
  return (
    <div className={classes.task}>
      <header className={classes.brand}>
        <Brand />
      </header>
      <main id="content" className={classes.main}>
        <Stack gap={6} mb={children ? 'lg' : 0}>
          <PageTitle title={title} />
          {lead !== undefined && <Text c="dimmed">{lead}</Text>}
        </Stack>
        {children}
      </main>
      {others !== undefined && <footer className={classes.others}>{others}</footer>}
    </div>
  )
}
