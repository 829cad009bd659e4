/** A dialog. When it closes, the focus returns to where it was, or moves to the heading of the page if that element is gone. */
import { Modal, type ModalProps } from '@mantine/core'
import { type KeyboardEvent, useLayoutEffect, useRef } from 'react'
import { useTranslation } from 'react-i18next'
import { Closing } from './closing.ts'

/** The open dialogs, in their order. Escape closes the top one. */
const open: object[] = []

export function Dialog({ opened, onClose, onExitTransitionEnd, children, ...rest }: ModalProps) {
  const { t } = useTranslation()
  // Mantine's `returnFocus` needs the dialog to be rendered before it opens, ignores that the element may be gone, and overrides a
  // focus that was moved on closing.
  const before = useRef<Element>(null)
  useLayoutEffect(() => {
    if (opened) before.current = document.activeElement
  }, [opened])
  const self = useRef({}).current
  useLayoutEffect(() => {
    if (!opened) return
    open.push(self)
    // A moment later, since the dialog below gets the same key event.
    return () => void setTimeout(() => open.splice(open.indexOf(self), 1))
  }, [opened, self])
  const close = () => {
    if (open.at(-1) === self) onClose()
  }
  const leave = () => {
    onExitTransitionEnd?.()
    // A moment later, since the action may be removing the button that opened the dialog.
    setTimeout(() => {
      if (document.activeElement?.matches('body, [role="dialog"] *') && !isBelow(before.current))
        focusAgain(before.current)
    })
  }
  return (
    <Modal
      {...rest}
      opened={opened}
      onClose={close}
      returnFocus={false}
      // Otherwise two open dialogs are two banners of the page.
      attributes={{ header: { role: 'presentation' } }}
      onExitTransitionEnd={leave}
      onKeyDown={keepFromTrap}
      closeButtonProps={{ 'aria-label': t('general.close') }}
    >
      <Closing value={onClose}>{children}</Closing>
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

/** Whether another dialog, which has opened meanwhile, is above an element. It keeps the focus. */
function isBelow(element: Element | null): boolean {
  return open.length > 0 && !element?.matches('[role="dialog"] *')
}

function focusAgain(element: Element | null): void {
  const isThere = element instanceof HTMLElement && element.isConnected && element !== document.body
  if (isThere) element.focus()
  else document.querySelector<HTMLElement>('main h1')?.focus()
}
