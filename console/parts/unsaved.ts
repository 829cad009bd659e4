/**
 * Unsaved changes, and secrets that are shown once: leaving a page with any asks first, and so does leaving a dialog.
 *
 * Invariant: text in a guarded form, or a secret that is shown once, is lost only if the user confirms it, presses *Cancel*
 * in its dialog, or is not signed in any more.
 */
import { createContext, use, useEffect } from 'react'

/** What is lost: changes in a form, or what is shown only once. */
export type Unsaved = 'changes' | 'secret' | 'codes'

const guarded = new Map<() => boolean, Unsaved>()

/** The guards inside of a dialog; undefined outside of a dialog. */
export const Inside = createContext<Set<() => boolean> | undefined>(undefined)

/** @returns what is unsaved, if anything is. A secret comes before changes, which can be made again. */
function findUnsaved(inside?: ReadonlySet<() => boolean>): Unsaved | undefined {
  const unsaved = [...guarded]
    .filter(([isDirty]) => (inside?.has(isDirty) ?? true) && isDirty())
    .map(([, what]) => what)
  return unsaved.find((what) => what !== 'changes') ?? unsaved[0]
}

/** Whether there are unsaved changes, or a secret that nobody has saved. @param inside only what has these guards */
export function hasUnsaved(inside?: ReadonlySet<() => boolean>): boolean {
  return findUnsaved(inside) !== undefined
}

/** Guards a form that edits something in place: `useUnsaved(form)`; or a secret that is shown once, until somebody has saved it. */
export function useUnsaved({ isDirty }: { readonly isDirty: () => boolean }, what: Unsaved = 'changes'): void {
  const inside = use(Inside)
  useEffect(() => {
    guarded.set(isDirty, what)
    inside?.add(isDirty)
    return () => {
      guarded.delete(isDirty)
      inside?.delete(isDirty)
    }
  }, [isDirty, what, inside])
}

/** Discards all changes without asking, because the user or the edited thing is gone. */
export function forgetUnsaved(): void {
  guarded.clear()
}

interface Question {
  readonly open: (what: Unsaved) => Promise<boolean>
  readonly close: () => void
}

let question: Question | undefined

/** Sets how to ask (unsaved-guard.tsx). */
export function setQuestion(asked: Question | undefined): void {
  question = asked
}

/**
 * Asks if there are unsaved changes, or an unsaved secret.
 *
 * @param inside only what has these guards
 * @returns whether the page, or the dialog with the guards, may be left
 */
export async function confirmLeaving(inside?: ReadonlySet<() => boolean>): Promise<boolean> {
  const what = findUnsaved(inside)
  return what === undefined || (question?.open(what) ?? true)
}

/** Closes the question, unanswered. */
export function closeQuestion(): void {
  question?.close()
}
