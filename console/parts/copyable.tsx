/** A value with a button that copies it, like an id. */
import { ActionIcon, Tooltip, VisuallyHidden } from '@mantine/core'
import { IconCheck, IconCopy } from '@tabler/icons-react'
import { useRef } from 'react'
import { useTranslation } from 'react-i18next'
import classes from './copyable.module.css'
import { useCopying } from './copying.ts'

export interface CopyableProps {
  readonly value: string
  /** The name of the value, for the label of the button: "your id". */
  readonly name: string
  /** In groups of four, which are easier to type. What is copied has no spaces. */
  readonly isGrouped?: boolean
}

export function Copyable({ value, name, isGrouped = false }: CopyableProps) {
  const { t } = useTranslation()
  const shown = useRef<HTMLElement>(null)
  const { isCopied, copy } = useCopying(value, shown)
  return (
    <span className={classes.copyable}>
      <code ref={shown} className={classes.value}>
        {isGrouped
          ? Array.from(value.matchAll(/.{1,4}/g), ({ 0: group, index }) => (
              <span key={index} className={classes.group}>
                {group}
              </span>
            ))
          : value}
      </code>
      <Tooltip label={isCopied ? t('general.copied') : t('general.copy')}>
        <ActionIcon variant="subtle" color="gray" aria-label={t('general.copyNamed', { name })} onClick={copy}>
          {isCopied ? <IconCheck size={16} stroke={1.6} /> : <IconCopy size={16} stroke={1.6} />}
        </ActionIcon>
      </Tooltip>
      <VisuallyHidden role="status">{isCopied ? t('general.copied') : ''}</VisuallyHidden>
    </span>
  )
}
