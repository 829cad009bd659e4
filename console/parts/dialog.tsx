/** A dialog. When it closes, the focus returns to where it was, or moves to what comes next if that element is gone (`kept-focus.ts`). */
import { Modal, type ModalProps } from '@mantine/core'
import { type KeyboardEvent, useLayoutEffect, useRef } from 'react'
import { useTranslation } from 'react-i18next'
import { Closing } from './closing.ts'

/** The open dialogs, in their order. Escape closes the top one. */
const open: object[] = []

export function Dialog({ opened, onClose, children, ...rest }: ModalProps) {
  const { t } = useTranslation()
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
  return (
    <Modal
      {...rest}
      opened={opened}
      onClose={close}
      returnFocus={false} // it ignores that the element may be gone
      // Otherwise two open dialogs are two banners of the page.
      attributes={{ header: { role: 'presentation' } }}
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
