/** Rows that a test needs many of: written past the API, where its limits and its pace would be in the way. */
import { randomBytes } from 'node:crypto'
import { fillWords } from '../src/domain/search/writing.ts'
import { newId, searchKey } from '../src/platform/http/schemas.ts'
import type { Organization, Person, World } from './world.ts'

/** @returns functions that write rows in the world of a test file, and return their ids */
export function onRows({ postgres: { query }, tenantId: tenant, database }: World) {
  /** Members with these names. */
  async function giveMembers(orgId: string, names: readonly (string | null)[], role = 'member'): Promise<string[]> {
    const ids = names.map(() => newId('mem'))
    const users = names.map(() => newId('user'))
    await query(
      `insert into users (tenant_id, id, email, email_verified, name, name_key, password_hash, role)
       select o.tenant_id, u.id, u.id || '@example.com', true, u.name, u.name_key, null, 'user'
       from organizations o, unnest($2::text[], $3::text[], $4::text[]) as u (id, name, name_key)
       where o.id = $1`,
      [orgId, users, names, names.map((name) => name && searchKey(name))],
    )
    await query(
      `insert into memberships (tenant_id, id, organization_id, user_id, role, joined_at)
       select o.tenant_id, m.id, o.id, m.user_id, $4, now()
       from organizations o, unnest($2::text[], $3::text[]) as m (id, user_id)
       where o.id = $1`,
      [orgId, ids, users, role],
    )
    await query(
      `update organizations set member_count = member_count + $2, owner_count = owner_count + $3 where id = $1`,
      [orgId, names.length, role === 'owner' ? names.length : 0],
    )
    await fillWords(database, tenant)
    return ids
  }

  /** Organizations that a person is in. Their slugs are one word each, which begins with x: a search finds it by no other letter. */
  async function giveOrganizations(person: Person, names: readonly string[], role = 'owner'): Promise<string[]> {
    const ids = names.map(() => newId('org'))
    await query(
      `insert into organizations (tenant_id, id, slug, name, name_key, owner_count, member_count)
       select u.tenant_id, o.id, o.slug, o.name, o.name_key, 1, 1
       from users u, unnest($2::text[], $3::text[], $4::text[], $5::text[]) as o (id, slug, name, name_key)
       where u.id = $1`,
      [person.id, ids, names.map(() => `x${randomBytes(5).toString('hex')}`), names, names.map(searchKey)],
    )
    await query(
      `insert into memberships (tenant_id, id, organization_id, user_id, role)
       select u.tenant_id, m.id, m.organization_id, u.id, $4
       from users u, unnest($2::text[], $3::text[]) as m (id, organization_id)
       where u.id = $1`,
      [person.id, names.map(() => newId('mem')), ids, role],
    )
    await fillWords(database, tenant)
    return ids
  }

  /** Invitations to these addresses. */
  async function giveInvitations(
    { id, ann }: Organization,
    emails: readonly string[],
    status = 'pending',
  ): Promise<string[]> {
    const ids = emails.map(() => newId('inv'))
    await query(
      `insert into invitations (tenant_id, id, organization_id, email, role, status, invited_by, expires_at)
       select $1, i.id, $2, i.email, 'member', $6, $3, now() + interval '1 day'
       from unnest($4::text[], $5::text[]) as i (id, email)`,
      [tenant, id, ann.id, ids, emails, status],
    )
    return ids
  }

  return { giveInvitations, giveMembers, giveOrganizations }
}
