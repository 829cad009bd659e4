/** The review before saving: what is added, removed and changed, how many members it affects, and what they hold of it. */
import { Alert, Badge, Checkbox, Stack, Text } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useTranslation } from 'react-i18next'
import { Dialog } from '../parts/dialog.tsx'
import { Form } from '../parts/form.tsx'
import classes from './access.module.css'
import type { Difference, Differences } from './differences.ts'
import { useLast } from './last.ts'
import type { AccessModel, MinimumRole, Review } from './model.ts'

interface ReviewDialogProps {
  readonly review: Review | undefined
  readonly model: AccessModel
  readonly differences: Differences
  /** @param drop the keys that go although members hold them */
  readonly save: (review: Review, drop: readonly string[]) => Promise<AccessModel>
  readonly onClose: () => void
  readonly onSaved: (saved: AccessModel) => unknown
}

export function ReviewDialog({ review, onClose, ...rest }: ReviewDialogProps) {
  const { t } = useTranslation()
  const last = useLast(review) // while the dialog closes
  return (
    <Dialog opened={review !== undefined} onClose={onClose} title={t('access.review.title')} size="lg">
      {last && <ReviewForm review={last} {...rest} />}
    </Dialog>
  )
}

const kinds = ['added', 'changed', 'removed'] as const
/** The API counts no further. */
const mostCounted = 10_000

function ReviewForm({
  review,
  model,
  differences,
  save,
  onSaved,
}: Omit<ReviewDialogProps, 'review' | 'onClose'> & { readonly review: Review }) {
  const { t } = useTranslation()
  const { changes, inUse } = review
  const form = useForm({ initialValues: { drop: [] as string[] } })
  const held = [...inUse.roles, ...inUse.permissions]
  const isConfirmed = held.every((key) => form.values.drop.includes(key))
  const known = [...differences.permissions.values(), ...differences.roles.values()]
  const isEmpty = kinds.every((kind) => changes[kind].length === 0)
  const nameOf = (key: string) => model.roles.find((role) => role.key === key)?.name ?? key
  const countOf = (key: string) => model.roles.find((role) => role.key === key)?.memberCount ?? 0
  const counted = (what: 'affected' | 'affectedKeys' | 'dropRole', count: number, name = '') =>
    count >= mostCounted
      ? t(`access.review.${what}Many`, { name, count: mostCounted })
      : t(`access.review.${what}`, { name, count })
  return (
    <Form
      form={form}
      submit={t('general.save')}
      disabled={!isConfirmed}
      {...(held.length > 0 && { color: 'red' })}
      send={({ drop }) =>
        save(
          review,
          drop.filter((key) => held.includes(key)),
        )
      }
      onDone={onSaved}
    >
      {isEmpty ? (
        <Text size="sm">{t('access.review.nothing')}</Text>
      ) : (
        <Text size="sm" fw={500}>
          {counted('affected', changes.affectedMembers)}
        </Text>
      )}
      {changes.affectedKeys > 0 && (
        <Text size="sm" fw={500}>
          {counted('affectedKeys', changes.affectedKeys)}
        </Text>
      )}
      {kinds
        .filter((kind) => changes[kind].length > 0)
        .map((kind) => (
          <section key={kind}>
            <h3 className={classes.reviewed}>
              {t(`access.review.${kind}`)} <Badge>{changes[kind].length}</Badge>
            </h3>
            <ul className={classes.entries}>
              {changes[kind].map((key) => (
                <Entry key={key} changedKey={key} difference={known.find((each) => each.key === key)} />
              ))}
            </ul>
          </section>
        ))}
      {held.length > 0 && (
        <Alert color="yellow" title={t('access.review.inUse')}>
          {t('access.review.inUseLead')}
          <Checkbox.Group {...form.getInputProps('drop')} mt="sm" aria-label={t('access.review.inUse')}>
            <Stack gap="xs">
              {inUse.roles.map((key) => (
                <Checkbox key={key} value={key} label={counted('dropRole', countOf(key), nameOf(key))} />
              ))}
              {inUse.permissions.map((key) => (
                <Checkbox key={key} value={key} label={t('access.review.dropPermission', { key })} />
              ))}
            </Stack>
          </Checkbox.Group>
        </Alert>
      )}
    </Form>
  )
}

/** A permission or a role, and what changes in it. */
function Entry({
  changedKey,
  difference,
}: {
  readonly changedKey: string
  readonly difference: Difference | undefined
}) {
  const { t } = useTranslation()
  const shown = (field: string, value: string) =>
    field === 'minimumRole'
      ? t(`access.permissions.minimumRoles.${value as MinimumRole}`) // the values of that field
      : value === ''
        ? t('access.review.none')
        : value
  const { name, fields = [], gains = [], loses = [] } = difference ?? {}
  return (
    <li>
      {name !== undefined && <b className={classes.entryName}>{name}</b>} <code>{changedKey}</code>
      {fields.map(({ field, from, to }) => (
        <p key={field}>
          {t(`access.review.fields.${field}`)}: {shown(field, from)} → {shown(field, to)}
        </p>
      ))}
      {gains.length > 0 && <p>{t('access.review.gains', { keys: gains.join(', ') })}</p>}
      {loses.length > 0 && <p>{t('access.review.loses', { keys: loses.join(', ') })}</p>}
    </li>
  )
}
