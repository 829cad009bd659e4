/** Shows the dialog in which the user confirms to be there (api/confirmation.ts). Its code is loaded when it is first needed. */
import { type ComponentType, useEffect, useState } from 'react'
import { onConfirmation, type Wanted } from '../api/confirmation.ts'
import { reached } from '../api/reached.ts'
import { Refusal } from '../api/refusal.ts'

const loadDialog = reached(() => import('./confirm-dialog.tsx'))

/** Milliseconds for its code, as for any read. The dialog whose request waits is locked meanwhile. */
const longestLoad = 15_000

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

/** Ends the open confirmation. */
let end: (() => void) | undefined

/** The session has ended, so nobody is there to confirm. Requests that wait for it are refused as they would be now. */
export function endConfirmation(): void {
  end?.()
}

export function Confirmations() {
  const [shown, setShown] = useState<Shown>()
  const [isOpen, setIsOpen] = useState(false)
  useEffect(() => {
    onConfirmation((wanted) =>
      new Promise<boolean>((answer, refuse) => {
        let isOver = false
        const fail = (error: unknown) => {
          isOver = true
          refuse(error)
        }
        end = () => {
          setShown(undefined) // at once: a dialog that fades out would ask for another attempt
          fail(new Refusal({ code: 'unauthenticated' }))
        }
        const onClose = (isConfirmed: boolean) => {
          // A passkey may be used after its dialog was closed. The open dialog is another one then.
          if (isOver) return
          isOver = true
          setIsOpen(false)
          answer(isConfirmed)
        }
        const timer = setTimeout(() => fail(Refusal.unanswered(true)), longestLoad)
        loadDialog()
          .finally(() => clearTimeout(timer))
          .then(({ ConfirmDialog }) => {
            if (isOver) return
            setShown({ wanted, onClose, Dialog: ConfirmDialog })
            setIsOpen(true)
          }, fail)
      }).finally(() => {
        end = undefined
      }),
    )
  }, [])
  if (!shown) return null
  const { Dialog, wanted, onClose } = shown
  return <Dialog wanted={wanted} isOpen={isOpen} onClose={onClose} onGone={() => setShown(undefined)} />
}
