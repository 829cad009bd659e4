/** A button in words that copies a text, and says when it has. */
import { Button, type ButtonProps, CopyButton, VisuallyHidden } from '@mantine/core'
import { IconCheck, IconCopy } from '@tabler/icons-react'
import { useTranslation } from 'react-i18next'

interface CopyTextProps extends Pick<ButtonProps, 'variant'> {
  readonly text: string
  readonly label: string
}

export function CopyText({ text, label, variant = 'default' }: CopyTextProps) {
  const { t } = useTranslation()
  return (
    <CopyButton value={text} timeout={2000}>
      {({ copied, copy }) => (
        <>
          <Button
            variant={variant}
            leftSection={copied ? <IconCheck size={16} aria-hidden /> : <IconCopy size={16} aria-hidden />}
            onClick={copy}
          >
            {copied ? t('general.copied') : label}
          </Button>
          <VisuallyHidden role="status">{copied ? t('general.copied') : ''}</VisuallyHidden>
        </>
      )}
    </CopyButton>
  )
}
