/** A value with a button that copies it, like an id. */
import { ActionIcon, CopyButton, Tooltip, VisuallyHidden } from '@mantine/core'
import { IconCheck, IconCopy } from '@tabler/icons-react'
import { useTranslation } from 'react-i18next'
import classes from './copyable.module.css'

export interface CopyableProps {
  readonly value: string
  /** The name of the value, for the label of the button: "your id". */
  readonly name: string
  /** In groups of four, which are easier to type. What is copied has no spaces. */
  readonly isGrouped?: boolean
}

export function Copyable({ value, name, isGrouped = false }: CopyableProps) {
  const { t } = useTranslation()
  return (
    <span className={classes.copyable}>
      <code className={classes.value}>
        {isGrouped
          ? Array.from(value.matchAll(/.{1,4}/g), ({ 0: group, index }) => (
              <span key={index} className={classes.group}>
                {group}
              </span>
            ))
          : value}
      </code>
      <CopyButton value={value} timeout={2000}>
        {({ copied, copy }) => (
          <>
            <Tooltip label={copied ? t('general.copied') : t('general.copy')}>
              <ActionIcon variant="subtle" color="gray" aria-label={t('general.copyNamed', { name })} onClick={copy}>
                {copied ? <IconCheck size={16} stroke={1.6} /> : <IconCopy size={16} stroke={1.6} />}
              </ActionIcon>
            </Tooltip>
            <VisuallyHidden role="status">{copied ? t('general.copied') : ''}</VisuallyHidden>
          </>
        )}
      </CopyButton>
    </span>
  )
}
