/** A dialog. When it closes, the focus is where it was before, or on the page's heading where that is gone. */
import { Modal, type ModalProps } from '@mantine/core'
import { useLayoutEffect, useRef } from 'react'
import { useTranslation } from 'react-i18next'
import { Closing } from './closing.ts'

/** Those that are open, in their order: Escape is for the one on top. */
const open: object[] = []

export function Dialog({ opened, onClose, onExitTransitionEnd, children, ...rest }: ModalProps) {
  const { t } = useTranslation()
  // Mantine gives the focus back only where the dialog was there, closed, before it opened, only to what is still there, and though
  // whoever closes the dialog has put it elsewhere.
  const before = useRef<Element>(null)
  useLayoutEffect(() => {
    if (opened) before.current = document.activeElement
  }, [opened])
  const self = useRef({}).current
  useLayoutEffect(() => {
    if (!opened) return
    open.push(self)
    // A moment later: whichever stands below hears of the same key.
    return () => void setTimeout(() => open.splice(open.indexOf(self), 1))
  }, [opened, self])
  const close = () => {
    if (open.at(-1) === self) onClose()
  }
  const leave = () => {
    onExitTransitionEnd?.()
    // A moment later: what was done in the dialog may just be taking away the button that opened it.
    setTimeout(() => {
      if (document.activeElement?.matches('body, [role="dialog"] *')) focusAgain(before.current)
    })
  }
  return (
    <Modal
      {...rest}
      opened={opened}
      onClose={close}
      returnFocus={false}
      onExitTransitionEnd={leave}
      closeButtonProps={{ 'aria-label': t('general.close') }}
    >
      <Closing value={onClose}>{children}</Closing>
    </Modal>
  )
}

function focusAgain(element: Element | null): void {
  const isThere = element instanceof HTMLElement && element.isConnected && element !== document.body
  if (isThere) element.focus()
  else document.querySelector<HTMLElement>('main h1')?.focus()
}
