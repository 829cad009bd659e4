/**
 * Changes that are not saved yet: who is about to leave a page that has some is asked first.
 *
 * Invariant: what was typed into a guarded form is lost only when its writer says so, or is no longer signed in.
 */
import { Button, Group, Text } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { useBlocker } from '@tanstack/react-router'
import { useEffect, useRef } from 'react'
import { useTranslation } from 'react-i18next'
import { Dialog } from './dialog.tsx'

const guarded = new Set<() => boolean>()

/** Whether anything would be lost. */
export function hasUnsaved(): boolean {
  return [...guarded].some((isDirty) => isDirty())
}

/** Guards a form that is edited where it stands: `useUnsaved(form)`. */
export function useUnsaved({ isDirty }: { readonly isDirty: () => boolean }): void {
  useEffect(() => {
    guarded.add(isDirty)
    return () => void guarded.delete(isDirty)
  }, [isDirty])
}

/** Lets everything go without a question: there is nobody any more, or nothing, that it could be saved for. */
export function forgetUnsaved(): void {
  guarded.clear()
}

let ask: () => Promise<boolean> = async () => true
let askNoMore: () => void = () => {}

/** Asks, where there is something to lose. @returns whether the page may be left */
export async function mayLeave(): Promise<boolean> {
  return !hasUnsaved() || ask()
}

/** A search or a filter in the address does not leave the page. */
async function isKept(places: Record<'current' | 'next', { readonly pathname: string }>): Promise<boolean> {
  if (places.current.pathname !== places.next.pathname) return !(await mayLeave())
  askNoMore() // who went back has come forward again
  return false
}

/** Asks in our words inside the console, and in the browser's when the tab is closed or loaded anew. Stands once, around the pages. */
export function UnsavedGuard() {
  const { t } = useTranslation()
  const [isAsking, { open, close }] = useDisclosure()
  const answering = useRef<(mayLeave: boolean) => void>(undefined)
  const answer = (mayLeave: boolean) => {
    answering.current?.(mayLeave)
    close()
  }
  useBlocker({ shouldBlockFn: isKept, enableBeforeUnload: hasUnsaved })
  useEffect(() => {
    ask = () => {
      open()
      // Who goes back once more is answered that alone: the router takes back the whole way with it.
      return new Promise((resolve) => {
        answering.current = resolve
      })
    }
    askNoMore = close
    return () => {
      ask = async () => true
      askNoMore = () => {}
    }
  }, [open, close])
  return (
    // Above a dialog that has something to lose itself.
    <Dialog opened={isAsking} onClose={() => answer(false)} title={t('general.unsaved.title')} zIndex={220}>
      <Text size="sm" mb="md">
        {t('general.unsaved.lead')}
      </Text>
      <Group justify="flex-end" gap="sm">
        <Button variant="default" onClick={() => answer(false)} data-autofocus>
          {t('general.unsaved.keep')}
        </Button>
        <Button color="red" onClick={() => answer(true)}>
          {t('general.unsaved.discard')}
        </Button>
      </Group>
    </Dialog>
  )
}
