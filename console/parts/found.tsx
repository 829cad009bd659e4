/** How many rows a list shows, in words; and the words for screen readers after a search or a filter. */
import { VisuallyHidden } from '@mantine/core'
import { useEffect, useState } from 'react'
import { useTranslation } from 'react-i18next'

/** @returns "1–50 of 1,234"; "1–50 of 50+" if there are more than are known */
export function useShown(): (shown: number, total: number, isMore?: boolean) => string {
  const { t } = useTranslation()
  return (shown, total, isMore = false) => {
    if (shown === 0) return t(isMore ? 'general.shownNoneSoFar' : 'general.shownNone')
    return t(isMore ? 'general.shownCapped' : 'general.shown', { shown, total })
  }
}

export interface FoundProps {
  /** Their values, without the order of the list; undefined for a filter that is not set. */
  readonly filters: object
  /** Null while the list is read. */
  readonly rows: number | null
  readonly isMore?: boolean
}

export function isFiltered(filters: FoundProps['filters']): boolean {
  return JSON.stringify(filters) !== '{}'
}

/** Milliseconds without words, so that a screen reader says the same words again. */
const pause = 100

/** Says once how many rows a filter finds, and nothing about a list that opens, grows or is no longer filtered. */
export function Found({ filters, rows, isMore = false }: FoundProps) {
  const shown = useShown()
  const filter = JSON.stringify(filters)
  const [said, setSaid] = useState({ filter, words: '' }) // a screen reader reads the list itself at first
  const words = rows === null ? undefined : isFiltered(filters) ? shown(rows, rows, isMore) : ''
  const next = said.filter === filter ? undefined : words
  useEffect(() => {
    if (next === undefined) return
    const timer = setTimeout(() => setSaid({ filter, words: next }), pause)
    return () => clearTimeout(timer)
  }, [filter, next])
  const isRight = said.filter === filter && (words === undefined || words === said.words) // the list may have grown
  return <VisuallyHidden role="status">{isRight ? said.words : ''}</VisuallyHidden>
}
