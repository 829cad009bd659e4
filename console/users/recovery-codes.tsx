/** Recovery codes: how many are left, and the dialog that shows new ones once. */
import { Alert, Button, Group, Stack, Text } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { IconCheck, IconDownload, IconLifebuoy } from '@tabler/icons-react'
import { useRef } from 'react'
import { useTranslation } from 'react-i18next'
import { api, ask } from '../api/client.ts'
import { Confirm } from '../parts/confirm.tsx'
import { CopyText } from '../parts/copy-text.tsx'
import { Dialog } from '../parts/dialog.tsx'
import { useUnsaved } from '../parts/unsaved.ts'
import { useTenant } from '../tenants/tenant.ts'
import { readAgain } from './factors.ts'
import classes from './me.module.css'
import { SecurityRow } from './security-row.tsx'

interface RecoveryCodesProps {
  readonly left: number
  readonly onCodes: (codes: readonly string[]) => void
}

export function RecoveryCodes({ left, onCodes }: RecoveryCodesProps) {
  const { t } = useTranslation()
  const [isMaking, making] = useDisclosure()
  return (
    <SecurityRow
      icon={IconLifebuoy}
      title={t('users.factors.recovery')}
      state={t('users.factors.codesLeft', { count: left })}
      actions={
        <Button
          variant="default"
          aria-label={t(left === 0 ? 'users.factors.addCodes' : 'users.factors.newCodes')}
          onClick={making.open}
        >
          {t(left === 0 ? 'users.security.add' : 'users.security.replace')}
        </Button>
      }
    >
      <Confirm
        title={t(left === 0 ? 'users.factors.addCodesTitle' : 'users.factors.newCodesTitle')}
        submit={t('users.factors.newCodesSubmit')}
        isGiving
        isOpen={isMaking}
        // Also after a refusal: the second factor may be gone, and this row with it. It holds the dialog that says so.
        onClose={() => {
          making.close()
          void readAgain()
        }}
        act={async () => {
          const { codes } = await ask(api.POST('/api/users/me/recovery-codes'))
          onCodes(codes)
        }}
        makes="codes"
      >
        {t(left === 0 ? 'users.factors.addCodesLead' : 'users.factors.newCodesLead')}
      </Confirm>
    </SecurityRow>
  )
}

export interface GivenCodes {
  readonly codes: readonly string[]
  /** Says what was added, if that gave the codes. A message would be gone before the dialog is read. */
  readonly added?: string
}

interface RecoveryCodesDialogProps {
  /** Undefined: the dialog is closed. */
  readonly given: GivenCodes | undefined
  readonly onClose: () => void
}

/**
 * Only its button closes it: the codes are not shown again, and Enter or Escape is often typed after a code. Leaving the page asks first.
 */
export function RecoveryCodesDialog({ given, onClose }: RecoveryCodesDialogProps) {
  const { t } = useTranslation()
  const { name } = useTenant()
  const text = given?.codes.join('\n') ?? ''
  const shown = useRef<HTMLPreElement>(null)
  useUnsaved({ isDirty: () => given !== undefined }, 'codes')
  return (
    <Dialog
      opened={given !== undefined}
      onClose={onClose}
      closeOnClickOutside={false}
      closeOnEscape={false}
      withCloseButton={false}
      title={t('users.factors.codes')}
    >
      <Stack gap="md">
        {given?.added && (
          <Alert color="green" icon={<IconCheck aria-hidden />}>
            {given.added}
          </Alert>
        )}
        <Text size="sm">{t('users.factors.codesLead')}</Text>
        <pre ref={shown} className={classes.codes}>
          {text}
        </pre>
        <Group gap="sm" grow>
          <Button
            variant="default"
            leftSection={<IconDownload size={16} aria-hidden />}
            component="a"
            href={`data:text/plain;charset=utf-8,${encodeURIComponent(`${name}\n\n${text}\n`)}`}
            download="recovery-codes.txt"
          >
            {t('users.factors.download')}
          </Button>
          <CopyText text={text} label={t('general.copy')} shown={shown} />
        </Group>
        <Button fullWidth onClick={onClose}>
          {t('users.factors.codesSaved')}
        </Button>
      </Stack>
    </Dialog>
  )
}
