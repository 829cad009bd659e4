/** Requests that are answered with a problem of memberships. */
import { randomBytes } from 'node:crypto'
import type { membershipProblems } from '../src/domain/membership-problems.ts'
import type { Answer, World } from './world.ts'

export function membershipProvocations(world: World): Record<keyof typeof membershipProblems, () => Promise<Answer>> {
  const { query } = world.postgres
  return {
    membership_suspended: async () => {
      const { ann: owner, path, cleo: member, members: all } = await world.organization()
      await owner.patch(`${path}/members/${all.cleo.id}`, { status: 'suspended' })
      return member.get(path)
    },
    owner_cannot_end: async () => {
      const { ann: owner, path, members } = await world.organization()
      const expiresAt = new Date(Date.now() + 3_600_000).toISOString()
      return owner.patch(`${path}/members/${members.ann.id}`, { expiresAt })
    },
    members_full: async () => {
      const { ann: owner, path, id, dan } = await world.organization()
      const { body } = await owner.post(`${path}/invites`, { email: dan.email })
      await query('update organizations set member_limit = member_count where id = $1', [id])
      return dan.post(`/api/invites/${body.id}/accept`)
    },
    not_offered: async () => {
      const { slug } = await world.tenant()
      await query('update tenants set share_links = false where slug = $1', [slug])
      const owner = await world.person('Owner', { tenant: slug })
      const { body } = await owner.post('/api/organizations', { name: 'Closed' })
      return owner.post(`/api/organizations/${body.id}/links`, {})
    },
    removed_member: async () => {
      const { ann: owner, path, cleo: member, members: all } = await world.organization()
      const { body } = await owner.post(`${path}/links`, {})
      await owner.delete(`${path}/members/${all.cleo.id}`)
      return member.post('/api/links/join', { token: body.url.split('#token=')[1] })
    },
    link_ended: async () => {
      const { ann: owner, path, dan: member } = await world.organization()
      const { body } = await owner.post(`${path}/links`, {})
      await owner.delete(`${path}/links/${body.id}`)
      return member.post('/api/links/join', { token: body.url.split('#token=')[1] })
    },
    role_in_use: async () => {
      const { slug } = await world.tenant()
      const admin = await world.tenantAdmin(slug)
      const permissions = [{ key: 'invoices:write', name: 'Write invoices' }]
      await admin.put('/api/admin/access', { permissions, roles: [] })
      await admin.post('/api/organizations', { name: 'Its owner has the permission' })
      return admin.put('/api/admin/access', { permissions: [], roles: [] })
    },
    external_id_taken: async () => {
      const admin = await world.tenantAdmin()
      await admin.post('/api/admin/users', {
        email: `${randomBytes(6).toString('hex')}@example.com`,
        externalId: 'taken',
      })
      return admin.post('/api/admin/users', {
        email: `${randomBytes(6).toString('hex')}@example.com`,
        externalId: 'taken',
      })
    },
  }
}
