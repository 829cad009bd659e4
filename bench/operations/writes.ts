/** Writes: people change their profile, and create and change organizations. */

import { Organization } from '../../src/domain/organizations/organizations.ts'
import { User } from '../../src/domain/people/users.ts'
import { newId } from '../../src/platform/http/schemas.ts'
import { id, idSql, organization, otherId } from '../population.ts'
import { asAdmin, callerWith, common, newIdSql, owned, ownedSql, owners, recorded } from './change.ts'
import { type Operation, organizationColumns, ownColumns, toOrganization, userColumns } from './operation.ts'

/** People who change their own data. */
const some = 1000
const someone = (i: number) => 1 + (i % some)
const someoneSql = () => `1 + :i::int % ${some}`

export const writes: readonly Operation[] = [
  {
    ...common,
    name: 'update profile',
    callers: () => [1, some],
    ask: (i) => ({ method: 'PATCH', path: '/api/users/me', user: someone(i), body: { name: `Somebody ${i}` } }),
    askOther: (i) => ({
      method: 'POST',
      path: '/api/auth/update-user',
      user: someone(i),
      body: { name: `Somebody ${i}` },
    }),
    bare: {
      url: '/api/users/me',
      schema: User,
      statement: () => `${callerWith()},
        changed as (
          update users u set name = $3, name_key = lower($3), version = version + 1, updated_at = now()
          from caller
          where u.tenant_id = $1 and u.id = caller.user_id
          returning ${userColumns})
        ${recorded('profile.updated', '$4', 'null', '$3::text')}
        select * from changed`,
      values: ({ body }) => [body.name, newId('aud')],
      answer: ([user]) => user,
      caller: someoneSql,
      numbered: () => [`('Pgbench ' || :i)`, newIdSql('aud', 'p')],
    },
  },
  {
    ...common,
    name: 'create organization',
    status: 201,
    callers: () => [1, some],
    ask: (i, { share }) => ({
      method: 'POST',
      path: '/api/organizations',
      user: someone(i),
      body: { name: `Made ${i}`, slug: `made-${share.name}-${i}` },
    }),
    askOther: (i, { share }) => ({
      method: 'POST',
      path: '/api/auth/organization/create',
      user: someone(i),
      body: { name: `Made ${i}`, slug: `made-${share.name}-${i}` },
    }),
    bare: {
      url: '/api/organizations',
      schema: Organization,
      statement: () => `${callerWith()},
        changed as (
          insert into organizations as o (tenant_id, id, slug, name, name_key, owner_count, member_count)
          select $1, $3, $4, $5, lower($5), 1, 1 from caller
          returning ${organizationColumns}),
        member as (
          insert into memberships (tenant_id, id, organization_id, user_id, role)
          select $1, $6, $3, user_id, 'owner' from caller
          returning *)
        ${recorded('organization.created', '$7', '$3', '$5::text')}
        select changed.*, ${ownColumns} from changed, member m`,
      values: ({ body }) => [newId('org'), body.slug, body.name, newId('mem'), newId('aud')],
      answer: ([row]) => row && toOrganization(row),
      caller: someoneSql,
      numbered: () => [
        newIdSql('org', 'c'),
        `('made-pgbench-' || :i)`,
        `('Made ' || :i)`,
        newIdSql('mem', 'c'),
        newIdSql('aud', 'c'),
      ],
    },
  },
  {
    ...common,
    name: 'update organization',
    callers: (population) => [1, owners(population) + 1],
    ask: (i, { population }) => {
      const x = owned(i, population)
      const path = `/api/organizations/${id('org', organization(population, x))}`
      return { method: 'PATCH', path, user: x, body: { name: `Changed ${i}` } }
    },
    askOther: (i, { population }) => {
      const x = owned(i, population)
      const organizationId = otherId('org', organization(population, x))
      const body = { organizationId, data: { name: `Changed ${i}` } }
      return { method: 'POST', path: '/api/auth/organization/update', user: x, body }
    },
    bare: {
      url: '/api/organizations/:orgId',
      schema: Organization,
      statement: () => `${callerWith(asAdmin)},
        changed as (
          update organizations o set name = $4, name_key = lower($4), version = version + 1, updated_at = now()
          from caller
          where o.tenant_id = $1 and o.id = $3
          returning ${organizationColumns})
        ${recorded('organization.updated', '$5', '$3', '$4::text')}
        select changed.*, ${ownColumns}
        from changed, caller
        join memberships m on m.tenant_id = $1 and m.organization_id = $3 and m.user_id = caller.user_id`,
      values: ({ params, body }) => [params.orgId, body.name, newId('aud')],
      answer: ([row]) => row && toOrganization(row),
      caller: ownedSql,
      numbered: (place) => [
        idSql('org', `${place.population.large + 1} + ${ownedSql(place)}`),
        `('Pgbench ' || :i)`,
        newIdSql('aud', 'u'),
      ],
    },
  },
]
