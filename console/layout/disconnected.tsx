/** The strip above a page while the connection is lost. The page below it keeps what it has read. */
import { Anchor } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import { useConnectionLost } from '../api/connection.ts'
import { queries } from '../api/queries.ts'
import classes from './disconnected.module.css'
import { StatusStrip } from './strip.tsx'

export function Disconnected() {
  const { t } = useTranslation()
  const isLost = useConnectionLost()
  return (
    <StatusStrip color="yellow" isShown={isLost} className={classes.disconnected}>
      {t('general.disconnected')}{' '}
      <Anchor
        component="button"
        type="button"
        inherit
        underline="always"
        onClick={() => queries.refetchQueries({ type: 'active' })}
      >
        {t('general.retry')}
      </Anchor>
    </StatusStrip>
  )
}
