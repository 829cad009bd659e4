/**
 * The filters of a list. A short list has them behind a button. A long one shows them, and so does one that is filtered. Once they are
 * shown, they stay, also if a search makes the list short. What they find is announced to screen readers.
 */
import { Button } from '@mantine/core'
import { IconFilter } from '@tabler/icons-react'
import type { UseInfiniteQueryResult } from '@tanstack/react-query'
import { type ReactNode, useRef, useState } from 'react'
import { flushSync } from 'react-dom'
import { useTranslation } from 'react-i18next'
import classes from './filters.module.css'
import { Found, type FoundProps, isFiltered } from './found.tsx'

/** From this number of rows on, a list is long. */
const manyRows = 10

/** Options of a filter are behind it, in its landmark, and not at the end of the page, outside of all. Nothing there cuts them. */
export const optionsInPlace = { withinPortal: false } as const

/** What the filters need to know of the list. */
export interface FilteredList {
  readonly query: Pick<UseInfiniteQueryResult, 'data' | 'hasNextPage' | 'isSuccess' | 'isPlaceholderData'>
  /** How many rows are read. */
  readonly rows: number
  /** How many of them are shown, by default all; null while they are not shown yet. */
  readonly found?: number | null
}

interface FiltersProps extends FilteredList, Pick<FoundProps, 'filters'> {
  /** With fewer rows there is nothing to filter, and nothing here. */
  readonly least?: number
  /** The page shows the total, which is announced too. */
  readonly hasTotal?: boolean
  readonly className?: string | undefined
  /** Behind the filters, or behind their button. */
  readonly beside?: ReactNode
  readonly children: ReactNode
}

export function Filters({ least = 0, hasTotal = false, ...row }: FiltersProps) {
  const { query, rows, found = rows, filters } = row
  const isRead = query.isSuccess && !query.isPlaceholderData
  return (
    <>
      {(!isRead || rows >= least || isFiltered(filters)) && <Row {...row} />}
      {!hasTotal && <Found filters={filters} rows={isRead ? found : null} isMore={query.hasNextPage} />}
    </>
  )
}

function Row({ query, rows, found = rows, filters, className = '', beside, children }: Omit<FiltersProps, 'least'>) {
  const { t } = useTranslation()
  const row = useRef<HTMLElement>(null)
  const [shown, setShown] = useState<'needed' | 'opened'>()
  const isRead = query.data !== undefined && found !== null
  if (shown === undefined && (isFiltered(filters) || (isRead && (query.hasNextPage || rows >= manyRows))))
    setShown('needed')
  const open = () => {
    flushSync(() => setShown('opened'))
    row.current?.querySelector<HTMLElement>('input, select')?.focus()
  }
  return (
    // Until the list is shown, its length is not known, and the row is empty: neither it nor the placeholder of the list moves.
    <search ref={row} className={`${classes.filters} ${className}`} data-shown={shown}>
      {shown !== undefined
        ? children
        : isRead && (
            <Button variant="default" leftSection={<IconFilter size={16} stroke={1.6} aria-hidden />} onClick={open}>
              {t('general.filter')}
            </Button>
          )}
      {(shown !== undefined || isRead) && beside}
    </search>
  )
}
