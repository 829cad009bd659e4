/** The devices of the caller. A signed-out device disappears at once, and reappears if the request is refused. */
import { Button } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { notifications } from '@mantine/notifications'
import { useMutation, useQuery } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import { api, ask } from '../api/client.ts'
import { queries } from '../api/queries.ts'
import { Confirm } from '../parts/confirm.tsx'
import listClasses from '../parts/list.module.css'
import { Page } from '../parts/page.tsx'
import { LoadingOrFailed } from '../parts/states.tsx'
import { type Device, devicesQuery } from './device.ts'
import { DeviceItem } from './device-item.tsx'

export function DevicesPage() {
  const { t } = useTranslation()
  const query = useQuery(devicesQuery)
  const { data } = query
  const [isEnding, ending] = useDisclosure()
  const devices = data?.data ?? []
  const others = devices.filter(({ current }) => !current).length
  return (
    <Page
      title={t('users.devices.title')}
      lead={t('users.devices.lead')}
      actions={
        others > 1 && (
          <Button variant="default" onClick={ending.open}>
            {t('users.devices.endOthers')}
          </Button>
        )
      }
    >
      {data ? <Devices devices={devices} /> : <LoadingOrFailed query={query} rows={3} />}
      <Confirm
        title={t('users.devices.endOthersTitle')}
        submit={t('users.devices.endOthersSubmit')}
        isOpen={isEnding}
        onClose={ending.close}
        act={async () => {
          const { endedSessions } = await ask(api.DELETE('/api/users/me/devices'))
          notifications.show({ message: t('users.devices.othersEnded', { count: endedSessions }) })
        }}
        onDone={() => queries.invalidateQueries({ queryKey: ['users', 'me'] })}
      >
        {t('users.devices.endOthersLead')}
      </Confirm>
    </Page>
  )
}

function Devices({ devices }: { readonly devices: readonly Device[] }) {
  const { t } = useTranslation()
  const ending = useMutation({
    mutationFn: ({ id: deviceId }: Device) =>
      ask(api.DELETE('/api/users/me/devices/{deviceId}', { params: { path: { deviceId } } })),
    async onMutate(device) {
      await queries.cancelQueries(devicesQuery)
      const before = queries.getQueryData(devicesQuery.queryKey)
      queries.setQueryData(
        devicesQuery.queryKey,
        (known) => known && { ...known, data: known.data.filter(({ id }) => id !== device.id) },
      )
      return { before }
    },
    onSuccess: ({ name }) => notifications.show({ message: t('users.devices.ended', { name }) }),
    onError: (_error, _device, context) => queries.setQueryData(devicesQuery.queryKey, context?.before),
    onSettled: () => {
      void queries.invalidateQueries(devicesQuery)
      void queries.invalidateQueries({ queryKey: ['users', 'me', 'audit'] })
    },
  })
  return (
    <ul className={listClasses.framed} aria-label={t('users.devices.title')}>
      {devices.map((device) => (
        <DeviceItem key={device.id} device={device} onEnd={() => ending.mutate(device)} />
      ))}
    </ul>
  )
}
