/** Invitations for tests: how they are made, opened, answered and ended. */
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { makeMailedToken } from '../src/domain/access/tokens.ts'
import { type Json, type Organization, type Person, password, type World } from './world.ts'

/** @returns functions that do each of these in the world of a test file */
export function onInvitations(world: World) {
  const { query } = world.postgres
  const { tenantId: tenant } = world
  const address = () => `guest-${randomBytes(5).toString('hex')}@example.com`
  const accept = (who: Person, id: string) => who.post(`/api/invites/${id}/accept`)
  const decline = (who: Person, id: string) => who.post(`/api/invites/${id}/decline`)

  const preview = (id: string, token: unknown, headers = {}) =>
    world.nobody.post(`/api/invites/${id}/preview`, { token }, headers)

  const signUp = (email: string, invitationToken: string, headers = {}) =>
    world.nobody.post('/api/auth/sign-up', { email, password, invitationToken }, headers)

  const tokenOf = (id: string, generation = 1, of = tenant) =>
    makeMailedToken(world.keyring, 'invitation', { tenant: of, id, generation })

  const membershipsOf = (person: Pick<Person, 'id'>) =>
    query<{ organization_id: string; role: string }>(
      'select organization_id, role from memberships where user_id = $1',
      [person.id],
    )

  const inviteBy = (who: Person, { path }: Pick<Organization, 'path'>, email: string, role?: unknown) =>
    who.post(`${path}/invites`, { email, ...(role !== undefined && { role }) })

  const expire = (id: string) =>
    query(`update invitations set expires_at = now() - interval '1 second' where id = $1`, [id])

  const statusOf = async ({ ann, path }: Organization, id: string): Promise<string> =>
    (await ann.get(`${path}/invites/${id}`)).body.status

  async function invite({ ann, path }: Organization, email: string, role = 'member'): Promise<Json> {
    const { status, body } = await ann.post(`${path}/invites`, { email, role })
    assert.equal(status, 201)
    return body
  }

  /** Each way in which an invitation stops being pending, and the answer that its addressee then gets. */
  const ends: Readonly<Record<string, (acme: Organization, id: string) => Promise<unknown>>> = {
    invitation_expired: (_, id) => expire(id),
    invitation_revoked: ({ ann, path }, id) => ann.delete(`${path}/invites/${id}`),
    invitation_declined: ({ dan }, id) => decline(dan, id),
    invitation_used: async ({ dan, path }, id) => {
      await accept(dan, id)
      await dan.delete(`${path}/members/me`)
    },
  }

  return {
    ...{ accept, address, decline, ends, expire, invite, inviteBy },
    ...{ membershipsOf, preview, signUp, statusOf, tokenOf },
  }
}
