/** Invitations: writes that send and accept them. */
import { Type } from 'typebox'
import { Invitation } from '../../src/domain/organizations/invitations.ts'
import { Member } from '../../src/domain/organizations/members.ts'
import { Organization } from '../../src/domain/organizations/organizations.ts'
import { newId, ref } from '../../src/platform/http/schemas.ts'
import { id, idSql, organization, otherId } from '../population.ts'
import { asAdmin, callerWith, common, newIdSql, owned, ownedSql, owners, recorded } from './change.ts'
import { memberColumns, type Operation, partOf, type Row, session, toMember, toOrganization } from './operation.ts'

export const invitationWrites: readonly Operation[] = [
  {
    ...common,
    name: 'invite',
    status: 201,
    callers: (population) => [1, owners(population) + 1],
    ask: (i, { population, share }) => {
      const x = owned(i, population)
      const path = `/api/organizations/${id('org', organization(population, x))}/invites`
      return { method: 'POST', path, user: x, body: { email: `new-${share.name}-${i}@example.com`, role: 'member' } }
    },
    askOther: (i, { population, share }) => {
      const x = owned(i, population)
      const organizationId = otherId('org', organization(population, x))
      const body = { organizationId, email: `new-${share.name}-${i}@example.com`, role: 'member' }
      return { method: 'POST', path: '/api/auth/organization/invite-member', user: x, body }
    },
    bare: {
      url: '/api/organizations/:orgId/invites',
      schema: Invitation,
      statement: () => `${callerWith(asAdmin)},
        changed as (
          insert into invitations as i (tenant_id, id, organization_id, email, role, invited_by, expires_at)
          select $1, $4, $3, $5, 'member', user_id, now() + interval '7 days'
          from caller
          where not exists (
            select from users u
            join memberships m on m.tenant_id = $1 and m.organization_id = $3 and m.user_id = u.id
            where u.tenant_id = $1 and u.email = $5)
          returning i.*)
        ${recorded('invitation.sent', '$6', '$3', '$5::text')}
        ${selectSent}`,
      values: ({ params, body }) => [params.orgId, newId('inv'), body.email, newId('aud')],
      answer: ([row]) => row && toInvitation(row),
      caller: ownedSql,
      numbered: (place) => [
        idSql('org', `${place.population.large + 1} + ${ownedSql(place)}`),
        newIdSql('inv', 'n'),
        `('new-pgbench-' || :i || '@example.com')`,
        newIdSql('aud', 'n'),
      ],
    },
  },
  {
    ...common,
    name: 'accept',
    callers: ({ users }) => [1, users],
    limit: (place) => partOf(place, place.population.invitations).count,
    ask: (i, place) => {
      const n = partOf(place, place.population.invitations).first + i
      return { method: 'POST', path: `/api/invites/${id('inv', n + 1)}/accept`, user: 1 + (n % place.population.users) }
    },
    askOther: (i, place) => {
      const n = partOf(place, place.population.invitations).first + i
      const user = 1 + (n % place.population.users)
      const body = { invitationId: otherId('inv', n + 1) }
      return { method: 'POST', path: '/api/auth/organization/accept-invitation', user, body }
    },
    bare: {
      url: '/api/invites/:inviteId/accept',
      schema: Type.Object({ organization: ref(Organization), member: ref(Member) }),
      statement: () => `
        with caller as (
          select s.user_id, u.email
          from sessions s
          join users u on u.tenant_id = $1 and u.id = s.user_id and u.email_verified and u.status = 'active'
          where ${session}),
        accepted as (
          update invitations i set status = 'accepted', membership_id = $4
          from caller
          where i.tenant_id = $1 and i.id = $3 and i.email = caller.email and i.status = 'pending' and i.expires_at > now()
          returning i.organization_id, i.role, i.invited_by),
        changed as (
          insert into memberships (tenant_id, id, organization_id, user_id, role, invited_by)
          select $1, $4, organization_id, user_id, role, invited_by from accepted, caller
          returning *),
        counted as (
          update organizations o set member_count = member_count + 1
          from changed
          where o.tenant_id = $1 and o.id = changed.organization_id
          returning o.*)
        ${recorded('member.joined', '$5', 'changed.organization_id', 'changed.role')}
        select ${memberColumns}, row_to_json(o) as organization
        from changed m
        join counted o on o.id = m.organization_id
        join users u on u.tenant_id = $1 and u.id = m.user_id
        left join users i on i.tenant_id = $1 and i.id = m.invited_by`,
      values: ({ params }) => [params.inviteId, newId('mem'), newId('aud')],
      answer: ([row]) => row && toAccepted(row),
      caller: (place) => {
        const { first } = partOf(place, place.population.invitations)
        return `1 + (${first} + :i::int) % ${place.population.users}`
      },
      numbered: (place) => [
        idSql('inv', `${partOf(place, place.population.invitations).first} + :i::int + 1`),
        newIdSql('mem', 'a'),
        newIdSql('aud', 'a'),
      ],
    },
  },
]

/** Selects the invitations that were sent to organization $3. */
export const selectSent = `
  select i.id, i.email, i.role, i.status, i.grants, i.member_expires_at as "memberExpiresAt", i.locale,
    i.mailed, i.created_at as "createdAt", i.expires_at as "expiresAt", o.id as "organizationId",
    o.name as "organizationName", o.slug, o.logo_url as "logoUrl", u.id as "userId", u.name
  from changed i
  join organizations o on o.tenant_id = $1 and o.id = $3
  join users u on u.tenant_id = $1 and u.id = i.invited_by`

/** A row of `selectSent` in the API's form. */
export function toInvitation(row: Row): Row {
  const { organizationId, organizationName, slug, logoUrl, userId, name, ...invitation } = row
  const organization = { id: organizationId, name: organizationName, slug, logoUrl }
  return { ...invitation, organization, invitedBy: { id: userId, name } }
}

function toAccepted({ organization, ...member }: Row): Row {
  const { logo_url, second_factor, member_count, member_limit, created_at, updated_at, ...rest } = organization as Row // a row of the table
  const shown = {
    ...rest,
    logoUrl: logo_url,
    secondFactor: second_factor,
    memberCount: member_count,
    memberLimit: member_limit,
    createdAt: created_at,
    updatedAt: updated_at,
  }
  const { role, id: membershipId, status: membershipStatus, expiresAt: membershipExpiresAt } = member
  const own = { role, membershipId, membershipStatus, membershipExpiresAt }
  return { organization: toOrganization({ ...shown, ...own }), member: toMember(member) }
}
