/** Devices: the sessions of the caller. */
import { queryOptions } from '@tanstack/react-query'
import i18next, { type TFunction } from 'i18next'
import { api, ask, type Schemas } from '../api/client.ts'

export type Device = Schemas['Device']

export const devicesQuery = queryOptions({
  queryKey: ['users', 'me', 'devices'],
  queryFn: () => ask(api.GET('/api/users/me/devices')),
})

/** The applications that people have signed in to on a device: "Signed in to Acme and Shop". Undefined if there are none. */
export function applicationsInWords(t: TFunction, { applications }: Pick<Device, 'applications'>): string | undefined {
  if (applications.length === 0) return undefined
  const names = new Intl.ListFormat(i18next.language).format(applications.map(({ name }) => name))
  return t('users.devices.applications', { names })
}

/** "With password and authenticator app". */
export function methodsInWords(t: TFunction, { methods }: Pick<Device, 'methods'>): string {
  const named = methods.map((method) => t(`users.devices.methods.${method}`))
  return t('users.devices.with', { methods: new Intl.ListFormat(i18next.language).format(named) })
}
