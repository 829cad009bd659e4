/** The question before a page with unsaved changes, or with a secret that is shown once, is left (unsaved.ts). */
import { Button, Group, Text } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { useBlocker } from '@tanstack/react-router'
import { useEffect, useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { Dialog } from './dialog.tsx'
import { closeQuestion, confirmLeaving, hasUnsaved, setQuestion, type Unsaved } from './unsaved.ts'

/** A search or a filter in the address does not leave the page. */
async function shouldBlock(places: Record<'current' | 'next', { readonly pathname: string }>): Promise<boolean> {
  if (places.current.pathname !== places.next.pathname) return !(await confirmLeaving())
  closeQuestion() // the user has gone forward again
  return false
}

/**
 * Asks with a dialog inside the console, and with the browser's on closing or reloading the tab. The shell renders it once. On a page
 * without the shell, the step that shows a secret renders it.
 */
export function UnsavedGuard() {
  const { t } = useTranslation()
  const [isAsking, { open, close }] = useDisclosure()
  const [what, setWhat] = useState<Unsaved>('changes')
  const answering = useRef<(mayLeave: boolean) => void>(undefined)
  const answer = (mayLeave: boolean) => {
    answering.current?.(mayLeave)
    close()
  }
  useBlocker({ shouldBlockFn: shouldBlock, enableBeforeUnload: hasUnsaved })
  useEffect(() => {
    const ask = (unsaved: Unsaved) => {
      setWhat(unsaved)
      open()
      // If the user goes back again meanwhile, only the last question is answered: the router undoes all steps with it.
      return new Promise<boolean>((resolve) => {
        answering.current = resolve
      })
    }
    setQuestion({ open: ask, close })
    return () => setQuestion(undefined)
  }, [open, close])
  return (
    <Dialog
      opened={isAsking}
      onClose={() => answer(false)}
      closeOnClickOutside={false} // the second click of two beside a dialog would answer what the first has asked
      title={t(`general.unsaved.${what}.title`)}
      zIndex={220} // above a dialog with unsaved changes
    >
      <Text size="sm" mb="md">
        {t(`general.unsaved.${what}.lead`)}
      </Text>
      <Group justify="flex-end" gap="sm">
        <Button variant="default" onClick={() => answer(false)} data-autofocus>
          {t(`general.unsaved.${what}.stay`)}
        </Button>
        <Button color="red" onClick={() => answer(true)}>
          {t(`general.unsaved.${what}.leave`)}
        </Button>
      </Group>
    </Dialog>
  )
}
