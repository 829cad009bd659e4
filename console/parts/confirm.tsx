/** Asks before something that cannot be taken back. */
import { Button, Group, Modal, Stack, Text } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { type ReactNode, useLayoutEffect, useRef } from 'react'
import { useTranslation } from 'react-i18next'
import { Refused } from './form.tsx'

interface ConfirmProps {
  readonly title: string
  /** What will happen. */
  readonly children: ReactNode
  /** What the button says: the deed, not "OK". */
  readonly deed: string
  readonly isOpen: boolean
  readonly onClose: () => void
  readonly act: () => Promise<unknown>
  /** When it is done; the dialog closes by itself. */
  readonly onDone?: () => unknown
}

export function Confirm({ title, children, deed, isOpen, onClose, act, onDone }: ConfirmProps) {
  const { t } = useTranslation()
  const acting = useMutation({
    mutationFn: act,
    meta: { shows: true },
    onSuccess: async () => {
      await onDone?.()
      onClose()
    },
  })
  // Mantine gives the focus back only where the dialog was there, closed, before it opened.
  const before = useRef<Element>(null)
  useLayoutEffect(() => {
    if (isOpen) before.current = document.activeElement
  }, [isOpen])
  const leave = () => {
    acting.reset()
    const isLost = document.activeElement?.matches('body, [role="dialog"] *')
    if (isLost && before.current instanceof HTMLElement) before.current.focus()
  }
  return (
    <Modal
      opened={isOpen}
      onClose={onClose}
      onExitTransitionEnd={leave}
      title={title}
      closeButtonProps={{ 'aria-label': t('general.close') }}
    >
      <Stack gap="md">
        {acting.isError && <Refused error={acting.error} />}
        <Text size="sm" component="div">
          {children}
        </Text>
        <Group justify="flex-end" gap="sm">
          <Button variant="default" onClick={onClose} data-autofocus>
            {t('general.cancel')}
          </Button>
          <Button color="red" loading={acting.isPending} onClick={() => acting.mutate()}>
            {deed}
          </Button>
        </Group>
      </Stack>
    </Modal>
  )
}
