/** Devices: the sessions of the caller. */
import { queryOptions } from '@tanstack/react-query'
import i18next, { type TFunction } from 'i18next'
import { api, ask, type Schemas } from '../api/client.ts'

export type Device = Schemas['Device']

export const devicesQuery = queryOptions({
  queryKey: ['users', 'me', 'devices'],
  queryFn: () => ask(api.GET('/api/users/me/devices')),
})

/** "With password and authenticator app". */
export function methodsInWords(t: TFunction, { methods }: Pick<Device, 'methods'>): string {
  const named = methods.map((method) => t(`users.devices.methods.${method}`))
  return t('users.devices.with', { methods: new Intl.ListFormat(i18next.language).format(named) })
}
