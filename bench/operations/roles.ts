/** Roles and memberships: reads by people who have three roles of the product, checks, and invitations in bulk. */
import { Type } from 'typebox'
import { Invitation } from '../../src/domain/organizations/invitations.ts'
import { MemberDetails } from '../../src/domain/organizations/members.ts'
import { builtInPermissions } from '../../src/domain/permissions/permissions.ts'
import { newId, ref } from '../../src/platform/http/schemas.ts'
import {
  firstGranted,
  granted,
  id,
  idSql,
  membersOfLarge,
  organization,
  type Population,
  productRoles,
  stride,
  verbs,
} from '../population.ts'
import { asAdmin, callerWith, owned, ownedSql, owners, recorded, common as write } from './change.ts'
import { grants, heldIn, model } from './held.ts'
import { selectSent, toInvitation } from './invitations.ts'
import { memberColumns, type Operation, type Place, type Received, type Row, session, toMember } from './operation.ts'
import { asker, askers, bareMembers, bareOrganization, caller, common, organizationSql } from './reads.ts'

/** The callers in granted organizations: as many people as of other reads, each one of the first fifty members. */
const grantee = (i: number, population: Population) => {
  const [n, { large }] = [i % askers, population]
  return granted(population, n % large, Math.floor(n / large) % 50)
}
const ofGrantees = {
  ...common,
  callers: ({ inSmall, users }: Population) => [inSmall + 1, users] as const,
}
const granteeSql = ({ population: { inSmall, large } }: Place) =>
  `${inSmall} + (:i::int % ${askers} % ${large}) * ${membersOfLarge} + ${firstGranted} + (:i::int % ${askers} / ${large}) % 50`
/** All their organizations, the granted one first. */
const organizationsOf = (i: number, { population }: Place) => {
  const { number, user } = grantee(i, population)
  const inLarge = Math.ceil((user - population.inSmall) / membersOfLarge)
  return { user, numbers: [number, organization(population, user), organization(population, user + stride), inLarge] }
}
const grantedSql = ({ population: { large, small } }: Place) =>
  idSql('org', `${large + small + 1} + :i::int % ${askers} % ${large}`)
const organizationsSql = (place: Place) => {
  const { large, small } = place.population
  const inSmall = (k: number) => idSql('org', `${large + 1} + (${granteeSql(place)} + ${k * stride}) % ${small}`)
  return [grantedSql(place), inSmall(0), inSmall(1), idSql('org', `1 + :i::int % ${askers} % ${large}`)]
}

const ownMember = {
  url: '/api/organizations/:orgId/members/me',
  schema: MemberDetails,
  statement: () => `
    select ${memberColumns}, ${grants}, ${model}
    from sessions s
    join memberships m on m.tenant_id = $1 and m.organization_id = $3 and m.user_id = s.user_id
    join users u on u.tenant_id = $1 and u.id = m.user_id
    left join users i on i.tenant_id = $1 and i.id = m.invited_by
    where ${session}`,
  values: ({ params }: Received) => [params.orgId],
  answer: ([row]: readonly Row[]) => row && { ...toMember(row), permissions: [...heldIn(row, row).keys()].sort() },
}

/** Pairs of one of the caller's four organizations and one of 25 permissions, two of which are unknown. */
function checksOf(i: number, place: Place, count: number) {
  const { user, numbers } = organizationsOf(i, place)
  const own = productRoles.flatMap((noun) => verbs.map((verb) => `${noun}:${verb}`))
  const keys = [...own, ...builtInPermissions.map(({ key }) => key), 'invoices:send', 'invoices:sign']
  const checks = Array.from({ length: count }, (_, n) => ({
    organizationId: id('org', numbers[n % numbers.length] as number),
    permission: keys[n % keys.length] as string,
  }))
  return { method: 'POST' as const, path: '/api/check', user, body: { checks } }
}

const check = {
  ...ofGrantees,
  bare: {
    url: '/api/check',
    schema: Type.Object({
      results: Type.Array(Type.Object({ allowed: Type.Boolean(), reason: Type.Optional(Type.String()) })),
    }),
    statement: () => `
      select m.organization_id as "organizationId", m.role, m.expires_at as "expiresAt", ${grants}, ${model}
      from sessions s
      join memberships m on m.tenant_id = $1 and m.organization_id = any($3::text[]) and m.user_id = s.user_id
      where ${session}`,
    values: ({ body }: Received) => [(body.checks as Check[]).map(({ organizationId }) => organizationId)], // as checksOf makes it
    answer: (rows: readonly Row[], { body }: Received) => {
      const held = new Map(rows.map((row) => [row.organizationId, heldIn(row, rows[0] ?? {})]))
      const results = (body.checks as Check[]).map(({ organizationId, permission }) =>
        held.get(organizationId)?.has(permission) ? { allowed: true } : { allowed: false, reason: 'not_granted' },
      )
      return { results }
    },
    caller: granteeSql,
  },
}

interface Check {
  readonly organizationId: string
  readonly permission: string
}

/** How many invitations are sent at once. */
const atOnce = 100

export const roles: readonly Operation[] = [
  {
    ...ofGrantees,
    name: 'get organization, 3 grants',
    ask: (i, { population }) => {
      const { number, user } = grantee(i, population)
      return { method: 'GET', path: `/api/organizations/${id('org', number)}`, user }
    },
    bare: { ...bareOrganization, caller: granteeSql, numbered: (place) => [grantedSql(place)] },
  },
  {
    ...ofGrantees,
    kind: 'list',
    name: 'list members, 3 grants',
    ask: (i, { population }) => {
      const { number, user } = grantee(i, population)
      return { method: 'GET', path: `/api/organizations/${id('org', number)}/members`, user }
    },
    bare: {
      ...bareMembers(`${memberColumns}, ${grants}`),
      caller: granteeSql,
      numbered: (place) => [grantedSql(place)],
    },
  },
  {
    ...common,
    name: 'members/me',
    ask: (i, { population }) => {
      const user = asker(i)
      return { method: 'GET', path: `/api/organizations/${id('org', organization(population, user))}/members/me`, user }
    },
    bare: { ...ownMember, caller, numbered: (place) => [organizationSql(place)] },
  },
  {
    ...ofGrantees,
    name: 'members/me, 3 grants',
    ask: (i, { population }) => {
      const { number, user } = grantee(i, population)
      return { method: 'GET', path: `/api/organizations/${id('org', number)}/members/me`, user }
    },
    bare: { ...ownMember, caller: granteeSql, numbered: (place) => [grantedSql(place)] },
  },
  {
    ...check,
    name: 'check',
    ask: (i, place) => checksOf(i, place, 1),
    bare: { ...check.bare, numbered: (place) => [`array[${grantedSql(place)}]`] },
  },
  {
    ...check,
    name: '100 checks',
    ask: (i, place) => checksOf(i, place, 100),
    bare: { ...check.bare, numbered: (place) => [`array[${organizationsSql(place).join(', ')}]`] },
  },
  {
    ...write,
    name: '100 invitations',
    callers: (population) => [1, owners(population) + 1],
    connections: 1,
    limit: () => 2000,
    ask: (i, { population, share }) => {
      const x = owned(i, population)
      const path = `/api/organizations/${id('org', organization(population, x))}/invites/bulk`
      const address = (n: number) => `bulk-${share.name}-${i}-${n}@example.com`
      const invites = Array.from({ length: atOnce }, (_, n) => ({ email: address(n), role: 'member' }))
      return { method: 'POST', path, user: x, body: { invites } }
    },
    bare: {
      url: '/api/organizations/:orgId/invites/bulk',
      schema: Type.Object({
        results: Type.Array(Type.Object({ email: Type.String(), outcome: Type.String(), invitation: ref(Invitation) })),
      }),
      statement: () => `${callerWith(asAdmin)},
        changed as (
          insert into invitations as i (tenant_id, id, organization_id, email, role, invited_by, expires_at)
          select $1, wanted.id, $3, wanted.email, 'member', user_id, now() + interval '7 days'
          from caller, unnest($4::text[], $5::text[]) as wanted (id, email)
          where not exists (
            select from users u
            join memberships m on m.tenant_id = $1 and m.organization_id = $3 and m.user_id = u.id
            where u.tenant_id = $1 and u.email = wanted.email)
          returning i.*)
        ${recorded('invitation.sent', `replace(changed.id, 'inv_', 'aud_')`, '$3', 'changed.email')}
        ${selectSent}`,
      values: ({ params, body }) => {
        const emails = (body.invites as { email: string }[]).map(({ email }) => email) // as `ask` makes it
        return [params.orgId, emails.map(() => newId('inv')), emails]
      },
      answer: (rows) => ({
        results: rows.map((row) => ({ email: row.email, outcome: 'sent', invitation: toInvitation(row) })),
      }),
      caller: ownedSql,
      numbered: (place) => [
        idSql('org', `${place.population.large + 1} + ${ownedSql(place)}`),
        each(`'inv_7b' || lpad((:i::int * ${atOnce} + n)::text, 24, '0')`),
        each(`'bulk-pgbench-' || :i || '-' || n || '@example.com'`),
      ],
    },
  },
]

/** For pgbench: an array of as many values. */
function each(value: string): string {
  return `array(select ${value} from generate_series(0, ${atOnce - 1}) n)`
}
