/** A button that deletes something for good, after its name was typed. */
import { Button, Stack, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useDisclosure } from '@mantine/hooks'
import type { ReactNode } from 'react'
import { isRefusal, Refusal } from '../api/refusal.ts'
import { Dialog } from './dialog.tsx'
import { Form } from './form.tsx'
import { forgetUnsaved } from './unsaved.ts'

interface DeletionProps {
  readonly texts: {
    readonly open: string
    readonly question: string
    readonly submit: string
    /** The label of the field. */
    readonly confirm: string
    /** What is said of another name. */
    readonly mismatch: string
  }
  readonly send: (body: { readonly confirm: string }) => Promise<unknown>
  readonly onDone: () => Promise<void>
  /** What becomes of what hangs on it. */
  readonly children: ReactNode
}

export function DeletionByName(props: DeletionProps) {
  const { texts } = props
  const [isOpen, { open, close }] = useDisclosure()
  return (
    <>
      <Button variant="default" c="red" onClick={open}>
        {texts.open}
      </Button>
      <Dialog opened={isOpen} onClose={close} title={texts.question}>
        <DeletionForm {...props} />
      </Dialog>
    </>
  )
}

function DeletionForm({ texts, send, onDone, children }: DeletionProps) {
  const form = useForm({ initialValues: { confirm: '' } })
  return (
    <Stack gap="md">
      {children}
      <Form
        form={form}
        submit={texts.submit}
        color="red"
        disabled={form.values.confirm.trim() === ''}
        send={(body) =>
          send(body).catch((error: unknown) => {
            if (!isRefusal(error, 'confirmation_mismatch')) throw error
            throw new Refusal({
              code: 'invalid_request',
              errors: [{ pointer: '/confirm', code: 'not_allowed', detail: texts.mismatch }],
            })
          })
        }
        onDone={() => {
          forgetUnsaved()
          return onDone()
        }}
      >
        <TextInput {...form.getInputProps('confirm')} label={texts.confirm} autoComplete="off" data-autofocus />
      </Form>
    </Stack>
  )
}
