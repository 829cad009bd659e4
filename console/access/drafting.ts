/** The state of the editor: the model that was read, and the draft that was made from it. */
import { useCallback, useEffect, useMemo, useRef, useState } from 'react'
import { useUnsaved } from '../parts/unsaved.ts'
import { differencesBetween } from './differences.ts'
import { type Draft, draftOf, type Edit, edited } from './draft.ts'
import { merge } from './merging.ts'
import type { AccessModel } from './model.ts'

interface State {
  /** The version that the draft was made from. */
  readonly before: AccessModel
  readonly saved: Draft
  readonly draft: Draft
}

function stateOf(before: AccessModel): State {
  const saved = draftOf(before)
  return { before, saved, draft: saved }
}

/** @param model as it was read last. It replaces a draft without changes; a draft with changes is merged with it before saving. */
export function useDraft(model: AccessModel) {
  const [state, setState] = useState(() => stateOf(model))
  const { before, saved, draft } = state
  const differences = useMemo(() => differencesBetween(saved, draft), [saved, draft])
  const isDirty = useRef(false)
  isDirty.current = differences.count > 0
  const guard = useRef({ isDirty: () => isDirty.current })
  useUnsaved(guard.current)

  const edit = useCallback((one: Edit) => setState((now) => ({ ...now, draft: edited(now.draft, one) })), [])
  const settle = useCallback((now: AccessModel) => setState(stateOf(now)), [])
  /** Takes over what somebody else has saved. @returns the draft with it */
  const follow = (now: AccessModel): Draft => {
    const merged = merge(before, draft, now)
    setState({ before: now, saved: draftOf(now), draft: merged })
    return merged
  }
  useEffect(() => {
    if (!isDirty.current) settle(model)
  }, [model, settle])
  return { before, draft, differences, edit, follow, settle }
}
