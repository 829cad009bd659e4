/** The part of the fixtures' story about webhooks of the tenant and of an organization. */
import { system } from '../src/domain/access/actors.ts'
import { record } from '../src/domain/record/record.ts'
import type { Answer, Client, Json, World } from '../test/world.ts'

interface Asking {
  readonly world: World
  readonly tess: Client
  readonly ann: Client
  readonly done: (answer: Answer) => Json
}

/** Of such events there are no more. So nothing is sent, which would take a time that is never the same. */
const types = ['tenant.keys_rotated']

/** @returns the path of the organization whose webhook it is */
export async function playWebhooks({ world, tess, ann, done }: Asking): Promise<string> {
  done(await tess.patch('/api/admin/tenant', { organizationWebhooks: true }))
  const hooked = done(await ann.post('/api/organizations', { name: 'Hooked' }))
  const path = `/api/organizations/${hooked.id}`
  const make = async (maker: Client, list: string, name: string) => {
    const url = `https://${name.toLowerCase()}.example.com/guildhall`
    const { webhook } = done(await maker.post(list, { name, url, types }))
    return { id: webhook.id as string, path: `${list}/${webhook.id}` }
  }
  const billing = await make(tess, '/api/admin/webhooks', 'Billing')
  done(await tess.patch(billing.path, { name: 'Bills', url: 'https://bills.example.com/guildhall' }))
  done(await tess.post(`${billing.path}/rotate`, { overlapSeconds: 604_800 }))
  const tried = await make(tess, '/api/admin/webhooks', 'Tried')
  done(await tess.delete(tried.path))
  await make(ann, `${path}/webhooks`, 'Chat')
  const paused = await make(ann, `${path}/webhooks`, 'Paused')
  done(await ann.patch(paused.path, { status: 'disabled' }))

  // Only the entries: a failing webhook would be tried until its story never ends.
  for (const action of ['webhook.failing', 'webhook.recovered'] as const)
    await world.database.inTenant(world.tenantId, (sql) =>
      record(sql, system, action, { target: { type: 'webhook', id: billing.id } }),
    )
  return path
}
