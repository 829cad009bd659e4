/** A code of six digits, which is sent by itself once it is complete. */
import { PinInput, Stack, Text } from '@mantine/core'
import { useEffect, useId, useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { isRefusal } from '../api/refusal.ts'
import { wordsOf } from '../texts/refusals.ts'
import { Refused } from './form.tsx'

/** Digits of a code. */
const length = 6

interface CodeFieldProps {
  /** What to enter. */
  readonly lead: string
  /** What a wrong code says. */
  readonly wrong?: string | undefined
  /** A mutation that takes the code. */
  readonly proving: {
    readonly mutate: (code: string) => void
    readonly isPending: boolean
    readonly error: unknown
  }
}

export function CodeField({ lead, wrong, proving: { mutate, isPending, error } }: CodeFieldProps) {
  const { t } = useTranslation()
  const [code, setCode] = useState('')
  const id = useId()
  const field = useRef<HTMLDivElement>(null)
  // A refused code is typed again.
  useEffect(() => {
    if (isPending || !error) return
    setCode('')
    field.current?.querySelector('input')?.focus()
  }, [isPending, error])
  const isRefused = Boolean(error) && !isPending
  const isWrong = isRefusal(error, 'wrong_proof')
  return (
    <Stack gap="sm" ref={field}>
      {isRefused && !isWrong && <Refused error={error} />}
      <Text size="sm" id={id}>
        {lead}
      </Text>
      <PinInput
        length={length}
        type="number"
        oneTimeCode
        autoFocus
        size="md"
        value={code}
        readOnly={isPending}
        error={isRefused && code === ''}
        aria-label={t('signIn.steps.code')}
        // In a dialog the first element would get the focus otherwise.
        getInputProps={(index) => ({
          'aria-label': t('signIn.steps.digit', { at: index + 1, of: length }),
          'aria-describedby': id,
          ...(index === 0 && { 'data-autofocus': true }),
        })}
        onChange={setCode}
        onComplete={mutate}
      />
      {isRefused && isWrong && (
        <div role="alert">
          <Text size="sm" c="red">
            {wrong ?? wordsOf(error).detail}
          </Text>
        </div>
      )}
    </Stack>
  )
}
