/**
 * Joining by a link.
 *
 * Invariants: a dead link lets nobody in, and says no more than that it has ended; a link is used at most as often as it may be; who was
 * removed by somebody does not come back by a link.
 */
import { Type } from 'typebox'
import type { Caller } from '../../domain/access/actors.ts'
import { getTenant } from '../../domain/access/tenancy.ts'
import { isJoinToken, type MailedToken, readJoinToken } from '../../domain/access/tokens.ts'
import { organizationTurn } from '../../domain/access/turns.ts'
import { caps } from '../../domain/limits/caps.ts'
import { limits } from '../../domain/limits/limits.ts'
import { admit, readAdmissibility } from '../../domain/organizations/admission.ts'
import { isLinkLive, useLink } from '../../domain/organizations/link-states.ts'
import { type HolderRow, heldBy, Member, selectHolders, shownTo, toMember } from '../../domain/organizations/members.ts'
import { isLive, type MadeOffer } from '../../domain/organizations/offers.ts'
import { getOrganization, Organization, toOrganization } from '../../domain/organizations/organizations.ts'
import { Person } from '../../domain/people/users.ts'
import { RoleKey } from '../../domain/permissions/access-model.ts'
import { ApiProblem, found } from '../../domain/problems.ts'
import { recheckCaller } from '../../domain/sessions/recheck.ts'
import { pipeline, type Sql } from '../../platform/database/database.ts'
import type { RequestContext } from '../../platform/http/context.ts'
import {
  Domain,
  Id,
  LinkToken,
  Nullable,
  newId,
  OrganizationName,
  PictureUrl,
  ref,
  Timestamp,
} from '../../platform/http/schemas.ts'
import type { App } from '../../platform/http/server.ts'

const body = Type.Object(
  {
    token: LinkToken(
      'The token of a link to join.',
      `ghl_01k9zq3v5hf8gs4m2y7c6t0wdn.01k9zq3v5hf8gs4m2y7c6t0wdn.${'x'.repeat(42)}0`,
    ),
  },
  { additionalProperties: false },
)

export async function linkJoiningRoutes(app: App): Promise<void> {
  app.post(
    '/links/preview',
    {
      config: { access: 'anyone', problems: ['not_found', 'tenant_mismatch', 'link_ended'] },
      schema: {
        operationId: 'previewLink',
        summary: 'See a link to join',
        description: 'What the page behind the link shows. It uses nothing.',
        tags: ['Invitations'],
        body,
        response: {
          200: Type.Object(
            {
              organization: Type.Object({
                id: Id('org'),
                name: OrganizationName,
                slug: Type.String({ maxLength: 48, examples: ['acme'] }),
                logoUrl: Nullable(PictureUrl),
              }),
              invitedBy: Nullable(ref(Person)),
              roles: Type.Array(Type.Object({ key: RoleKey, name: Type.String({ maxLength: 100 }) }), {
                maxItems: 1 + caps.grants.most,
                description: 'What a member who joins by it is: `member`, and roles of the product.',
              }),
              emailDomains: Type.Array(Domain, { maxItems: 10 }),
              expiresAt: Timestamp,
            },
            { description: 'What the link offers.' },
          ),
        },
      },
    },
    async (request) => {
      const token = readJoinToken(request.body.token)
      const tenant = await getTenant(request, token.tenant, 'not_found')
      return request.asAnyone(tenant, async (sql) => {
        const link = await getAuthentic(sql, request.context, token)
        await checkLive(sql, link)
        const [shown] = await sql<Shown>`
          select json_build_object('id', o.id, 'name', o.name, 'slug', o.slug, 'logoUrl', o.logo_url) as organization,
            case when u.id is not null then json_build_object('id', u.id, 'name', u.name) end as invited_by,
            (select coalesce(json_agg(json_build_object('key', r.key, 'name', r.name) order by r.key), '[]')
              from roles r
              where r.tenant_id = ${sql.tenant} and r.id = any(${link.grants.map(({ roleId }) => roleId)})) as granted
          from organizations o
          left join users u on u.tenant_id = ${sql.tenant} and u.id = ${link.makerId ?? ''}
          where o.tenant_id = ${sql.tenant} and o.id = ${link.organizationId}`
        const { granted, ...rest } = found(shown)
        return { ...rest, ...link, roles: [{ key: 'member', name: 'Member' }, ...granted] }
      })
    },
  )

  app.post(
    '/links/join',
    {
      config: {
        access: 'user',
        problems: [
          'not_found',
          'email_not_verified',
          'email_domain_not_allowed',
          'removed_member',
          'membership_suspended',
          'members_full',
          'link_ended',
        ],
        rates: ['joins', 'link-joins'],
      },
      schema: {
        operationId: 'joinByLink',
        summary: 'Join by a link',
        description: 'The caller becomes a member. Members get the same answer, and use nothing.',
        tags: ['Invitations'],
        body,
        response: {
          200: Type.Object(
            { organization: ref(Organization), member: ref(Member) },
            { description: 'The organization, and the membership in it.' },
          ),
        },
      },
    },
    async (request) =>
      request.asUser(async (sql, caller) => {
        const token = readJoinToken(request.body.token)
        if (token.tenant !== sql.tenant) throw new ApiProblem('not_found')
        const { organizationId } = await getAuthentic(sql, request.context, token)
        sql.claimTurn(organizationTurn(organizationId))
        const [row, isNew] = await join(sql, request.context, caller, token, organizationId)
        if (isNew) request.about = 'link'
        const organization = await getOrganization(sql, organizationId)
        return {
          organization: toOrganization(organization, row, caller.assurance),
          member: shownTo(heldBy(row), toMember(row)),
        }
      }),
  )
}

interface Shown {
  readonly organization: { id: string; name: string; slug: string; logoUrl: string | null }
  readonly invitedBy: { id: string; name: string | null } | null
  readonly granted: { key: string; name: string }[]
}

interface JoinLink extends MadeOffer {
  readonly id: string
  readonly organizationId: string
  readonly emailDomains: string[]
  readonly expiresAt: string
  /** Neither ended nor expired, in a tenant that offers links. */
  readonly isOpen: boolean
}

/** @throws Problem not_found for a token that is not ours, or whose link is gone */
async function getAuthentic(sql: Sql, { keyring }: RequestContext, token: MailedToken): Promise<JoinLink> {
  if (!isJoinToken(keyring, token)) throw new ApiProblem('not_found')
  const [link] = await sql<JoinLink>`
    select l.id, l.organization_id, 'link' as type, 'member' as role, l.grants, l.member_expires_at, l.created_by as maker_id,
      l.key_id, l.email_domains, l.expires_at, ${isLinkLive} and t.share_links as is_open
    from links l
    join tenants t on t.id = l.tenant_id
    where l.tenant_id = ${sql.tenant} and l.id = ${`lnk_${token.row}`}`
  return found(link)
}

/** @throws Problem link_ended, whatever ended it */
async function checkLive(sql: Sql, link: JoinLink): Promise<void> {
  if (!link.isOpen || !(await isLive(sql, link.organizationId, link))) throw new ApiProblem('link_ended')
}

/**
 * Locks the organization and the caller, then judges the link as it is now.
 *
 * @returns the membership, and whether it is new
 */
async function join(
  sql: Sql,
  context: RequestContext,
  caller: Caller,
  token: MailedToken,
  organizationId: string,
): Promise<[HolderRow, boolean]> {
  const { userId, name } = caller
  const [, [person], , [member], link] = await pipeline([
    sql`select from organizations where tenant_id = ${sql.tenant} and id = ${organizationId} for no key update`,
    // A suspension of the caller, or a change of their address, waits from now on.
    sql<{ email: string; emailVerified: boolean; status: string }>`
      select email, email_verified, status from users where tenant_id = ${sql.tenant} and id = ${userId} for share`,
    recheckCaller(sql, caller),
    sql<HolderRow>`${selectHolders(sql.tenant, organizationId)} and m.user_id = ${userId}`,
    getAuthentic(sql, context, token),
  ])
  if (person?.status !== 'active') throw new ApiProblem('unauthenticated')
  if (member?.status === 'suspended') throw new ApiProblem('membership_suspended')
  if (member) return [member, false]
  const [, admissibility] = await pipeline([checkLive(sql, link), readAdmissibility(sql, organizationId, userId)])
  if (!person.emailVerified) throw new ApiProblem('email_not_verified')
  const domain = person.email.slice(person.email.indexOf('@') + 1)
  if (link.emailDomains.length > 0 && !link.emailDomains.includes(domain))
    throw new ApiProblem('email_domain_not_allowed')

  const { grants, memberExpiresAt: expiresAt, makerId: invitedBy } = link
  const newcomer = { organizationId, userId, name, role: 'member', grants, expiresAt, invitedBy, via: 'link' } as const
  const id = newId('mem')
  const [, , [row]] = await pipeline([
    admit(sql, caller, id, newcomer, admissibility),
    useLink(sql, caller, organizationId, link.id),
    sql<HolderRow>`${selectHolders(sql.tenant, organizationId)} and m.id = ${id}`,
  ])
  if (!row) throw new ApiProblem('link_ended') // the membership has ended at this moment, and the link with it
  const { config, rates } = context
  await rates.count(context, [
    { policy: 'joins', rate: limits.joins.rateOf(config), tenant: sql.tenant, whose: userId },
    { policy: 'link-joins', rate: limits['link-joins'].rateOf(config), tenant: sql.tenant, whose: link.id },
  ])
  return [row, true]
}
