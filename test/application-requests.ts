/** Applications for tests, and requests about them. */
import type { Described } from './sign-in-requests.ts'
import type { Client, Json } from './world.ts'

const list = '/api/admin/applications'

export const anApplication = { name: 'Acme', kind: 'server', redirectUris: ['https://app.example.com/callback'] }

/** One with every field. */
export const aFullApplication = {
  ...anApplication,
  logoUrl: 'https://example.com/logo.png',
  startUrl: 'https://app.example.com/start',
  postLogoutUris: ['https://app.example.com/'],
  backChannelLogoutUri: 'https://app.example.com/logout',
  scopes: ['openid', 'api'],
  requireVerifiedEmail: false,
  chooseOrganization: true,
  isHome: true,
  enabled: true,
}

/** @returns the application, and its secret if it has one */
export async function requestApplication(
  admin: Client,
  body: object = {},
): Promise<{ application: Json; secret: string | null }> {
  const made = await admin.post(list, { ...anApplication, ...body })
  if (made.status !== 201) throw new Error(`making an application answered ${made.status} ${JSON.stringify(made.body)}`)
  return made.body
}

/** @returns a request about applications of the tenant; undefined if the operation is about something else */
export async function applicationAdminRequest(name: string, admin: Client): Promise<Described | undefined> {
  const [method, template = ''] = name.split(' ')
  if (!template.startsWith(list)) return undefined
  if (template === list) return method === 'POST' ? { body: anApplication } : {}
  const { application } = await requestApplication(admin)
  const path = template.replace('{appId}', application.id)
  const bodies: Readonly<Record<string, Json>> = { PATCH: { name: 'Renamed' }, DELETE: { confirm: application.name } }
  return { path, ...(bodies[method ?? ''] && { body: bodies[method ?? ''] }) }
}

/** A valid body, with every field, for each operation on applications. */
export function applicationBodies(): Record<string, Json> {
  return {
    [`POST ${list}`]: aFullApplication,
    [`PATCH ${list}/{appId}`]: aFullApplication,
    [`DELETE ${list}/{appId}`]: { confirm: anApplication.name },
    [`POST ${list}/{appId}/rotate-secret`]: { overlapSeconds: 60 },
  }
}
