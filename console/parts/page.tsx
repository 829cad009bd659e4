/** A page: title, lead, actions, sections. */
import { Group, Stack, Text, Title } from '@mantine/core'
import { type ReactNode, use, useEffect, useLayoutEffect, useRef } from 'react'
import { useTenant } from '../tenants/tenant.ts'
import { partsOf } from './language.ts'
import { OfOrganization } from './of-organization.ts'
import classes from './page.module.css'
import { WithDates } from './with-dates.tsx'

interface PageProps {
  readonly title: string
  readonly lead?: ReactNode | undefined
  /** Beside the title: the picture of the page's subject. */
  readonly picture?: ReactNode
  /** Buttons beside the title. */
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

/** The first page does not move the focus. */
let isFirst = true

/** The heading of a page. It gets the focus when the page changes, so that a screen reader announces the page. */
export function PageTitle({ title }: { readonly title: string }) {
  const tenant = useTenant()
  const organization = use(OfOrganization)
  const heading = useRef<HTMLHeadingElement>(null)
  useEffect(() => {
    const place = organization === title ? undefined : organization // the overview has the name of its organization
    const plain = partsOf(title).join('') // the marks of dates are for `WithDates`
    const site = title.endsWith(` ${tenant.name}`) ? undefined : tenant.name // the title has named it
    document.title = [plain, place, site].filter((part) => part !== undefined).join(' · ')
  }, [title, organization, tenant.name])
  useEffect(() => {
    // Unless the page has moved the focus to its first field.
    const isTaken = heading.current?.closest('main')?.contains(document.activeElement)
    if (!isFirst && !isTaken) heading.current?.focus({ preventScroll: true })
    isFirst = false
  }, [])
  return (
    <Title order={1} ref={heading} tabIndex={-1}>
      <WithDates>{title}</WithDates>
    </Title>
  )
}

interface SectionProps {
  /** The fragment of links to it. */
  readonly id?: string
  /** Undefined where the page's title says as much. */
  readonly title: string | undefined
  readonly lead?: ReactNode
  readonly children: ReactNode
}

/** A section of a page, with a heading. A link to it finds it also if the page has to read its sections first. */
export function Section({ id, title, lead, children }: SectionProps) {
  const section = useRef<HTMLElement>(null)
  useLayoutEffect(() => {
    if (id !== undefined && location.hash === `#${id}`) section.current?.scrollIntoView()
  }, [id])
  return (
    <section ref={section} id={id} className={classes.section}>
      {title !== undefined && (
        <Stack gap={2} mb="md">
          <Title order={2}>{title}</Title>
          {lead !== undefined && (
            <Text c="dimmed" size="sm">
              {lead}
            </Text>
          )}
        </Stack>
      )}
      {children}
    </section>
  )
}
