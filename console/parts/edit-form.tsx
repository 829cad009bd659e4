/**
 * A form that edits something in place.
 *
 * Invariant: nobody overwrites a value that they have not seen. Changes by others appear in the fields that the user has not touched.
 * If both have changed a field, it keeps the user's text and shows the other value, and nothing is saved until the user saves again.
 */
import { Button } from '@mantine/core'
import type { UseFormReturnType } from '@mantine/form'
import { type ReactNode, useEffect, useLayoutEffect, useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { isRefusal, Refusal } from '../api/refusal.ts'
import { inWords } from '../audit/values.ts'
import { Form } from './form.tsx'
import { useUnsaved } from './unsaved.ts'

interface EditFormProps<Thing, Values extends Record<string, unknown>> {
  readonly form: UseFormReturnType<Values>
  /** The edited thing, as it was read last. */
  readonly thing: Thing
  /** The values of the fields. */
  readonly pick: (thing: Thing) => Values
  /** Reads the latest version. */
  readonly read: () => Promise<Thing>
  /** Saves the changed values, if the latest version is still `before`. */
  readonly save: (values: Values, before: Thing) => Promise<Thing>
  readonly onSaved: (thing: Thing) => unknown
  readonly submit?: string
  readonly fields?: Partial<Record<string, keyof Values & string>>
  readonly children: ReactNode
}

export function EditForm<Thing, Values extends Record<string, unknown>>(props: EditFormProps<Thing, Values>) {
  const { form, thing, pick, read, save, onSaved, submit, fields, children } = props
  const { t } = useTranslation()
  /** The version that the form was filled from. */
  const before = useRef(thing)
  const [isLate, setLate] = useState(false)
  const [attempt, setAttempt] = useState(0)
  useUnsaved(form)
  // biome-ignore lint/correctness/useExhaustiveDependencies: only when the text was discarded, and other fields are there
  useLayoutEffect(() => {
    const [first = ''] = Object.keys(form.getValues())
    if (attempt > 0) form.getInputNode(first)?.focus()
  }, [attempt])

  /** Takes over the changes of others. @returns the fields that both have changed */
  const follow = (now: Thing) => {
    const [was, is, typed] = [pick(before.current), pick(now), form.getValues()]
    const changed = Object.keys(is).filter((field) => !isSame(is[field], was[field]))
    before.current = now
    if (changed.length === 0) return []
    const isTouched = (field: string) => !isSame(typed[field], was[field])
    form.setInitialValues(is)
    form.setValues({ ...is, ...Object.fromEntries(Object.entries(typed).filter(([field]) => isTouched(field))) })
    return changed.filter((field) => isTouched(field) && !isSame(typed[field], is[field]))
  }
  // biome-ignore lint/correctness/useExhaustiveDependencies: only when another version was read
  useEffect(() => {
    // If both have changed something, the form says so on saving, and does not interrupt the typing.
    const isConflict = form.isDirty() && !isSame(pick(thing), pick(before.current))
    if (thing !== before.current && !isConflict) follow(thing)
  }, [thing])

  const send = async (values: Values) => {
    try {
      return await save(values, before.current)
    } catch (error) {
      if (!isRefusal(error, 'version_mismatch')) throw error
      const now = await read()
      const clashes = follow(now)
      setLate(true)
      const errors = clashes.map((field) => {
        const value = inWords(field, pick(now)[field])
        return { pointer: `/${field}`, code: 'not_allowed' as const, detail: t('general.changedMeanwhile', { value }) }
      })
      throw new Refusal({ ...error.problem, errors })
    }
  }
  /** @param sent the values that were sent; text that was typed since then stays */
  const settle = (now: Thing, sent: Values = form.getValues()) => {
    const typed = Object.entries(form.getValues()).filter(([field, value]) => !isSame(value, sent[field]))
    before.current = now
    form.setInitialValues(pick(now)) // as the API normalizes them: trimmed, in lower case
    form.reset()
    if (typed.length > 0) form.setValues({ ...pick(now), ...Object.fromEntries(typed) })
    setLate(false)
  }
  return (
    <Form
      key={attempt} // discarding the text discards its faults
      form={form}
      submit={submit ?? t('general.save')}
      disabled={!form.isDirty()}
      send={send}
      onDone={(saved, sent) => {
        settle(saved, sent)
        return onSaved(saved)
      }}
      {...(fields && { fields })}
      others={
        isLate && (
          <Button
            variant="default"
            onClick={() => {
              settle(before.current)
              setAttempt(attempt + 1)
            }}
          >
            {t('general.discardMine')}
          </Button>
        )
      }
    >
      {children}
    </Form>
  )
}

function isSame(one: unknown, other: unknown): boolean {
  return JSON.stringify(one) === JSON.stringify(other)
}

/** The changed values. */
export function changesOf<Values extends object>(before: Values, values: Values): Partial<Values> {
  const changed = Object.entries(values).filter(([name, value]) => !isSame(value, before[name as keyof Values])) // its own name
  return Object.fromEntries(changed) as Partial<Values> // some of them
}
