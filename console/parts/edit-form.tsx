/**
 * A form that edits something where it stands.
 *
 * Invariant: nobody overwrites what they have not seen. What others have changed meanwhile comes into the fields that were not touched;
 * where both have changed a field, what was typed stays, what is there now is said, and nothing is saved until it is sent once more.
 */
import { Button } from '@mantine/core'
import type { UseFormReturnType } from '@mantine/form'
import { type ReactNode, useEffect, useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { isRefusal, Refusal } from '../api/refusal.ts'
import { inWords } from '../audit/values.ts'
import { Form } from './form.tsx'
import { useUnsaved } from './unsaved.tsx'

interface EditFormProps<Thing, Values extends Record<string, unknown>> {
  readonly form: UseFormReturnType<Values>
  /** What is edited, as it was read last. */
  readonly thing: Thing
  /** What the fields have of it. */
  readonly pick: (thing: Thing) => Values
  /** Reads what is there now. */
  readonly read: () => Promise<Thing>
  /** Sends what was changed, to be made of `before` or not at all. */
  readonly save: (values: Values, before: Thing) => Promise<Thing>
  readonly onSaved: (thing: Thing) => unknown
  readonly submit?: string
  readonly fields?: Partial<Record<string, keyof Values & string>>
  readonly children: ReactNode
}

export function EditForm<Thing, Values extends Record<string, unknown>>(props: EditFormProps<Thing, Values>) {
  const { form, thing, pick, read, save, onSaved, submit, fields, children } = props
  const { t } = useTranslation()
  /** What the form was filled from. */
  const before = useRef(thing)
  const [isLate, setLate] = useState(false)
  const [attempt, setAttempt] = useState(0)
  useUnsaved(form)

  /** @returns the fields that were changed here and elsewhere */
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
  // biome-ignore lint/correctness/useExhaustiveDependencies: only when something else was read
  useEffect(() => {
    // Where both have changed something, it is told when it is saved: in the middle of typing it would be in the way.
    const isTold = form.isDirty() && !isSame(pick(thing), pick(before.current))
    if (thing !== before.current && !isTold) follow(thing)
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
  /** @param sent what the fields had when it was sent; what was typed since is kept */
  const settle = (now: Thing, sent: Values = form.getValues()) => {
    const typed = Object.entries(form.getValues()).filter(([field, value]) => !isSame(value, sent[field]))
    before.current = now
    form.setInitialValues(pick(now)) // in the form in which it is kept: trimmed, in lower case
    form.reset()
    if (typed.length > 0) form.setValues({ ...pick(now), ...Object.fromEntries(typed) })
    setLate(false)
  }
  return (
    <Form
      key={attempt} // what was refused is forgotten with what was typed
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
              const [first = ''] = Object.keys(form.getValues())
              requestAnimationFrame(() => form.getInputNode(first)?.focus())
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
