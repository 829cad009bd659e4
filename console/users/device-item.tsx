/** A device in a list. */
import { Badge, Button } from '@mantine/core'
import {
  IconDeviceDesktop,
  IconDeviceMobile,
  IconDevices,
  IconDeviceTablet,
  IconDeviceTv,
  IconRobot,
  type TablerIcon,
} from '@tabler/icons-react'
import { useTranslation } from 'react-i18next'
import listClasses from '../parts/list.module.css'
import { Time } from '../parts/time.tsx'
import { applicationsInWords, type Device, methodsInWords } from './device.ts'
import classes from './me.module.css'

interface DeviceItemProps {
  readonly device: Device
  readonly onEnd: () => void
}

export function DeviceItem({ device, onEnd }: DeviceItemProps) {
  const { t } = useTranslation()
  const { name, type, ip, current, createdAt, lastActiveAt } = device
  const Icon = icons[type]
  const applications = applicationsInWords(t, device)
  return (
    <li className={classes.item}>
      <span className={classes.sign} title={t(`users.devices.types.${type}`)}>
        <Icon size={20} stroke={1.5} aria-hidden />
      </span>
      <div className={classes.about}>
        <span className={classes.title}>
          {name}
          {current && <Badge color="green">{t('users.devices.current')}</Badge>}
        </span>
        <p className={`${classes.quiet} ${listClasses.facts}`}>
          {ip !== null && <span>{ip}</span>}{' '}
          <span>
            {current ? (
              t('users.devices.activeNow')
            ) : (
              <>
                {t('users.devices.active')} <Time iso={lastActiveAt} />
              </>
            )}
          </span>{' '}
          <span>
            {t('users.devices.signedIn')} <Time iso={createdAt} />
          </span>{' '}
          <span>{methodsInWords(t, device)}</span>
        </p>
        {applications !== undefined && <p className={classes.quiet}>{applications}</p>}
      </div>
      {!current && (
        <Button variant="default" aria-label={t('users.devices.endNamed', { name })} onClick={onEnd}>
          {t('users.devices.end')}
        </Button>
      )}
    </li>
  )
}

const icons: Readonly<Record<Device['type'], TablerIcon>> = {
  desktop: IconDeviceDesktop,
  mobile: IconDeviceMobile,
  tablet: IconDeviceTablet,
  tv: IconDeviceTv,
  bot: IconRobot,
  other: IconDevices,
}
