/** A page: its title, what it is about, what can be done there. */
import { Group, Stack, Text, Title } from '@mantine/core'
import { type ReactNode, useEffect, useRef } from 'react'
import { useTenant } from '../tenants/tenant.ts'
import classes from './page.module.css'

interface PageProps {
  readonly title: string
  readonly lead?: ReactNode | undefined
  /** Before the title: whom or what the page is about. */
  readonly picture?: ReactNode
  /** Buttons that stand beside the title. */
  readonly actions?: ReactNode
  /** `form` for reading and writing, `wide` for tables. */
  readonly width?: 'form' | 'wide'
  readonly children: ReactNode
}

/** A page inside the shell. */
export function Page({ title, lead, picture, actions, width = 'form', children }: PageProps) {
  return (
    <div className={classes.page} data-width={width}>
      <Group justify="space-between" align="flex-start" gap="md" mb="xl">
        <div className={classes.heading}>
          {picture}
          <Stack gap={4}>
            <PageTitle title={title} />
            {lead !== undefined && <Text c="dimmed">{lead}</Text>}
          </Stack>
        </div>
        {actions !== undefined && <Group gap="xs">{actions}</Group>}
      </Group>
      {children}
    </div>
  )
}

/** The first page leaves the focus where the browser has put it. */
let isFirst = true

/** The heading of a page, which gets the focus when one comes from another page, so that a screen reader says where one is. */
export function PageTitle({ title }: { readonly title: string }) {
  const tenant = useTenant()
  const heading = useRef<HTMLHeadingElement>(null)
  useEffect(() => {
    document.title = `${title} · ${tenant.name}`
  }, [title, tenant.name])
  useEffect(() => {
    // Unless the page has put the focus into its first field.
    const isTaken = heading.current?.closest('main')?.contains(document.activeElement)
    if (!isFirst && !isTaken) heading.current?.focus({ preventScroll: true })
    isFirst = false
  }, [])
  return (
    <Title order={1} ref={heading} tabIndex={-1}>
      {title}
    </Title>
  )
}

interface SectionProps {
  /** What a link to it has after the `#`. */
  readonly id?: string
  readonly title: string
  readonly lead?: ReactNode
  readonly children: ReactNode
}

/** A part of a page with a heading of its own. */
export function Section({ id, title, lead, children }: SectionProps) {
  return (
    <section id={id} className={classes.section}>
      <Stack gap={2} mb="md">
        <Title order={2}>{title}</Title>
        {lead !== undefined && (
          <Text c="dimmed" size="sm">
            {lead}
          </Text>
        )}
      </Stack>
      {children}
    </section>
  )
}
