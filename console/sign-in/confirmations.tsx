/** Shows the dialog in which the user confirms to be there (api/confirmation.ts). Its code is loaded when it is first needed. */
import { type ComponentType, useEffect, useState } from 'react'
import { onConfirmation, type Wanted } from '../api/confirmation.ts'
import { reached } from '../api/reached.ts'

const loadDialog = reached(() => import('./confirm-dialog.tsx'))

export interface ConfirmDialogProps {
  readonly wanted: Wanted
  readonly isOpen: boolean
  /** @param isConfirmed whether the user has confirmed, or has closed the dialog */
  readonly onClose: (isConfirmed: boolean) => void
  /** The dialog has disappeared. */
  readonly onGone: () => void
}

interface Shown extends Pick<ConfirmDialogProps, 'wanted' | 'onClose'> {
  readonly Dialog: ComponentType<ConfirmDialogProps>
}

export function Confirmations() {
  const [shown, setShown] = useState<Shown>()
  const [isOpen, setIsOpen] = useState(false)
  useEffect(() => {
    onConfirmation(async (wanted) => {
      const { ConfirmDialog } = await loadDialog()
      return new Promise((answer) => {
        const onClose = (isConfirmed: boolean) => {
          setIsOpen(false)
          answer(isConfirmed)
        }
        setShown({ wanted, onClose, Dialog: ConfirmDialog })
        setIsOpen(true)
      })
    })
  }, [])
  if (!shown) return null
  const { Dialog, wanted, onClose } = shown
  return <Dialog wanted={wanted} isOpen={isOpen} onClose={onClose} onGone={() => setShown(undefined)} />
}
