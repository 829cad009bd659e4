/** Copying a text that the page shows. If the browser refuses, the page says so and selects the text, so that it can be copied by hand. */
import { useClipboard } from '@mantine/hooks'
import { notifications } from '@mantine/notifications'
import { type RefObject, useEffect } from 'react'
import { useTranslation } from 'react-i18next'
import { asRefused } from '../theme/messages.ts'

/** The element that shows a text. */
export type Shown = RefObject<HTMLElement | null>

export function useCopying(text: string, shown: Shown) {
  const { t } = useTranslation()
  const { copied: isCopied, copy, error } = useClipboard({ timeout: 2000 })
  useEffect(() => {
    if (error === null) return
    select(shown.current)
    const [title, message] = [t('general.notCopied.title'), t('general.notCopied.detail')]
    notifications.show({ ...asRefused, title, message, autoClose: 8000 })
  }, [error, shown, t])
  return { isCopied, copy: () => copy(text) }
}

function select(element: HTMLElement | null): void {
  if (element instanceof HTMLInputElement || element instanceof HTMLTextAreaElement) {
    element.focus()
    element.select()
  } else if (element) getSelection()?.selectAllChildren(element)
}
