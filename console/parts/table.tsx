/** Long tables: sortable headers, and the total. The order is in the address. */
import { Table, Text, UnstyledButton } from '@mantine/core'
import { useMediaQuery } from '@mantine/hooks'
import { IconArrowDown, IconArrowUp } from '@tabler/icons-react'
import type { ReactNode } from 'react'
import { useShown } from './found.tsx'
import classes from './table.module.css'

export { classes as tableClasses }

/** Whether a table has room for addresses in a column of their own. If not, they are below the names. */
export function useIsWide(): boolean {
  return useMediaQuery('(min-width: 80em)', false, { getInitialValueInEffect: false })
}

interface SortedHeaderProps<Sort extends string> {
  /** The name of the column in the API. */
  readonly column: string
  readonly sort: Sort
  /** The order at the first click. The next click reverses it. */
  readonly first?: 'ascending' | 'descending'
  readonly onSort: (sort: Sort) => unknown
  readonly className?: string | undefined
  readonly children: ReactNode
}

/** A header that sorts by its column when clicked. As in the API, `-` means descending. */
export function SortedHeader<Sort extends string>(props: SortedHeaderProps<Sort>) {
  const { column, sort, first = 'ascending', onSort, className, children } = props
  const isSorted = sort === column || sort === `-${column}`
  const descends = isSorted ? sort.startsWith('-') : first === 'descending'
  const next = (isSorted ? !descends : descends) ? `-${column}` : column
  const Arrow = descends ? IconArrowDown : IconArrowUp
  return (
    <Table.Th className={className ?? ''} {...(isSorted && { 'aria-sort': descends ? 'descending' : 'ascending' })}>
      {/* The API sorts by each of these columns in both orders. */}
      <UnstyledButton className={classes.sort} onClick={() => onSort(next as Sort)}>
        {children}
        <Arrow size={14} stroke={1.8} aria-hidden />
      </UnstyledButton>
    </Table.Th>
  )
}

/** "1–50 of 1,234". Changes are announced to screen readers. */
export function Total({
  shown,
  total,
  isCapped = false,
}: {
  readonly shown: number
  readonly total: number | undefined
  readonly isCapped?: boolean | undefined
}) {
  const inWords = useShown()
  return (
    <Text className={classes.total} role="status">
      {total !== undefined && inWords(shown, isCapped ? 10_000 : total, isCapped)}
    </Text>
  )
}
