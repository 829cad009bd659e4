/**
 * Unsaved changes, and secrets that are shown once: leaving a page with any asks first.
 *
 * Invariant: text in a guarded form, or a secret that is shown once, is lost only if the user confirms it, or is not signed in any more.
 */
import { useEffect } from 'react'

/** What is lost: changes in a form, or what is shown only once. */
export type Unsaved = 'changes' | 'secret' | 'codes'

const guarded = new Map<() => boolean, Unsaved>()

/** @returns what is unsaved, if anything is. A secret comes before changes, which can be made again. */
function findUnsaved(): Unsaved | undefined {
  const unsaved = [...guarded].filter(([isDirty]) => isDirty()).map(([, what]) => what)
  return unsaved.find((what) => what !== 'changes') ?? unsaved[0]
}

/** Whether there are unsaved changes, or a secret that nobody has saved. */
export function hasUnsaved(): boolean {
  return findUnsaved() !== undefined
}

/** Guards a form that edits something in place: `useUnsaved(form)`; or a secret that is shown once, until somebody has saved it. */
export function useUnsaved({ isDirty }: { readonly isDirty: () => boolean }, what: Unsaved = 'changes'): void {
  useEffect(() => {
    guarded.set(isDirty, what)
    return () => void guarded.delete(isDirty)
  }, [isDirty, what])
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

/** Asks if there are unsaved changes, or an unsaved secret. @returns whether the page may be left */
export async function confirmLeaving(): Promise<boolean> {
  const what = findUnsaved()
  return what === undefined || (question?.open(what) ?? true)
}

/** Closes the question, unanswered. */
export function closeQuestion(): void {
  question?.close()
}
