/** Recovery codes: how many are left, and the dialog that shows new ones once. */
import { Button, CopyButton, Group, Stack, Text } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { useTranslation } from 'react-i18next'
import { api, ask } from '../api/client.ts'
import { Confirm } from '../parts/confirm.tsx'
import { Dialog } from '../parts/dialog.tsx'
import { useTenant } from '../tenants/tenant.ts'
import { readAgain } from './factors.ts'
import classes from './me.module.css'

interface RecoveryCodesProps {
  readonly left: number
  readonly onCodes: (codes: readonly string[]) => void
}

export function RecoveryCodes({ left, onCodes }: RecoveryCodesProps) {
  const { t } = useTranslation()
  const [isMaking, making] = useDisclosure()
  return (
    <Group gap="sm">
      <Text size="sm">{t('users.factors.codesLeft', { count: left })}</Text>
      <Button variant="default" onClick={making.open}>
        {t('users.factors.newCodes')}
      </Button>
      <Confirm
        title={t('users.factors.newCodesTitle')}
        submit={t('users.factors.newCodesSubmit')}
        isGiving
        isOpen={isMaking}
        onClose={making.close}
        act={async () => {
          const { codes } = await ask(api.POST('/api/users/me/recovery-codes'))
          onCodes(codes)
        }}
        onDone={readAgain}
      >
        {t('users.factors.newCodesLead')}
      </Confirm>
    </Group>
  )
}

interface RecoveryCodesDialogProps {
  /** Undefined: the dialog is closed. */
  readonly codes: readonly string[] | undefined
  readonly onClose: () => void
}

/** Only its button closes it: the codes are not shown again, and Enter or Escape is often typed after a code. */
export function RecoveryCodesDialog({ codes, onClose }: RecoveryCodesDialogProps) {
  const { t } = useTranslation()
  const { name } = useTenant()
  const text = codes?.join('\n') ?? ''
  return (
    <Dialog
      opened={codes !== undefined}
      onClose={onClose}
      closeOnClickOutside={false}
      closeOnEscape={false}
      withCloseButton={false}
      title={t('users.factors.codes')}
    >
      <Stack gap="md">
        <Text size="sm">{t('users.factors.codesLead')}</Text>
        <pre className={classes.codes}>{text}</pre>
        <Group gap="sm" justify="flex-end">
          <Button
            variant="default"
            component="a"
            href={`data:text/plain;charset=utf-8,${encodeURIComponent(`${name}\n\n${text}\n`)}`}
            download="recovery-codes.txt"
          >
            {t('users.factors.download')}
          </Button>
          <CopyButton value={text}>
            {({ copied, copy }) => (
              <Button variant="default" onClick={copy}>
                {t(copied ? 'general.copied' : 'general.copy')}
              </Button>
            )}
          </CopyButton>
          <Button onClick={onClose}>{t('users.factors.codesSaved')}</Button>
        </Group>
      </Stack>
    </Dialog>
  )
}
