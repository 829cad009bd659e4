/** A page for one task, outside the shell: signing in, a link from a mail. */
import { Stack, Text } from '@mantine/core'
import type { ReactNode } from 'react'
import { Brand } from '../layout/brand.tsx'
import { PageTitle } from './page.tsx'
import classes from './task.module.css'

interface TaskProps {
  /** Beside the title. */
  readonly picture?: ReactNode
  readonly title: string
  readonly lead?: ReactNode
  readonly children?: ReactNode
  /** Links below the task. */
  readonly others?: ReactNode
}

export function Task({ picture, title, lead, children, others }: TaskProps) {
  return (
    <Frame brand={<Brand />} others={others}>
      <div className={classes.head} data-alone={!children}>
        {picture}
        <Stack gap={6}>
          <PageTitle title={title} />
          {lead !== undefined && <Text c="dimmed">{lead}</Text>}
        </Stack>
      </div>
      {children}
    </Frame>
  )
}

interface FrameProps {
  readonly brand: ReactNode
  readonly children: ReactNode
  readonly others?: ReactNode
}

/** A card below a brand, also for pages without a tenant. */
export function Frame({ brand, children, others }: FrameProps) {
  return (
    <main id="content" className={classes.task}>
      <div className={classes.brand}>{brand}</div>
      <div className={classes.card}>{children}</div>
      {others !== undefined && <div className={classes.others}>{others}</div>}
    </main>
  )
}
