/** The dialog of a permission. It changes the draft only. */
import { Button, NativeSelect, Textarea, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useTranslation } from 'react-i18next'
import { caps } from '../../src/domain/limits/caps.ts'
import { Dialog } from '../parts/dialog.tsx'
import { Form } from '../parts/form.tsx'
import { useUnsaved } from '../parts/unsaved.ts'
import classes from './access.module.css'
import { builtInRoles } from './cells.ts'
import type { Draft, DraftPermission, Edit } from './draft.ts'
import type { Subject } from './editor.tsx'
import { useLast } from './last.ts'
import type { AccessModel } from './model.ts'

interface PermissionDialogProps {
  readonly model: AccessModel
  readonly draft: Draft
  readonly subject: Subject | undefined
  readonly edit: (edit: Edit) => void
  readonly onClose: () => void
}

export function PermissionDialog({ subject, ...rest }: PermissionDialogProps) {
  const { t } = useTranslation()
  const now = subject?.is === 'permission' ? subject : undefined
  const last = useLast(now) // while the dialog closes
  const isNew = last?.key === undefined
  return (
    <Dialog
      opened={now !== undefined}
      onClose={rest.onClose}
      title={t(isNew ? 'access.permissions.add' : 'access.permissions.edit')}
    >
      {last && <PermissionForm subjectKey={last.key} {...rest} />}
    </Dialog>
  )
}

type FormProps = Omit<PermissionDialogProps, 'subject'> & { readonly subjectKey: string | undefined }

type Values = Pick<DraftPermission, keyof DraftPermission> // a form takes no interface
const empty: Values = { key: '', name: '', description: '', minimumRole: 'admin' }

function PermissionForm({ subjectKey, model, draft, edit, onClose }: FormProps) {
  const { t } = useTranslation()
  const known = draft.permissions.find(({ key }) => key === subjectKey)
  const isSaved = model.permissions.some(({ key }) => key === subjectKey)
  const builtInNouns = model.permissions.filter(({ builtIn }) => builtIn).map(({ key }) => nounOf(key))
  const form = useForm<Values>({
    initialValues: known ? { ...known } : empty,
    validate: {
      name: (name) => (name.trim() === '' ? t('general.needed') : null),
      key(typed) {
        const key = typed.trim()
        if (known === undefined && draft.permissions.length >= caps.permissions.most)
          return t('access.permissions.tooMany', { count: caps.permissions.most })
        if (!/^[a-z][a-z0-9_-]*:[a-z][a-z0-9_-]*$/.test(key)) return t('access.permissions.badKey')
        if (builtInNouns.includes(nounOf(key))) return t('access.permissions.reservedKey', { noun: nounOf(key) })
        const isTaken = key !== subjectKey && draft.permissions.some((each) => each.key === key)
        return isTaken ? t('access.permissions.takenKey') : null
      },
    },
  })
  useUnsaved(form)
  const apply = async (values: Values) => {
    const permission = {
      key: values.key.trim(),
      name: values.name.trim(),
      description: values.description.trim(),
      minimumRole: values.minimumRole,
    }
    edit({ is: 'permission', before: subjectKey, permission })
  }
  return (
    <Form
      form={form}
      submit={t(known ? 'access.permissions.apply' : 'access.permissions.add')}
      send={apply}
      onDone={onClose}
    >
      <TextInput
        {...form.getInputProps('name')}
        label={t('access.permissions.name')}
        maxLength={100}
        autoComplete="off"
        data-autofocus
      />
      <TextInput
        {...form.getInputProps('key')}
        label={t('access.permissions.key')}
        description={t(isSaved ? 'access.permissions.keyFixed' : 'access.permissions.keyHint')}
        maxLength={64}
        autoComplete="off"
        autoCapitalize="off"
        spellCheck={false}
        classNames={{ input: classes.mono }}
        {...(isSaved && { readOnly: true, variant: 'filled' })}
      />
      <Textarea
        {...form.getInputProps('description')}
        label={t('access.permissions.description')}
        description={t('access.permissions.descriptionHint')}
        maxLength={200}
        autosize
        minRows={2}
      />
      <NativeSelect
        {...form.getInputProps('minimumRole')}
        label={t('access.permissions.minimumRole')}
        description={t('access.permissions.minimumRoleHint')}
        data={builtInRoles.map((value) => ({ value, label: t(`access.permissions.minimumRoles.${value}`) }))}
      />
      {known && (
        <Button
          className={classes.remove}
          variant="subtle"
          color="red"
          onClick={() => {
            edit({ is: 'permissionRemoved', key: known.key })
            onClose()
          }}
        >
          {t('access.permissions.remove')}
        </Button>
      )}
    </Form>
  )
}

function nounOf(key: string): string {
  return key.split(':')[0] ?? ''
}
