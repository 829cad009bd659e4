/** Reads: what people view of themselves and their organizations. */
import { Type } from 'typebox'
import { Member } from '../../src/domain/organizations/members.ts'
import { Organization } from '../../src/domain/organizations/organizations.ts'
import { User } from '../../src/domain/people/users.ts'
import { problems } from '../../src/domain/problems.ts'
import { AuditEntry, type EntryRow, toEntry } from '../../src/domain/record/entries.ts'
import { Device } from '../../src/domain/sessions/sessions.ts'
import { newRequestId } from '../../src/platform/http/errors.ts'
import { Page } from '../../src/platform/http/schemas.ts'
import { origin } from '../passkeys.ts'
import { id, idSql, membersOfLarge, organization, otherId, type Population } from '../population.ts'
import { grants, heldIn, model } from './held.ts'
import {
  memberColumns,
  type Operation,
  organizationColumns,
  ownColumns,
  type Place,
  type Received,
  type Row,
  session,
  toMember,
  toOrganization,
  toPage,
  userColumns,
} from './operation.ts'

/** The callers: this many people, in turn. */
export const askers = 256
export const asker = (i: number) => 1 + (i % askers)
export const common = {
  kind: 'read' as const,
  isOnce: false,
  status: 200,
  callers: () => [1, askers] as const,
}
export const caller = () => `1 + :i::int % ${askers}`

/** The caller in a large organization: one of its first fifty members. */
const large = (i: number, { inSmall, large: count }: Population) => ({
  number: 1 + (i % count),
  user: inSmall + (i % count) * membersOfLarge + 1 + (Math.floor(i / count) % 50),
})

/** One organization of the caller's. */
export const bareOrganization = {
  url: '/api/organizations/:orgId',
  schema: Organization,
  statement: () => `
    select ${organizationColumns}, ${ownColumns}, ${grants}, ${model}
    from sessions s
    join memberships m on m.tenant_id = $1 and m.organization_id = $3 and m.user_id = s.user_id
    join organizations o on o.tenant_id = $1 and o.id = $3
    where ${session}`,
  values: ({ params }: Received) => [params.orgId],
  answer: ([row]: readonly Row[]) => row && toOwnOrganization(row),
  caller,
}

/** A row that has also what the caller holds there. */
function toOwnOrganization({ grants, model, ...row }: Row): Row {
  const held = heldIn({ role: row.role, expiresAt: row.membershipExpiresAt, grants }, { model })
  return { ...toOrganization(row), permissions: [...held.keys()].sort() }
}

/** The members of the caller's organization. @param columns of `memberships m`, `users u`, and the inviter `users i` */
export const bareMembers = (columns: string) => ({
  url: '/api/organizations/:orgId/members',
  schema: Page(Member),
  statement: () => `
    select ${columns}
    from (
      select * from memberships m
      where m.tenant_id = $1 and m.organization_id = $3
        and exists (
          select from sessions s
          join memberships c on c.tenant_id = $1 and c.organization_id = $3 and c.user_id = s.user_id
          where ${session})
      order by m.joined_at, m.id
      limit 51) m
    join users u on u.tenant_id = $1 and u.id = m.user_id
    left join users i on i.tenant_id = $1 and i.id = m.invited_by
    order by m.joined_at, m.id`,
  values: ({ params }: Received) => [params.orgId],
  answer: (rows: readonly Row[]) => toPage(rows, toMember),
})

/** The caller's own organization, for pgbench. */
export const organizationSql = ({ population: { large, small } }: Place) =>
  idSql('org', `${large} + 1 + (${caller()}) % ${small}`)

/** The problem of an organization of others. */
function refusalOf(organizationId: string | undefined) {
  const { status, title, detail } = problems.not_found
  const type = `${origin}/docs/problems#not_found`
  const instance = `/api/organizations/${organizationId}`
  return { type, title, status, code: 'not_found', detail, instance, requestId: newRequestId() }
}

export const me: Operation = {
  ...common,
  name: 'me',
  ask: (i) => ({ method: 'GET', path: '/api/users/me', user: asker(i) }),
  askOther: (i) => ({ method: 'GET', path: '/api/auth/get-session', user: asker(i) }),
  bare: {
    url: '/api/users/me',
    schema: User,
    statement: () => `
      select ${userColumns}
      from sessions s
      join users u on u.tenant_id = $1 and u.id = s.user_id and u.status = 'active'
      where ${session}`,
    values: () => [],
    answer: ([user]) => user,
    caller,
    numbered: () => [],
  },
}

export const reads: readonly Operation[] = [
  me,
  {
    ...common,
    name: 'get organization',
    ask: (i, { population }) => {
      const user = asker(i)
      return { method: 'GET', path: `/api/organizations/${id('org', organization(population, user))}`, user }
    },
    askOther: (i, { population }) => {
      const user = asker(i)
      const organizationId = otherId('org', organization(population, user))
      return { method: 'GET', path: `/api/auth/organization/get-organization?organizationId=${organizationId}`, user }
    },
    bare: { ...bareOrganization, numbered: (place) => [organizationSql(place)] },
  },
  {
    ...common,
    name: 'refused read',
    status: 404,
    ask: (i, { population }) => {
      const user = asker(i)
      return { method: 'GET', path: `/api/organizations/${id('org', organization(population, user + 1))}`, user }
    },
    askOther: (i, { population }) => {
      const user = asker(i)
      const organizationId = otherId('org', organization(population, user + 1))
      return { method: 'GET', path: `/api/auth/organization/get-organization?organizationId=${organizationId}`, user }
    },
    statusOfOther: 403,
    bare: {
      ...bareOrganization,
      schema: Type.Object({}, { additionalProperties: true }),
      answer: ([row], { params }) => (row ? undefined : refusalOf(params.orgId)),
      numbered: ({ population: { large, small } }) => [idSql('org', `${large} + 1 + (${caller()} + 1) % ${small}`)],
    },
  },
  {
    ...common,
    kind: 'list',
    name: 'list organizations',
    ask: (i) => ({ method: 'GET', path: '/api/organizations', user: asker(i) }),
    askOther: (i) => ({ method: 'GET', path: '/api/auth/organization/list', user: asker(i) }),
    bare: {
      url: '/api/organizations',
      schema: Page(Organization),
      statement: () => `
        select ${organizationColumns}, ${ownColumns}
        from sessions s
        join memberships m on m.tenant_id = $1 and m.user_id = s.user_id
        join organizations o on o.tenant_id = $1 and o.id = m.organization_id
        where ${session}
        order by o.name_key, o.id
        limit 101`,
      values: () => [],
      answer: (rows) => toPage(rows, toOrganization, 100),
      caller,
      numbered: () => [],
    },
  },
  {
    ...common,
    kind: 'list',
    name: 'list members',
    callers: ({ inSmall, users }) => [inSmall + 1, users],
    ask: (i, { population }) => {
      const { number, user } = large(i, population)
      return { method: 'GET', path: `/api/organizations/${id('org', number)}/members`, user }
    },
    askOther: (i, { population }) => {
      const { number, user } = large(i, population)
      const query = `organizationId=${otherId('org', number)}&limit=50&sortBy=createdAt&sortDirection=asc`
      return { method: 'GET', path: `/api/auth/organization/list-members?${query}`, user }
    },
    bare: {
      ...bareMembers(memberColumns),
      caller: ({ population: { inSmall, large } }) =>
        `${inSmall} + (:i::int % ${large}) * ${membersOfLarge} + 1 + (:i::int / ${large}) % 50`,
      numbered: ({ population: { large } }) => [idSql('org', `1 + :i::int % ${large}`)],
    },
  },
  {
    ...common,
    name: 'devices',
    ask: (i) => ({ method: 'GET', path: '/api/users/me/devices', user: asker(i) }),
    askOther: (i) => ({ method: 'GET', path: '/api/auth/list-sessions', user: asker(i) }),
    bare: {
      url: '/api/users/me/devices',
      schema: Type.Object({ data: Type.Array(Device), nextCursor: Type.Null() }),
      statement: () => `
        select d.id, d.name, d.browser, d.os, d.type, d.ip, d.id = s.id as current, d.methods, d.assurance,
          d.authenticated_at as "authenticatedAt", d.created_at as "createdAt",
          d.last_active_at as "lastActiveAt",
          least(d.created_at + interval '30 days', d.last_active_at + interval '14 days') as "expiresAt",
          (select coalesce(json_agg(json_build_object('id', a.id, 'name', a.name, 'since', g.created_at, 'lastUsedAt', g.last_used_at)), '[]')
            from grants g join applications a on a.tenant_id = $1 and a.id = g.application_id
            where g.tenant_id = $1 and g.session_id = d.id and g.ended_at is null) as applications
        from sessions s
        join sessions d on d.tenant_id = $1 and d.user_id = s.user_id and d.ended_at is null
          and d.last_active_at > now() - interval '14 days'
        where ${session}
        order by d.last_active_at desc, d.id desc`,
      values: () => [],
      answer: (rows) => ({ data: rows, nextCursor: null }),
      caller,
      numbered: () => [],
    },
  },
  {
    ...common,
    kind: 'list',
    name: 'own audit',
    ask: (i) => ({ method: 'GET', path: '/api/users/me/audit', user: asker(i) }),
    bare: {
      url: '/api/users/me/audit',
      schema: Page(AuditEntry),
      statement: () => `
        with chosen as (
          select d.entry_id, d.occurred_at
          from sessions s
          join audit_details d on d.tenant_id = $1 and d.user_id = s.user_id
          where ${session}
          order by d.occurred_at desc, d.entry_id desc
          limit 51)
        select e.id, e.occurred_at as "occurredAt", e.action, e.organization_id as "organizationId", e.request_id as "requestId",
          e.actor_type as "actorType", e.actor_subject as "actorSubject", a.user_id as "actorId", a.name as "actorName",
          e.target_type as "targetType", e.target_subject as "targetSubject", coalesce(t.user_id, e.target_id) as "targetId",
          coalesce(t.name, o.name) as "targetName", coalesce(t.details, a.details) as details, a.ip, a.device,
          a.via as "viaId", (select k.name from api_keys k where k.tenant_id = $1 and k.id = a.via) as "viaName"
        from chosen
        join audit_entries e on e.tenant_id = $1 and e.id = chosen.entry_id
        left join audit_details a on a.tenant_id = $1 and a.entry_id = e.id and a.subject = e.actor_subject
        left join audit_details t on t.tenant_id = $1 and t.entry_id = e.id and t.subject = e.target_subject
        left join organizations o on o.tenant_id = $1 and e.target_type = 'organization' and o.id = e.target_id
        order by chosen.occurred_at desc, chosen.entry_id desc`,
      values: () => [],
      answer: (rows) => toPage(rows, (row) => toEntry(row as unknown as EntryRow) as never), // the statement selects these columns
      caller,
      numbered: () => [],
    },
  },
]
