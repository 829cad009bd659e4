/** Secrets that are shown once: the dialog in which a form makes one, the field that shows it, and the button that copies it. */
import { TextInput } from '@mantine/core'
import { type ReactNode, type RefObject, useEffect, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { CopyText } from './copy-text.tsx'
import { Dialog } from './dialog.tsx'
import classes from './secret.module.css'
import { useUnsaved } from './unsaved.ts'

interface SecretDialogProps<Made> {
  /** @param made undefined while there is no secret */
  readonly title: (made: Made | undefined) => string
  readonly isOpen: boolean
  readonly onClose: () => void
  /** The form that makes the secret. */
  readonly form: (onMade: (made: Made) => void) => ReactNode
  /** Shows it. @param onSaved what its button calls: it closes the dialog */
  readonly children: (made: Made, onSaved: () => void) => ReactNode
}

/**
 * Only its button closes it once the secret is there, even if the page closes the dialog meanwhile: Enter and Escape are easily typed, and
 * the secret is not shown again. Leaving the page asks first, also while the secret is made.
 */
export function SecretDialog<Made>({ title, isOpen, onClose, form, children }: SecretDialogProps<Made>) {
  const [made, setMade] = useState<Made>()
  const [isSaved, setIsSaved] = useState(false)
  const mayClose = made === undefined || isSaved
  useUnsaved({ isDirty: () => !mayClose }, 'secret')
  const save = () => {
    setIsSaved(true)
    onClose()
  }
  return (
    <Dialog
      opened={isOpen || !mayClose}
      onClose={onClose}
      makes="secret"
      onExitTransitionEnd={() => {
        setMade(undefined)
        setIsSaved(false)
      }}
      closeOnClickOutside={mayClose}
      closeOnEscape={mayClose}
      withCloseButton={mayClose}
      size="lg"
      title={title(made)}
    >
      {made === undefined ? form((made) => setMade(() => made)) : children(made, save)}
    </Dialog>
  )
}

interface SecretProps {
  readonly secret: string
  /** The field that shows it. */
  readonly field: RefObject<HTMLInputElement | null>
}

/** Takes the focus, which the form had that was here. */
export function SecretField({ secret, field, label }: SecretProps & { readonly label: string }) {
  useEffect(() => field.current?.focus(), [field])
  return (
    <TextInput
      ref={field}
      label={label}
      classNames={{ input: classes.secret ?? '' }}
      value={secret}
      readOnly
      onFocus={({ currentTarget }) => currentTarget.select()}
    />
  )
}

export function CopySecret({ secret, field }: SecretProps) {
  const { t } = useTranslation()
  return <CopyText text={secret} label={t('general.secret.copy')} shown={field} />
}
