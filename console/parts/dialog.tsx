/**
 * A dialog. When it closes, the focus returns to where it was, or moves to what comes next if that element is gone (`kept-focus.ts`).
 *
 * Invariant: the user cannot close it while a form or a code in it is sent (`useHold`), or while its action is under way. With changes in a
 * guarded form (`unsaved.ts`), Escape, a click beside the dialog and its close button ask first. The button to cancel does not.
 */
import { Modal, type ModalProps } from '@mantine/core'
import { type KeyboardEvent, useCallback, useLayoutEffect, useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { Closing, Holding } from './closing.ts'
import { confirmLeaving, hasUnsaved, Inside, type Unsaved, useUnsaved } from './unsaved.ts'

/** The open dialogs, in their order. Escape closes the top one. */
const open: object[] = []

interface DialogProps extends ModalProps {
  /** A request is under way. The parts inside say this themselves (`useHold`). */
  readonly isSending?: boolean
  /** What its requests make that is shown once. Leaving the page while one is under way asks first: the response would be lost. */
  readonly makes?: Unsaved | undefined
}

export function Dialog({ opened, onClose, isSending = false, makes, children, ...rest }: DialogProps) {
  const { t } = useTranslation()
  const self = useRef({}).current
  useLayoutEffect(() => {
    if (!opened) return
    open.push(self)
    // A moment later, since the dialog below gets the same key event.
    return () => void setTimeout(() => open.splice(open.indexOf(self), 1))
  }, [opened, self])
  // A key may be pressed before the next render.
  const isHeldNow = useRef(false)
  const [isHeld, setIsHeld] = useState(false)
  const hold = useCallback((next: boolean) => {
    isHeldNow.current = next
    setIsHeld(next)
  }, [])
  const inside = useRef(new Set<() => boolean>()).current
  const mayClose = () => !isSending && !isHeldNow.current
  useUnsaved({ isDirty: () => makes !== undefined && !mayClose() }, makes)
  const cancel = () => {
    if (mayClose()) onClose()
  }
  const ask = async () => {
    if (await confirmLeaving(inside)) onClose()
  }
  const close = () => {
    if (open.at(-1) !== self || !mayClose()) return
    if (!hasUnsaved(inside)) onClose()
    else setTimeout(ask) // A moment later, since the question would get the same key event.
  }
  return (
    <Modal
      {...rest}
      opened={opened}
      onClose={close}
      returnFocus={false} // it ignores that the element may be gone
      // Otherwise two open dialogs are two banners of the page.
      attributes={{ header: { role: 'presentation' } }}
      onKeyDown={keepFromTrap}
      closeButtonProps={{
        'aria-label': t('general.close'),
        ...((isSending || isHeld) && { 'aria-disabled': true, 'data-disabled': true }),
      }}
    >
      <Closing value={cancel}>
        <Holding value={hold}>
          <Inside value={inside}>{children}</Inside>
        </Holding>
      </Closing>
    </Modal>
  )
}

/**
 * In a date field, the Tab key moves between its parts, and then on, as the browser has it. Mantine's trap looks in a timer where it led. If
 * the timer is late and the next Tab came before it, the trap takes the focus back. It is not needed there: the last field has buttons after it.
 */
function keepFromTrap(event: KeyboardEvent): void {
  if (event.key === 'Tab' && event.target instanceof HTMLInputElement && event.target.type === 'date')
    event.stopPropagation()
}
