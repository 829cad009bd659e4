/** The devices of a user. Admins cannot end their own session here. */
import { Badge, Button, Stack } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { notifications } from '@mantine/notifications'
import { queryOptions, useMutation, useQuery } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import { api, ask } from '../api/client.ts'
import { queries } from '../api/queries.ts'
import { Confirm } from '../parts/confirm.tsx'
import { ButtonLink } from '../parts/links.tsx'
import classes from '../parts/list.module.css'
import { Section } from '../parts/page.tsx'
import { Empty, LoadingOrFailed } from '../parts/states.tsx'
import { Time } from '../parts/time.tsx'
import { UserKeys } from './administration-keys.tsx'
import { nameOf, type User, useUserOfTab } from './administration-user.ts'
import { applicationsInWords, methodsInWords } from './device.ts'
import { usersKey } from './directory-search.ts'

const devicesQuery = (userId: string) =>
  queryOptions({
    queryKey: [...usersKey, userId, 'devices'],
    queryFn: () => ask(api.GET('/api/admin/users/{userId}/devices', { params: { path: { userId } } })),
  })

export function UserDevicesPage() {
  const { t } = useTranslation()
  const { user, isMe } = useUserOfTab()
  return (
    <>
      <Section
        title={t('directory.user.devices')}
        lead={t('directory.user.devicesLead', { context: isMe ? 'me' : 'them' })}
      >
        <UserDevices user={user} isMe={isMe} />
      </Section>
      <UserKeys user={user} isMe={isMe} />
    </>
  )
}

function UserDevices({ user, isMe }: { readonly user: User; readonly isMe: boolean }) {
  const { t } = useTranslation()
  const query = useQuery(devicesQuery(user.id))
  const { queryKey } = devicesQuery(user.id)
  const [isOpen, { open, close }] = useDisclosure()
  const ending = useMutation({
    mutationFn: (deviceId: string) =>
      ask(
        api.DELETE('/api/admin/users/{userId}/devices/{deviceId}', { params: { path: { userId: user.id, deviceId } } }),
      ),
    async onMutate(deviceId) {
      await queries.cancelQueries({ queryKey })
      const before = queries.getQueryData(queryKey)
      queries.setQueryData(queryKey, (list) => list && { ...list, data: list.data.filter(({ id }) => id !== deviceId) })
      return before
    },
    onError: (_error, _deviceId, before) => queries.setQueryData(queryKey, before),
    onSuccess: ({ name }) => notifications.show({ message: t('directory.devices.ended', { name }) }),
    onSettled: () => queries.invalidateQueries({ queryKey }),
  })
  if (query.data === undefined) return <LoadingOrFailed query={query} rows={2} />
  const devices = query.data.data
  return (
    <Stack gap="md">
      {devices.length === 0 ? (
        <Empty title={t('directory.devices.none')}>{t('directory.devices.noneLead')}</Empty>
      ) : (
        <ul className={classes.framed}>
          {devices.map(({ id, name, ip, current, lastActiveAt, methods, applications }) => (
            <li key={id} className={classes.item}>
              <div className={classes.words}>
                <p className={classes.what}>
                  {name} {current && <Badge size="sm">{t('directory.devices.current')}</Badge>}
                </p>
                <p className={`${classes.hint} ${classes.facts}`}>
                  {ip !== null && <span>{ip}</span>}{' '}
                  <span>
                    {t('directory.devices.lastActive')} <Time iso={lastActiveAt} />
                  </span>{' '}
                  <span>{methodsInWords(t, { methods })}</span>
                </p>
                {applications.length > 0 && <p className={classes.hint}>{applicationsInWords(t, { applications })}</p>}
              </div>
              {!current && (
                <Button
                  variant="default"
                  size="xs"
                  aria-label={t('directory.devices.endOne', { name })}
                  onClick={() => ending.mutate(id)}
                >
                  {t('directory.devices.end')}
                </Button>
              )}
            </li>
          ))}
        </ul>
      )}
      {isMe ? (
        <div>
          <ButtonLink to="/me/devices" variant="default">
            {t('directory.devices.mine')}
          </ButtonLink>
        </div>
      ) : (
        devices.length > 1 && (
          <div>
            <Button variant="default" onClick={open}>
              {t('directory.devices.endAll')}
            </Button>
          </div>
        )
      )}
      <Confirm
        title={t('directory.devices.endAllTitle', { name: nameOf(user) })}
        submit={t('directory.devices.endAll')}
        isOpen={isOpen}
        onClose={close}
        act={() => ask(api.DELETE('/api/admin/users/{userId}/devices', { params: { path: { userId: user.id } } }))}
        onDone={() => {
          notifications.show({ message: t('directory.devices.endedAll', { name: nameOf(user) }) })
          return queries.invalidateQueries({ queryKey })
        }}
      >
        {t('directory.devices.endAllLead')}
      </Confirm>
    </Stack>
  )
}
