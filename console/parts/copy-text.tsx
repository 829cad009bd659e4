/** A button in words that copies a text, and says when it has. */
import { Button, type ButtonProps, VisuallyHidden } from '@mantine/core'
import { IconCheck, IconCopy } from '@tabler/icons-react'
import { useTranslation } from 'react-i18next'
import { type Shown, useCopying } from './copying.ts'

interface CopyTextProps extends Pick<ButtonProps, 'variant'> {
  readonly text: string
  readonly label: string
  /** Where the text is on the page. */
  readonly shown: Shown
}

export function CopyText({ text, label, shown, variant = 'default' }: CopyTextProps) {
  const { t } = useTranslation()
  const { isCopied, copy } = useCopying(text, shown)
  return (
    <>
      <Button
        variant={variant}
        leftSection={isCopied ? <IconCheck size={16} aria-hidden /> : <IconCopy size={16} aria-hidden />}
        onClick={copy}
      >
        {isCopied ? t('general.copied') : label}
      </Button>
      <VisuallyHidden role="status">{isCopied ? t('general.copied') : ''}</VisuallyHidden>
    </>
  )
}
