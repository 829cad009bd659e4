/** Memberships: writes that change and end them. */
import { Member } from '../../src/domain/organizations/members.ts'
import { newId } from '../../src/platform/http/schemas.ts'
import { id, idSql, membership, organization, otherId, ownerOf, type Population, stride } from '../population.ts'
import { asAdmin, callerWith, common, newIdSql, recorded } from './change.ts'
import { memberColumns, type Operation, type Place, partOf, toMember } from './operation.ts'

/** The owners of the memberships that no invariant depends on, as their kth: neither owner nor admin. */
const ordinary = ({ inSmall, small }: Population) => inSmall - small

/** The ith change of a role: some people are promoted and demoted in turn. */
function roleChange(i: number, place: Place) {
  const { population } = place
  const { first, count } = partOf(place, Math.min(3000, ordinary(population)))
  const user = population.small + 1 + first + (i % count)
  const x = (user + stride) % population.small
  return { user, x, role: Math.floor(i / count) % 2 === 0 ? 'admin' : 'member' }
}

/** The ith removal. */
function removal(i: number, place: Place) {
  const { population } = place
  const user = population.small + 1 + partOf(place, ordinary(population)).first + i
  return { user, x: (user + 2 * stride) % population.small }
}

const ownerSql = (x: string, small: number) => `coalesce(nullif((${x}) % ${small}, 0), ${small})`

export const membershipWrites: readonly Operation[] = [
  {
    ...common,
    name: 'change role',
    callers: ({ small }) => [1, small],
    ask: (i, place) => {
      const { population } = place
      const { user, x, role } = roleChange(i, place)
      const path = `/api/organizations/${id('org', organization(population, x))}/members/${id('mem', membership(user, 1))}`
      return { method: 'PATCH', path, user: ownerOf(population, x), body: { role } }
    },
    askOther: (i, place) => {
      const { population } = place
      const { user, x, role } = roleChange(i, place)
      const organizationId = otherId('org', organization(population, x))
      const body = { organizationId, memberId: otherId('mem', membership(user, 1)), role }
      return { method: 'POST', path: '/api/auth/organization/update-member-role', user: ownerOf(population, x), body }
    },
    bare: {
      url: '/api/organizations/:orgId/members/:memberId',
      schema: Member,
      statement: () => `${callerWith(asAdmin)},
        changed as (
          update memberships m set role = $5
          from caller
          where m.tenant_id = $1 and m.id = $4 and m.organization_id = $3
          returning m.*)
        ${recorded('member.role_changed', '$6', '$3', '$5::text')}
        ${selectChanged}`,
      values: ({ params, body }) => [params.orgId, params.memberId, body.role, newId('aud')],
      answer: ([row]) => row && toMember(row),
      caller: (place) => ownerSql(`${changedSql(place)} + ${stride}`, place.population.small),
      numbered: (place) => [
        idSql('org', `${place.population.large + 1} + (${changedSql(place)} + ${stride}) % ${place.population.small}`),
        idSql('mem', `(${changedSql(place)}) * 4 + 1`),
        `case (:i::int / ${changeable(place).count}) % 2 when 0 then 'admin' else 'member' end`,
        newIdSql('aud', 'r'),
      ],
    },
  },
  {
    ...common,
    name: 'remove member',
    callers: ({ small }) => [1, small],
    limit: (place) => partOf(place, ordinary(place.population)).count,
    ask: (i, place) => {
      const { population } = place
      const { user, x } = removal(i, place)
      const path = `/api/organizations/${id('org', organization(population, x))}/members/${id('mem', membership(user, 2))}`
      return { method: 'DELETE', path, user: ownerOf(population, x) }
    },
    askOther: (i, place) => {
      const { population } = place
      const { user, x } = removal(i, place)
      const organizationId = otherId('org', organization(population, x))
      const body = { organizationId, memberIdOrEmail: otherId('mem', membership(user, 2)) }
      return { method: 'POST', path: '/api/auth/organization/remove-member', user: ownerOf(population, x), body }
    },
    bare: {
      url: '/api/organizations/:orgId/members/:memberId',
      schema: Member,
      statement: () => `${callerWith(asAdmin)},
        changed as (
          delete from memberships m
          using caller
          where m.tenant_id = $1 and m.id = $4 and m.organization_id = $3 and m.role <> 'owner'
          returning m.*),
        forgotten as (
          update invitations i set membership_id = null
          from changed
          where i.tenant_id = $1 and i.membership_id = changed.id),
        counted as (
          update organizations o set member_count = member_count - 1
          from changed
          where o.tenant_id = $1 and o.id = $3)
        ${recorded('member.removed', '$5', '$3', 'changed.role')}
        ${selectChanged}`,
      values: ({ params }) => [params.orgId, params.memberId, newId('aud')],
      answer: ([row]) => row && toMember(row),
      caller: (place) => ownerSql(`${removedSql(place)} + ${2 * stride}`, place.population.small),
      numbered: (place) => [
        idSql(
          'org',
          `${place.population.large + 1} + (${removedSql(place)} + ${2 * stride}) % ${place.population.small}`,
        ),
        idSql('mem', `(${removedSql(place)}) * 4 + 2`),
        newIdSql('aud', 'd'),
      ],
    },
  },
]

const selectChanged = `
  select ${memberColumns}
  from changed m
  join users u on u.tenant_id = $1 and u.id = m.user_id
  left join users i on i.tenant_id = $1 and i.id = m.invited_by`

function changeable(place: Place) {
  return partOf(place, Math.min(3000, ordinary(place.population)))
}

function changedSql(place: Place): string {
  const { first, count } = changeable(place)
  return `${place.population.small + 1 + first} + :i::int % ${count}`
}

function removedSql(place: Place): string {
  return `${place.population.small + 1 + partOf(place, ordinary(place.population)).first} + :i::int`
}
