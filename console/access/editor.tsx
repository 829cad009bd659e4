/** The editor: the matrix, its dialogs, and saving. Nothing is saved before the user has seen what it changes. */
import { Button, Text } from '@mantine/core'
import { useHotkeys } from '@mantine/hooks'
import { notifications } from '@mantine/notifications'
import { IconPlus } from '@tabler/icons-react'
import { useMutation } from '@tanstack/react-query'
import { useCallback, useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { isRefusal } from '../api/refusal.ts'
import { RefusedInFocus } from '../parts/form.tsx'
import { Page } from '../parts/page.tsx'
import { Empty } from '../parts/states.tsx'
import classes from './access.module.css'
import type { Edit } from './draft.ts'
import { useDraft } from './drafting.ts'
import { exampleOf } from './example.ts'
import { Matrix } from './matrix.tsx'
import { type AccessModel, type Review, readModel, reviewChanges, saveModel } from './model.ts'
import { PermissionDialog } from './permission-dialog.tsx'
import { ReviewDialog } from './review-dialog.tsx'
import { RoleDialog } from './role-dialog.tsx'

/** What a dialog edits; without a key or id, something new. */
export type Subject =
  | { readonly is: 'permission'; readonly key?: string }
  | { readonly is: 'role'; readonly id?: string }

export function Editor({ model }: { readonly model: AccessModel }) {
  const { t } = useTranslation()
  const { before, draft, differences, edit, follow, settle } = useDraft(model)
  const [subject, setSubject] = useState<Subject>()
  const [review, setReview] = useState<Review>()
  const isDirty = differences.count > 0
  const isEmpty = !isDirty && draft.permissions.length === 0 && draft.roles.length === 0

  /** Asks what would change. If somebody else has saved meanwhile, their changes come into the draft first. */
  const look = async (): Promise<Review> => {
    try {
      return await reviewChanges(before, draft)
    } catch (error) {
      if (!isRefusal(error, 'version_mismatch')) throw error
      const now = await readModel()
      return reviewChanges(now, follow(now))
    }
  }
  const looking = useMutation({
    mutationFn: look,
    meta: { shows: true },
    onSuccess: setReview,
  })
  const startReview = () => {
    if (isDirty && !looking.isPending && !subject && !review) looking.mutate()
  }
  // What was reviewed is saved: no edit comes between.
  const isLooking = useRef(false)
  isLooking.current = looking.isPending
  const editUnlessLooking = useCallback(
    (one: Edit) => {
      if (!isLooking.current) edit(one)
    },
    [edit],
  )
  useHotkeys([['mod+S', startReview]], [])
  const save = async (reviewed: Review, drop: readonly string[]) => {
    try {
      return await saveModel(reviewed, drop)
    } catch (error) {
      // The dialog then shows the refusal, and what the change does now.
      if (isRefusal(error, 'version_mismatch', 'role_in_use')) setReview(await look())
      throw error
    }
  }
  const open = useCallback((next: Subject) => {
    if (!isLooking.current) setSubject(next)
  }, [])
  const close = () => setSubject(undefined)
  const start = () => edit({ is: 'example', draft: exampleOf(t) })
  const add = (
    <>
      <Button
        variant="default"
        leftSection={<IconPlus size={16} stroke={1.8} aria-hidden />}
        disabled={looking.isPending}
        onClick={() => open({ is: 'role' })}
      >
        {t('access.role.add')}
      </Button>
      <Button
        variant={isEmpty ? 'default' : 'filled'}
        leftSection={<IconPlus size={16} stroke={1.8} aria-hidden />}
        disabled={looking.isPending}
        onClick={() => open({ is: 'permission' })}
      >
        {t('access.permissions.add')}
      </Button>
    </>
  )
  return (
    <Page title={t('access.title')} lead={t('access.lead')} width="wide" actions={!isEmpty && add}>
      {looking.isError && <RefusedInFocus error={looking.error} />}
      {isEmpty ? (
        <Empty
          title={t('access.none')}
          action={
            <div className={classes.starts}>
              <Button onClick={start}>{t('access.example.start')}</Button>
              {add}
            </div>
          }
        >
          {t('access.noneLead')}
        </Empty>
      ) : (
        <Matrix model={before} draft={draft} differences={differences} edit={editUnlessLooking} open={open} />
      )}
      <div className={classes.bar} data-dirty={isDirty}>
        <Text size="sm" role="status" className={classes.count}>
          {isDirty && t('access.unsaved', { count: differences.count })}
        </Text>
        {isDirty && (
          <>
            <Button
              variant="default"
              disabled={looking.isPending}
              onClick={() => {
                looking.reset()
                settle(before)
              }}
            >
              {t('access.discard')}
            </Button>
            <Button loading={looking.isPending} onClick={startReview} aria-keyshortcuts="Control+S">
              {t('access.reviewOpen')}
            </Button>
          </>
        )}
      </div>
      <PermissionDialog model={before} draft={draft} subject={subject} edit={editUnlessLooking} onClose={close} />
      <RoleDialog draft={draft} subject={subject} edit={editUnlessLooking} onClose={close} />
      <ReviewDialog
        review={review}
        model={before}
        differences={differences}
        save={save}
        onClose={() => setReview(undefined)}
        onSaved={(saved) => {
          settle(saved)
          setReview(undefined)
          looking.reset()
          notifications.show({ message: t('access.review.saved') })
        }}
      />
    </Page>
  )
}
