/** Devices: the sessions of the caller. */
import { queryOptions } from '@tanstack/react-query'
import { api, ask, type Schemas } from '../api/client.ts'

export type Device = Schemas['Device']

export const devicesQuery = queryOptions({
  queryKey: ['users', 'me', 'devices'],
  queryFn: () => ask(api.GET('/api/users/me/devices')),
})
