/** Requests about links, roles and checks, on things that are created for them. */
import { randomBytes } from 'node:crypto'
import { newId } from '../src/platform/http/schemas.ts'
import { organizationValues } from './field-values.ts'
import type { Described } from './sign-in-requests.ts'
import type { Json, Person } from './world.ts'

/** @param maker makes a link to an organization of their own @returns undefined if the operation is about something else */
export async function membershipRequest(name: string, maker: Person): Promise<Described | undefined> {
  switch (name) {
    case 'POST /api/links/preview':
    case 'POST /api/links/join': {
      const { body } = await maker.post('/api/organizations', { name: 'Linked' })
      return { body: { token: await makeLink(maker, body.id).then(({ token }) => token) } }
    }
    case 'POST /api/check':
      return { body: { checks: [{ organizationId: newId('org'), permission: 'members:read' }] } }
    case 'POST /api/credentials/verify':
      return { body: { credential: maker.token } }
    case 'GET /api/tenants/{tenantId}/.well-known/openid-configuration':
    case 'GET /api/tenants/{tenantId}/jwks.json': {
      await maker.post('/api/tokens') // makes the first key
      const { body } = await maker.get('/api/tenant')
      return { path: name.split(' ')[1]?.replace('{tenantId}', body.id) ?? '' }
    }
    case 'POST /api/admin/organizations':
      return { body: { name: 'Given', ownerId: maker.id } }
    case 'PUT /api/admin/access': {
      const permissions = [{ key: 'notes:write', name: `Write ${randomBytes(6).toString('hex')}` }]
      return { body: { permissions, roles: [] } }
    }
    default:
      return undefined
  }
}

/** A link to join, and the token in its URL. */
export async function makeLink(
  owner: Person,
  orgId: string,
  body: object = {},
): Promise<{ id: string; token: string }> {
  const link = await owner.post(`/api/organizations/${orgId}/links`, body)
  return { id: link.body.id, token: link.body.url.split('#token=')[1] }
}

/** A valid body, with every field, for each operation on memberships. @param until an end in the future */
export function membershipBodies({
  orgId,
  userId,
  until,
  token,
  model,
}: {
  readonly orgId: string
  readonly userId: string
  readonly until: string
  readonly token: string
  readonly model: Json
}): Record<string, Json> {
  return {
    'PATCH /api/organizations/{orgId}/members/{memberId}': {
      role: 'admin',
      grants: [{ role: 'writer', expiresAt: until }],
      status: 'active',
      expiresAt: until,
    },
    'POST /api/organizations/{orgId}/invites': offer('gus@example.com', until),
    'POST /api/organizations/{orgId}/invites/bulk': { invites: [offer('ida@example.com', until)] },
    'POST /api/organizations/{orgId}/invites/{inviteId}/resend': { expiresInDays: 3 },
    'PATCH /api/admin/organizations/{orgId}/members/{memberId}': {
      role: 'member',
      grants: [{ role: 'writer', expiresAt: until }],
      status: 'active',
      expiresAt: until,
    },
    'POST /api/admin/organizations/{orgId}/invites': offer('jon@example.com', until),
    'POST /api/admin/organizations/{orgId}/invites/bulk': { invites: [offer('kim@example.com', until)] },
    'POST /api/admin/organizations/{orgId}/invites/{inviteId}/resend': { expiresInDays: 3 },
    'POST /api/organizations/{orgId}/links': {
      grants: [{ role: 'writer', expiresAt: until }],
      maxUses: 5,
      emailDomains: ['example.com'],
      expiresInDays: 3,
      memberExpiresAt: until,
    },
    'POST /api/links/preview': { token: token },
    'POST /api/links/join': { token: token },
    'POST /api/check': { checks: [{ organizationId: orgId, permission: 'notes:write' }] },
    'PUT /api/admin/access': model,
    'POST /api/admin/organizations': {
      ...organizationValues,
      slug: 'acme-of-admins',
      ownerId: userId,
      externalId: 'customer-1',
    },
    'PATCH /api/admin/organizations/{orgId}': {
      ...organizationValues,
      externalId: 'customer-2',
      memberLimit: 50,
    },
    'POST /api/admin/organizations/{orgId}/members': {
      userId: userId,
      role: 'member',
      grants: [{ role: 'writer', expiresAt: until }],
      expiresAt: until,
    },
  }
}

/** An invitation with every field. */
function offer(email: string, until: string): Json {
  const grants = [{ role: 'writer', expiresAt: until }]
  return { email, role: 'member', grants, memberExpiresAt: until, expiresInDays: 3, locale: 'en-GB', mail: true }
}
