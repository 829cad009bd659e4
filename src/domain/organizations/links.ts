/** Links to join: the shape in which one is shown, and how one is read. */
import { type Static, Type } from 'typebox'
import { type Sql, type Statement, statement } from '../../platform/database/database.ts'
import { Domain, Id, Nullable, OneOf, ref, Timestamp } from '../../platform/http/schemas.ts'
import { found } from '../problems.ts'
import type { OfferedGrant } from './grants.ts'
import { Maker, makerColumn, OfferedGrants, offeredGrants } from './invitations.ts'
import { linkEnds } from './link-states.ts'

export const linkStatuses = ['live', 'ended'] as const

export type Link = Static<typeof Link>
export const Link = Type.Object(
  {
    id: Id('lnk'),
    url: Nullable(
      Type.String({
        maxLength: 2300,
        description:
          'With it, anybody can join. Null when the link has ended, and for those who could not make it now: without `invitations:write`, or if it gives what they do not hold, or for longer.',
        examples: ['https://accounts.example.com/join#token=ghl_…'],
      }),
    ),
    grants: OfferedGrants,
    maxUses: Type.Integer({ minimum: 1, maximum: 1000, format: 'int32', examples: [25] }),
    uses: Type.Integer({ minimum: 0, maximum: 1000, format: 'int32', examples: [3] }),
    emailDomains: Type.Array(Domain, { maxItems: 10, description: 'The domains of those who may join. Empty: all.' }),
    memberExpiresAt: Nullable({ ...Timestamp, description: 'When the memberships end. Null: no end.' }),
    status: OneOf(linkStatuses),
    endedBecause: Nullable(
      OneOf(linkEnds, { description: '`maker`: its maker lost the right to invite. `used`: as often as it may be.' }),
    ),
    createdBy: Nullable(ref(Maker)),
    createdAt: Timestamp,
    expiresAt: Timestamp,
  },
  { $id: 'Link', description: 'A link by which anybody who has it can join as a member.' },
)

/** A link as it is read; its URL is made of the tenant's place. */
export interface LinkRow extends Omit<Link, 'url'> {
  /** Its grants as they are stored. */
  readonly offered: readonly OfferedGrant[]
  readonly slug: string
  readonly baseUrl: string | null
}

/** What ended one of `links l`; null while it lives. */
const endedBecause = statement`coalesce(l.reason, case when l.expires_at <= statement_timestamp() then 'expired' end)`

/** The status of one of `links l`, as it is shown. */
export const effectiveLinkStatus = statement`case when ${endedBecause} is null then 'live' else 'ended' end`

/** Links in the shape of `LinkRow`; more conditions may follow. */
export function selectLinks(tenant: string, organization: Statement | string): Statement {
  return statement`
    select l.id, ${offeredGrants(tenant, statement`l.grants`)} as grants, l.grants as offered, l.max_uses, l.uses, l.email_domains,
      l.member_expires_at, ${effectiveLinkStatus} as status, ${endedBecause} as ended_because,
      ${makerColumn(tenant, statement`l.key_id`)} as created_by,
      l.created_at, l.expires_at, t.slug, t.base_url
    from links l
    join tenants t on t.id = ${tenant}
    left join users u on u.tenant_id = ${tenant} and u.id = l.created_by
    where l.tenant_id = ${tenant} and l.organization_id = ${organization}`
}

/** @throws Problem not_found */
export async function getLink(sql: Sql, organizationId: string, id: string): Promise<LinkRow> {
  const [link] = await sql<LinkRow>`${selectLinks(sql.tenant, organizationId)} and l.id = ${id}`
  return found(link)
}
