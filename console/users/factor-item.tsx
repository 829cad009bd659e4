/** An authenticator app or a passkey in the list of one's own, which can be renamed and removed. */
import { Badge, Button, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useDisclosure } from '@mantine/hooks'
import { useTranslation } from 'react-i18next'
import { api, ask } from '../api/client.ts'
import { Confirm } from '../parts/confirm.tsx'
import { Dialog } from '../parts/dialog.tsx'
import { Form } from '../parts/form.tsx'
import { Time } from '../parts/time.tsx'
import { hasPasskeys, signalPasskeys } from '../sign-in/passkeys.ts'
import { useTenant } from '../tenants/tenant.ts'
import { type Factor, readAgain } from './factors.ts'
import { SecurityItem } from './security-row.tsx'

export function FactorItem({ factor }: { readonly factor: Factor }) {
  const { t } = useTranslation()
  const [isRemoving, removing] = useDisclosure()
  const [isRenaming, renaming] = useDisclosure()
  const { passkeyDomain } = useTenant().signIn
  const { id, type, name, canSignIn, createdAt, lastUsedAt } = factor
  return (
    <SecurityItem
      title={
        <>
          {name}
          {type === 'passkey' && !canSignIn && <Badge>{t('users.factors.secondOnly')}</Badge>}
        </>
      }
      facts={
        <>
          {t('users.factors.added')} <Time iso={createdAt} />
          {lastUsedAt !== null && (
            <>
              {' · '}
              {t('users.factors.used')} <Time iso={lastUsedAt} />
            </>
          )}
        </>
      }
      actions={
        <>
          <Button variant="subtle" aria-label={t('users.factors.renameNamed', { name })} onClick={renaming.open}>
            {t('users.factors.rename')}
          </Button>
          <Button variant="subtle" aria-label={t('users.factors.removeNamed', { name })} onClick={removing.open}>
            {t('users.factors.remove')}
          </Button>
        </>
      }
    >
      <Dialog opened={isRenaming} onClose={renaming.close} title={t('users.factors.renameNamed', { name })}>
        <Renaming factor={factor} onDone={renaming.close} />
      </Dialog>
      <Confirm
        title={t('users.factors.removeTitle', { name })}
        submit={t('users.factors.remove')}
        isOpen={isRemoving}
        onClose={removing.close}
        act={async () => {
          await ask(api.DELETE('/api/users/me/factors/{factorId}', { params: { path: { factorId: id } } }))
          if (type === 'passkey' && hasPasskeys(passkeyDomain)) void signalOthers()
        }}
        onDone={readAgain}
      >
        {t('users.factors.removeLead')}
      </Confirm>
    </SecurityItem>
  )
}

interface RenamingProps {
  readonly factor: Factor
  readonly onDone: () => void
}

function Renaming({ factor: { id, name }, onDone }: RenamingProps) {
  const { t } = useTranslation()
  const form = useForm({ initialValues: { name } })
  return (
    <Form
      form={form}
      submit={t('general.save')}
      send={(body) => ask(api.PATCH('/api/users/me/factors/{factorId}', { params: { path: { factorId: id } }, body }))}
      onDone={async () => {
        await readAgain()
        onDone()
      }}
    >
      <TextInput
        {...form.getInputProps('name')}
        label={t('users.factors.name')}
        description={t('users.factors.nameHint')}
        maxLength={100}
        data-autofocus
      />
    </Form>
  )
}

/** Options for another passkey name those that the account still has. */
async function signalOthers(): Promise<void> {
  const body = { type: 'passkey' } as const
  const { options } = await ask(api.POST('/api/users/me/factors/setup', { body })).catch(() => ({ options: undefined }))
  if (options) await signalPasskeys(options)
}
