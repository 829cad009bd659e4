/** A code of six digits, which is sent by itself once it is complete. */
import { PinInput, Stack, Text } from '@mantine/core'
import { type ClipboardEvent, useId, useLayoutEffect, useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { isRefusal } from '../api/refusal.ts'
import { useHold } from './closing.ts'
import { withAsciiDigits } from './digits.ts'
import { Refused } from './form.tsx'

/** Digits of a code. */
const length = 6

const allDigits = /^\p{Nd}+$/u

/** What may be between the digits of a pasted code: "123 456", "123-456". Texts from right to left have marks that cannot be seen. */
const separators = /[\s\p{P}\p{Cf}]/gu

/** The code that was accepted last. An app shows it for a while, and it works once. */
let used: string | undefined

/** Sends a code, and remembers it if it is accepted. */
export async function spendCode<Result>(code: string, send: (code: string) => Promise<Result>): Promise<Result> {
  const result = await send(code)
  used = code
  return result
}

interface CodeFieldProps {
  /** What to enter. */
  readonly lead: string
  /** A mutation that takes the code, and sends it by `spendCode`. */
  readonly proving: {
    readonly mutate: (code: string) => void
    readonly isPending: boolean
    readonly error: unknown
  }
}

export function CodeField({ lead, proving: { mutate, isPending, error } }: CodeFieldProps) {
  const { t } = useTranslation()
  const [code, setCode] = useState('')
  const sent = useRef('')
  // `isPending` changes with a later render. Another change of the field may come before it.
  const isSending = useRef(false)
  const hold = useHold()
  const id = useId()
  const field = useRef<HTMLDivElement>(null)
  // A refused code is typed again, and the dialog can be closed: both as soon as the refusal is shown.
  useLayoutEffect(() => {
    if (isPending || !error) return
    isSending.current = false
    hold(false)
    setCode('')
    field.current?.querySelector('input')?.focus()
  }, [isPending, error, hold])
  // Not `onComplete` of the field, which is called again only after somebody has taken a digit away: never for a code that is pasted
  // after a refused one.
  const change = (typed: string) => {
    if (isSending.current) return
    const digits = withAsciiDigits(typed)
    setCode(digits)
    if (digits.length < length) return
    isSending.current = true
    hold(true)
    sent.current = digits
    mutate(digits)
  }
  const paste = (event: ClipboardEvent) => {
    event.preventDefault()
    const digits = event.clipboardData.getData('text/plain').replace(separators, '')
    if (!allDigits.test(digits)) return
    const pasted = [...digits].slice(0, length)
    change(pasted.join(''))
    field.current?.querySelectorAll('input')[Math.min(pasted.length, length - 1)]?.focus()
  }
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
        type={allDigits}
        inputType="tel"
        oneTimeCode
        placeholder=""
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
          inputMode: 'numeric',
          onPaste: paste,
          ...(index === 0 && { 'data-autofocus': true }),
        })}
        onChange={change}
      />
      {isRefused && isWrong && (
        <div role="alert">
          <Text size="sm" c="red">
            {t(sent.current === used ? 'signIn.steps.usedCode' : 'signIn.steps.wrongCode')}
          </Text>
        </div>
      )}
    </Stack>
  )
}
