/** Asks before an action that the user cannot undo. It stays open while the action is under way. */
import { Button, Group, Stack, Text } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { type ReactNode, useEffect, useRef } from 'react'
import { useTranslation } from 'react-i18next'
import { Dialog } from './dialog.tsx'
import { RefusedInFocus } from './form.tsx'
import type { Unsaved } from './unsaved.ts'

interface ConfirmProps {
  readonly title: string
  /** What will happen. */
  readonly children: ReactNode
  /** The label of the button: the action, not "OK". */
  readonly submit: string
  /** The action takes nothing away, so the button is not red. */
  readonly isGiving?: boolean
  readonly isOpen: boolean
  readonly onClose: () => void
  readonly act: () => Promise<unknown>
  /** Called after the action. The dialog closes by itself, and does not wait for what this reads. */
  readonly onDone?: () => unknown
  /** What the action makes that is shown once. Leaving the page while it is under way asks first. */
  readonly makes?: Unsaved
}

export function Confirm({
  title,
  children,
  submit,
  isGiving = false,
  isOpen,
  onClose,
  act,
  onDone,
  makes,
}: ConfirmProps) {
  const { t } = useTranslation()
  // `isPending` changes with the next render. A second click may come before it, or while the dialog closes.
  const isActing = useRef(false)
  useEffect(() => {
    if (isOpen) isActing.current = false
  }, [isOpen])
  const acting = useMutation({
    mutationFn: act,
    meta: { shows: true },
    onSuccess() {
      onClose()
      void onDone?.()
    },
    onError() {
      isActing.current = false
    },
  })
  const actOnce = () => {
    if (isActing.current) return
    isActing.current = true
    acting.mutate()
  }
  const close = () => {
    if (!isActing.current) onClose()
  }
  return (
    <Dialog
      opened={isOpen}
      onClose={close}
      isSending={acting.isPending}
      makes={makes}
      onExitTransitionEnd={acting.reset}
      title={title}
    >
      <Stack gap="md">
        {acting.isError && <RefusedInFocus error={acting.error} />}
        <Text size="sm" component="div">
          {children}
        </Text>
        <Group justify="flex-end" gap="sm">
          <Button
            variant="default"
            onClick={close}
            aria-disabled={acting.isPending}
            data-disabled={acting.isPending}
            data-autofocus
          >
            {t('general.cancel')}
          </Button>
          <Button color={isGiving ? 'accent' : 'red'} loading={acting.isPending} onClick={actOnce}>
            {submit}
          </Button>
        </Group>
      </Stack>
    </Dialog>
  )
}
