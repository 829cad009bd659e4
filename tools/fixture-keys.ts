/** The part of the fixtures' story about keys of people, organizations and the tenant. */

import { record } from '../src/domain/record/record.ts'
import type { Answer, Client, Json, World } from '../test/world.ts'

interface Asking {
  readonly world: World
  readonly tess: Client
  readonly ann: Client
  readonly join: (name: string) => Promise<Client & { readonly id: string; readonly email: string }>
  readonly owner: (token: string) => Client
  readonly done: (answer: Answer) => Json
}

/** @returns the secrets of keys that live: Ann's, her organization's, and the tenant's */
export async function playKeys({ world, tess, ann, join, owner, done }: Asking) {
  done(await tess.patch('/api/admin/tenant', { personalKeys: true, organizationKeys: true, keyGraceSeconds: 86_400 }))
  const atelier = done(await ann.post('/api/organizations', { name: 'Atelier' }))
  const path = `/api/organizations/${atelier.id}`
  const make = async (maker: Client, list: string, body: object) => done(await maker.post(list, body))

  const own = await make(ann, '/api/users/me/keys', { name: 'Reports', scopes: ['me:read', 'members:read'] })
  done(await ann.patch(`/api/users/me/keys/${own.key.id}`, { scopes: ['me:read'] }))
  const rotated = done(await ann.post(`/api/users/me/keys/${own.key.id}/rotate`))
  const ended = await make(ann, '/api/users/me/keys', { name: 'Tried', scopes: ['me:update', 'invitations:write'] })
  done(await owner(ended.secret).patch('/api/users/me', { timeZone: 'Europe/Vienna' }))
  done(
    await owner(ended.secret).post(`${path}/invites`, {
      email: 'by-key@example.com',
      memberExpiresAt: '2026-03-01T00:00:00Z',
    }),
  )
  done(await ann.delete(`/api/users/me/keys/${ended.key.id}`)) // and the invitation ends with it

  const kim = await join('Kim')
  const invitation = done(await ann.post(`${path}/invites`, { email: kim.email, role: 'admin' }))
  const { member } = done(await kim.post(`/api/invites/${invitation.id}/accept`))
  const scopes = ['organization:read', 'invitations:write']
  const ofAtelier = await make(kim, `${path}/keys`, { name: 'Import', scopes })
  done(await owner(ofAtelier.secret).post(`${path}/invites`, { email: 'by-program@example.com' }))
  done(await ann.delete(`${path}/members/${member.id}`)) // the key's holder has left

  const ofTenant = await make(tess, '/api/admin/keys', { name: 'Back end', scopes: ['users:read', 'users:write'] })
  done(await owner(ofTenant.secret).post('/api/admin/users', { email: 'made-by-key@example.com', name: 'Lee' }))

  // Pairs of keys are made by chance, which no seed replaces: only the entry is here.
  await world.database.inTenant(world.tenantId, (sql) =>
    record(sql, { type: 'operator', requestId: null }, 'tenant.keys_rotated', {
      target: { type: 'tenant', id: sql.tenant },
    }),
  )
  return {
    own: rotated.secret as string,
    ofAtelier: ofAtelier.secret as string,
    ofTenant: ofTenant.secret as string,
    path,
  }
}
