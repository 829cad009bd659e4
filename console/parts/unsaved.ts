/**
 * Unsaved changes: leaving a page with unsaved changes asks first.
 *
 * Invariant: text in a guarded form, or a secret that is shown once, is lost only if the user confirms it, or is not signed in any more.
 */
import { useEffect } from 'react'

const guarded = new Set<() => boolean>()

/** Whether there are unsaved changes. */
export function hasUnsaved(): boolean {
  return [...guarded].some((isDirty) => isDirty())
}

/** Guards a form that edits something in place: `useUnsaved(form)`; or a secret that is shown once, until somebody has saved it. */
export function useUnsaved({ isDirty }: { readonly isDirty: () => boolean }): void {
  useEffect(() => {
    guarded.add(isDirty)
    return () => void guarded.delete(isDirty)
  }, [isDirty])
}

/** Discards all changes without asking, because the user or the edited thing is gone. */
export function forgetUnsaved(): void {
  guarded.clear()
}

interface Question {
  readonly open: () => Promise<boolean>
  readonly close: () => void
}

let question: Question | undefined

/** Sets how to ask (unsaved-guard.tsx). */
export function setQuestion(asked: Question | undefined): void {
  question = asked
}

/** Asks if there are unsaved changes. @returns whether the page may be left */
export async function confirmLeaving(): Promise<boolean> {
  return !hasUnsaved() || (question?.open() ?? true)
}

/** Closes the question, unanswered. */
export function closeQuestion(): void {
  question?.close()
}
