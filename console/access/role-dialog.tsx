/** The dialog of a role. It changes the draft only. */
import { Button, Textarea, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useTranslation } from 'react-i18next'
import { caps } from '../../src/domain/limits/caps.ts'
import { slugOf } from '../../src/domain/organizations/slug-of-name.ts'
import { Dialog } from '../parts/dialog.tsx'
import { Form } from '../parts/form.tsx'
import { useUnsaved } from '../parts/unsaved.ts'
import classes from './access.module.css'
import { builtInRoles } from './cells.ts'
import type { Draft, Edit } from './draft.ts'
import type { Subject } from './editor.tsx'
import { useLast } from './last.ts'

interface RoleDialogProps {
  readonly draft: Draft
  readonly subject: Subject | undefined
  readonly edit: (edit: Edit) => void
  readonly onClose: () => void
}

export function RoleDialog({ subject, ...rest }: RoleDialogProps) {
  const { t } = useTranslation()
  const now = subject?.is === 'role' ? subject : undefined
  const last = useLast(now) // while the dialog closes
  return (
    <Dialog
      opened={now !== undefined}
      onClose={rest.onClose}
      title={t(last?.id === undefined ? 'access.role.add' : 'access.role.edit')}
    >
      {last && <RoleForm id={last.id} {...rest} />}
    </Dialog>
  )
}

const pattern = /^[a-z][a-z0-9-]{1,47}$/

function RoleForm({
  id,
  draft,
  edit,
  onClose,
}: Omit<RoleDialogProps, 'subject'> & { readonly id: string | undefined }) {
  const { t } = useTranslation()
  const known = draft.roles.find((role) => role.id === id)
  const form = useForm({
    initialValues: { name: known?.name ?? '', key: known?.key ?? '', description: known?.description ?? '' },
    validate: {
      name: (name) => (name.trim() === '' ? t('general.needed') : null),
      key(typed) {
        const key = typed.trim()
        if (known === undefined && draft.roles.length >= caps.roles.most)
          return t('access.role.tooMany', { count: caps.roles.most })
        if (!pattern.test(key)) return t('access.role.badKey')
        const isTaken =
          builtInRoles.some((role) => role === key) || draft.roles.some((role) => role.id !== id && role.key === key)
        return isTaken ? t('access.role.takenKey') : null
      },
    },
  })
  useUnsaved(form)
  /** The key of a new role follows its name until it is typed. */
  const rename = (name: string) => {
    const isOurs = known === undefined && form.values.key === keyOf(form.values.name)
    form.setValues({ name, ...(isOurs && { key: keyOf(name) }) })
  }
  return (
    <Form
      form={form}
      submit={t(known ? 'access.permissions.apply' : 'access.role.add')}
      send={async ({ key, name, description }) =>
        edit({
          is: 'role',
          role: {
            id: id ?? crypto.randomUUID(),
            key: key.trim(),
            name: name.trim(),
            description: description.trim(),
          },
        })
      }
      onDone={onClose}
    >
      <TextInput
        {...form.getInputProps('name')}
        onChange={({ currentTarget }) => rename(currentTarget.value)}
        label={t('access.permissions.name')}
        maxLength={100}
        autoComplete="off"
        data-autofocus
      />
      <TextInput
        {...form.getInputProps('key')}
        label={t('access.role.key')}
        description={t('access.role.keyHint')}
        maxLength={48}
        autoComplete="off"
        autoCapitalize="off"
        spellCheck={false}
        classNames={{ input: classes.mono }}
      />
      <Textarea
        {...form.getInputProps('description')}
        label={t('access.permissions.description')}
        description={t('access.permissions.descriptionHint')}
        maxLength={200}
        autosize
        minRows={2}
      />
      {known && (
        <Button
          className={classes.remove}
          variant="subtle"
          color="red"
          onClick={() => {
            edit({ is: 'roleRemoved', id: known.id })
            onClose()
          }}
        >
          {t('access.role.remove')}
        </Button>
      )}
    </Form>
  )
}

/** Empty if the name has no letters that a key can have. */
function keyOf(name: string): string {
  const key = slugOf(name)
  return pattern.test(key) ? key : ''
}
