/**
 * A form: sends its values, and shows each fault that the API names at its field.
 *
 * A refusal without a field is shown above the fields. The focus moves to the first fault. In a dialog there is a button to cancel, and the
 * dialog stays open while the form sends.
 */
import { Alert, Box, Button, Group, Stack } from '@mantine/core'
import type { UseFormReturnType } from '@mantine/form'
import { useMutation } from '@tanstack/react-query'
import type { TFunction } from 'i18next'
import { type ReactNode, type Ref, use, useEffect, useLayoutEffect, useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { isRefusal, type Refusal } from '../api/refusal.ts'
import { wordsOf } from '../texts/refusals.ts'
import { Closing, useHold } from './closing.ts'
import { isFactorMissing, SetUpFactor } from './set-up-factor.tsx'

interface FormProps<Values extends Record<string, unknown>, Result> {
  readonly form: UseFormReturnType<Values>
  /** Calls the API. The form shows what it throws. */
  readonly send: (values: Values) => Promise<Result>
  readonly onDone?: (result: Result, values: Values) => unknown
  /** The label of the button. */
  readonly submit: string
  /** The field of a problem without `errors`, by its code: `{ wrong_password: 'currentPassword' }`. */
  readonly fields?: Partial<Record<string, keyof Values & string>>
  /** Beside the button. */
  readonly others?: ReactNode
  readonly color?: string
  readonly fullWidth?: boolean
  /** There is nothing to send. */
  readonly disabled?: boolean
  /** Refusals after which the same would be refused again: the button goes. */
  readonly final?: readonly Refusal['problem']['code'][]
  readonly children?: ReactNode
}

export function Form<Values extends Record<string, unknown>, Result>(props: FormProps<Values, Result>) {
  const {
    form,
    send,
    onDone,
    submit,
    fields,
    others,
    color,
    fullWidth = false,
    disabled = false,
    final,
    children,
  } = props
  const { t } = useTranslation()
  const cancel = use(Closing)
  const hold = useHold()
  const alert = useRef<HTMLDivElement>(null)
  const self = useRef<HTMLFormElement>(null)
  const [isAtField, setIsAtField] = useState(false)
  /** Whether the focus is to move with the next error that is rendered. */
  const needsFocus = useRef(false)
  const sending = useMutation({
    mutationFn: send,
    meta: { shows: true },
    onSuccess: (result, values) => onDone?.(result, values),
    onError(error) {
      const errors = isRefusal(error) ? faultsOf(error, form.getValues(), t, fields) : {}
      const [first] = Object.keys(errors)
      setIsAtField(first !== undefined)
      form.setErrors(errors)
      const input = first === undefined ? null : form.getInputNode(first)
      input?.focus()
      needsFocus.current = !input
    },
  })
  // What gets the focus is there once the error is rendered, which a slow browser does some frames later.
  useEffect(() => {
    if (sending.error === null || !needsFocus.current) return
    needsFocus.current = false
    const marked = self.current?.querySelector<HTMLElement>('[aria-invalid=true]') // in a group of inputs
    ;(isAtField ? marked : alert.current)?.focus()
  }, [sending.error, isAtField])
  /** For faults that the form itself finds. */
  const focusFirst = (errors: object) => form.getInputNode(Object.keys(errors)[0] ?? '')?.focus()
  // `isPending` changes with the next render. A second submit may come before it.
  const isSending = useRef(false)
  const sendOnce = (values: Values) => {
    if (isSending.current || disabled) return
    isSending.current = true
    hold(true)
    sending.mutate(values, {
      onSettled: () => {
        isSending.current = false
        hold(false)
      },
    })
  }
  return (
    <form ref={self} noValidate onSubmit={form.onSubmit(sendOnce, focusFirst)}>
      <Stack gap="md">
        {sending.isError && !isAtField && <Refused ref={alert} error={sending.error} />}
        {children}
        <Group gap="sm" mt={children ? 4 : 0} justify={cancel ? 'flex-end' : 'flex-start'}>
          {cancel && (
            <Button
              variant="default"
              onClick={cancel}
              aria-disabled={sending.isPending}
              data-disabled={sending.isPending}
            >
              {t('general.cancel')}
            </Button>
          )}
          {!(sending.isError && isRefusal(sending.error) && final?.includes(sending.error.problem.code)) && (
            <Button
              type="submit"
              loading={sending.isPending}
              // Not `disabled`, which would lose the focus after saving.
              aria-disabled={disabled}
              data-disabled={disabled}
              fullWidth={fullWidth && !cancel}
              {...(color && { color })}
            >
              {submit}
            </Button>
          )}
          {others}
        </Group>
      </Stack>
    </form>
  )
}

interface RefusedProps {
  readonly error: unknown
  readonly ref?: Ref<HTMLDivElement>
}

/** An error in words. */
export function Refused({ error, ref }: RefusedProps) {
  const { t } = useTranslation()
  const { title, detail } = wordsOf(error)
  const isMissing = isFactorMissing(error)
  return (
    <Alert
      ref={ref}
      color={isMissing || isRefusal(error, 'second_factor_required') ? 'yellow' : 'red'}
      title={title}
      role="alert"
      tabIndex={-1}
    >
      {detail !== title && detail}
      {isMissing && (
        <Box mt="sm">
          <SetUpFactor size="xs" />
        </Box>
      )}
      {isRefusal(error, 'outdated') && (
        <Button display="block" mt="sm" size="xs" variant="default" onClick={() => location.reload()}>
          {t('general.reload')}
        </Button>
      )}
    </Alert>
  )
}

/** The same, with the focus: what was asked for is refused here, and at the next frame this may not be rendered yet. */
export function RefusedInFocus({ error }: Pick<RefusedProps, 'error'>) {
  const alert = useRef<HTMLDivElement>(null)
  // biome-ignore lint/correctness/useExhaustiveDependencies: each refusal takes the focus
  useLayoutEffect(() => alert.current?.focus(), [error])
  return <Refused ref={alert} error={error} />
}

/**
 * The faults of a refusal by field. The pointer `/brand/color` is the field `brand.color` or `color`, and `/domains/17` is an entry of the
 * field `domains`, which its fault names.
 */
function faultsOf(
  refusal: Refusal,
  values: Readonly<Record<string, unknown>>,
  t: TFunction,
  fields: Partial<Record<string, string>> = {},
): Record<string, string> {
  const { problem } = refusal
  const faults: Record<string, string> = {}
  for (const { pointer, detail } of problem.errors ?? []) {
    const path = pointer.replace(/^[/?]/, '').split('/')
    const field = [path.join('.'), path[0], path.at(-1)].find((name) => name !== undefined && name in values)
    if (field === undefined) continue
    const isEmpty = values[field] === '' || values[field] === null
    const fault = isEmpty && problem.code === 'invalid_request' ? t('general.needed') : detail
    const entry = entryOf(values[field], path.at(-1))
    faults[field] ??= entry === undefined ? fault : t('general.entryFault', { entry, fault })
  }
  const field = fields[problem.code]
  const { title, detail } = wordsOf(refusal)
  if (field !== undefined) faults[field] ??= detail ?? title
  return faults
}

/** @returns the entry of a list of texts at a place; undefined if it is no such list */
function entryOf(list: unknown, index: string | undefined): string | undefined {
  const entry: unknown = Array.isArray(list) ? list[Number(index)] : undefined
  return typeof entry === 'string' ? entry : undefined
}
