/** Webhooks for tests: of organizations and tenants, and requests about them. */
import type { Described } from './sign-in-requests.ts'
import type { Client, Json, Person, World } from './world.ts'

/** A public address, for which no name server is asked. */
export const webhookUrl = 'https://93.184.215.14/events'

/** Lets organizations of a tenant have webhooks. */
export async function offerWebhooks({ postgres }: World, slug = 'default'): Promise<void> {
  await postgres.query('update tenants set organization_webhooks = true where slug = $1', [slug])
}

/** @param list the path below which the webhook is made @returns the webhook, and its secret */
export async function requestWebhook(
  maker: Client,
  list: string,
  body: object = {},
): Promise<{ webhook: Json; secret: string }> {
  const made = await maker.post(list, { name: 'Billing', url: webhookUrl, ...body })
  if (made.status !== 201) throw new Error(`making a webhook answered ${made.status} ${JSON.stringify(made.body)}`)
  return made.body
}

/** Makes a webhook of an organization, and one of the tenant. @returns their ids, by the names of `keyNameIn` */
export async function makeWebhooks({
  owner,
  orgId,
  admin,
}: {
  readonly owner: Person
  readonly orgId: string
  readonly admin: Person
}): Promise<Record<string, string>> {
  const ofOrganization = await requestWebhook(owner, `/api/organizations/${orgId}/webhooks`)
  const ofTenant = await requestWebhook(admin, '/api/admin/webhooks')
  return { organizationWebhookId: ofOrganization.webhook.id, tenantWebhookId: ofTenant.webhook.id }
}

/** A request about webhooks of the tenant. @returns undefined if the operation is about something else */
export async function webhookRequest(name: string, admin: Client): Promise<Described | undefined> {
  const [, template = ''] = name.split(' ')
  if (!template.startsWith('/api/admin/webhooks')) return undefined
  const made = template.includes('{webhookId}') ? await requestWebhook(admin, '/api/admin/webhooks') : undefined
  return { path: template.replace('{webhookId}', made?.webhook.id ?? ''), ...bodyOfWebhookRequest(name) }
}

export function bodyOfWebhookRequest(name: string): { readonly body?: Json } {
  if (/^POST \S+\/webhooks\b(?!\/)/.test(name)) return { body: { name: 'Billing', url: webhookUrl } }
  if (name.startsWith('PATCH')) return { body: { name: 'Renamed' } }
  return name.endsWith('/retry') ? { body: {} } : {}
}

/** A valid body, with every field that can be sent together, for each operation on webhooks. */
export function webhookBodies(): Record<string, Json> {
  const webhook = { name: 'Billing', url: webhookUrl, types: ['member.*'], after: 'latest', status: 'active' }
  return Object.fromEntries(
    ['/api/admin/webhooks', '/api/organizations/{orgId}/webhooks'].flatMap((list) => [
      [`POST ${list}`, webhook],
      [`PATCH ${list}/{webhookId}`, webhook],
      [`POST ${list}/{webhookId}/rotate`, { overlapSeconds: 60 }],
      [`POST ${list}/{webhookId}/retry`, { sequences: [1] }],
    ]),
  )
}
