/** How many rows a list shows, in words; and the words for screen readers after a search or a filter. */
import { VisuallyHidden } from '@mantine/core'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'

/** @returns "1–50 of 1,234"; "1–50 of 50+" if there are more than are known */
export function useShown(): (shown: number, total: number, isMore?: boolean) => string {
  const { t } = useTranslation()
  return (shown, total, isMore = false) => {
    if (shown === 0) return t(isMore ? 'general.shownNoneSoFar' : 'general.shownNone')
    return t(isMore ? 'general.shownCapped' : 'general.shown', { shown, total })
  }
}

interface FoundProps {
  /** Undefined while the list is read. */
  readonly rows: number | undefined
  readonly isMore?: boolean
  /** Whether the list is filtered now. */
  readonly isActive: boolean
}

/** Says how many rows there are, each time that this changes after the first filter. A screen reader reads the list itself at first. */
export function Found({ rows, isMore = false, isActive }: FoundProps) {
  const shown = useShown()
  const words = rows === undefined ? '' : shown(rows, rows, isMore)
  const [first, setFirst] = useState<string>()
  const [isFiltered, setIsFiltered] = useState(isActive)
  const [hasChanged, setHasChanged] = useState(false)
  if (first === undefined && words !== '') setFirst(words)
  if (isActive && !isFiltered) setIsFiltered(true)
  if (isFiltered && first !== undefined && words !== first && !hasChanged) setHasChanged(true)
  return <VisuallyHidden role="status">{hasChanged ? words : ''}</VisuallyHidden>
}
