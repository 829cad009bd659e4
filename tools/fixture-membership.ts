/** The part of the fixtures' story about roles of the product, ends and suspension, links to join, and what admins of the tenant add. */
import type { Answer, Client, Json } from '../test/world.ts'

interface Asking {
  readonly tess: Client
  readonly ann: Client & { readonly id: string }
  readonly cleo: Client & { readonly id: string }
  readonly join: (name: string) => Promise<Client & { readonly id: string; readonly email: string }>
  readonly done: (answer: Answer) => Json
  /** Lets a second pass. */
  readonly settle: () => Promise<void>
  /** The time, RFC 3339. */
  readonly now: () => number
}

export async function playMembership({ tess, ann, cleo, join, done, settle, now }: Asking): Promise<void> {
  const model = {
    permissions: [
      { key: 'invoices:read', name: 'Read invoices', minimumRole: 'member' },
      { key: 'invoices:write', name: 'Write invoices', description: 'Also send them.' },
    ],
    roles: [{ key: 'billing', name: 'Billing', permissions: ['invoices:write', 'audit:read'] }],
  }
  done(await tess.put('/api/admin/access', model))
  const guild = done(await ann.post('/api/organizations', { name: 'Guild' }))
  const path = `/api/organizations/${guild.id}`
  const fay = await join('Fay')
  const hal = await join('Hal')
  const later = (seconds: number) => new Date(now() + seconds * 1000).toISOString()
  const { results } = done(
    await ann.post(`${path}/invites/bulk`, {
      invites: [
        { email: fay.email, grants: [{ role: 'billing' }], locale: 'de' },
        { email: 'nobody@example.com', mail: false },
      ],
    }),
  )
  const { member: fays } = done(await fay.post(`/api/invites/${results[0].invitation.id}/accept`))
  const link = done(await ann.post(`${path}/links`, { maxUses: 3, emailDomains: ['example.com'] }))
  const ended = done(await ann.post(`${path}/links`, {}))
  const { member: hals } = done(await hal.post('/api/links/join', { token: link.url.split('#token=')[1] }))
  done(await ann.delete(`${path}/links/${ended.id}`))
  const change = async (member: Json, body: object) => done(await ann.patch(`${path}/members/${member.id}`, body))
  await change(fays, { grants: [{ role: 'billing', expiresAt: later(86_400) }] })
  await change(fays, { status: 'suspended' })
  await change(fays, { status: 'active', expiresAt: later(7 * 86_400) })
  await change(hals, { expiresAt: later(61) })
  for (let second = 0; second <= 61; second++) await settle()
  await change(fays, { status: 'suspended' }) // and Hal's membership is settled
  const given = done(
    await tess.post('/api/admin/organizations', { name: 'Given', ownerId: cleo.id, externalId: 'customer-1' }),
  )
  done(await tess.patch(`/api/admin/organizations/${given.id}`, { memberLimit: 2 }))
  done(
    await tess.post(`/api/admin/organizations/${given.id}/members`, { userId: hal.id, grants: [{ role: 'billing' }] }),
  )
}
