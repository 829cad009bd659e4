/** Logs: what the audit log shows, to the person it speaks of and to an organization's admins. */
import { type Static, Type } from 'typebox'
import { empty, join, type Statement, statement } from '../database/database.ts'
import { makePage, readPage } from '../http/pagination.ts'
import { Id, Nullable, OneOf, Page, paging, Timestamp, uuidToTenantId } from '../http/schemas.ts'
import type { App } from '../http/server.ts'
import { OrganizationPath } from '../organizations/organizations.ts'
import { actions } from './audit.ts'

const SpokenId = Nullable(Type.String({ maxLength: 40, examples: ['user_01k9zq3v5hf8gs4m2y7c6t0wdn'] }))
const SpokenName = Nullable(Type.String({ maxLength: 254, examples: ['Ann'] }))

export type AuditEntry = Static<typeof AuditEntry>
export const AuditEntry = Type.Object(
  {
    id: Id('aud'),
    occurredAt: Timestamp,
    action: OneOf(actions),
    actor: Type.Object({
      type: OneOf(['user', 'operator', 'system', 'anonymous', 'deleted_user']),
      id: SpokenId,
      name: SpokenName,
    }),
    target: Type.Object({
      type: OneOf(['user', 'organization', 'invitation', 'tenant', 'deleted_user']),
      id: SpokenId,
      name: SpokenName,
    }),
    organizationId: Nullable(Id('org')),
    ip: Nullable(Type.String({ maxLength: 45, examples: ['203.0.113.7'] })),
    device: Nullable(Type.String({ maxLength: 130, examples: ['Chrome on macOS'] })),
    requestId: Nullable(Type.String({ maxLength: 40 })),
    details: Nullable(
      Type.Unsafe<Record<string, unknown>>({
        type: 'object',
        additionalProperties: true,
        description: 'Old and new values of what changed.',
      }),
    ),
  },
  { $id: 'AuditEntry', description: 'An entry of the audit log: who did what to whom, and when.' },
)

const families = [...new Set(actions.map((action) => `${action.split('.')[0]}.*`))]

const filters = {
  ...paging,
  action: Type.Optional(
    Type.Array(OneOf([...actions, ...families]), {
      maxItems: 100,
      description: 'Entries of these actions: a comma list, in which `password.*` stands for the whole family.',
    }),
  ),
  from: Type.Optional(
    Type.String({ format: 'date-time', maxLength: 40, description: 'Entries at or after this time.' }),
  ),
  to: Type.Optional(Type.String({ format: 'date-time', maxLength: 40, description: 'Entries before this time.' })),
}

/** No other filters; and actions stand in one parameter as `a,b`. */
const asList = { additionalProperties: false, explode: false } as const

export async function auditRoutes(app: App): Promise<void> {
  app.addSchema(AuditEntry)

  app.get(
    '/users/me/audit',
    {
      config: { access: 'user', problems: ['invalid_cursor'] },
      schema: {
        operationId: 'listMyAudit',
        summary: 'Get audit log',
        description: 'What the caller did and what was done to them, newest first.',
        tags: ['Audit log'],
        querystring: Type.Object(
          {
            ...filters,
            organizationId: Type.Optional({ ...Id('org'), description: 'Entries of the organization with this id.' }),
          },
          asList,
        ),
        response: { 200: Page(AuditEntry) },
      },
    },
    async (request, reply) => {
      const page = readPage(request)
      const { organizationId } = request.query
      const [caller, rows] = await request.readAsUser<[EntryRow]>(({ tenant, user }) => [
        statement`
          with mine as (
            select d.entry_id, d.occurred_at, d.user_id
            from audit_details d
            join audit_entries e on e.tenant_id = ${tenant} and e.id = d.entry_id
            where d.tenant_id = ${tenant} and d.user_id = ${user}
              ${filterOf(request.query, 'd')}
              ${organizationId ? statement`and e.organization_id = ${organizationId}` : empty}
              ${page.after ? statement`and (d.occurred_at, d.entry_id) < (${page.after[0]}, ${page.after[1]})` : empty}
            order by d.occurred_at desc, d.entry_id desc
            limit ${page.take})
          select ${entryColumns},
            case when e.action = 'session.refused' or a.user_id = mine.user_id then coalesce(a.ip, t.ip) end as ip,
            case when e.action = 'session.refused' or a.user_id = mine.user_id then coalesce(a.device, t.device) end as device
          from mine
          join audit_entries e on e.tenant_id = ${tenant} and e.id = mine.entry_id
          ${people(
            tenant,
            statement`and exists (
              select from memberships m
              where m.tenant_id = ${tenant} and m.user_id = mine.user_id and m.organization_id = e.organization_id)`,
          )}
          order by mine.occurred_at desc, mine.entry_id desc`,
      ])
      const { data, nextCursor } = makePage(request, reply, caller.userId, page, rows, positionOf)
      return { data: data.map(toEntry), nextCursor }
    },
  )

  app.get(
    '/organizations/:orgId/audit',
    {
      config: { access: 'audit:read', problems: ['invalid_cursor'] },
      schema: {
        operationId: 'listOrganizationAudit',
        summary: 'Organization audit',
        description: 'What happened in the organization, newest first.',
        tags: ['Audit log'],
        params: Type.Object({ orgId: OrganizationPath }),
        querystring: Type.Object(filters, asList),
        response: { 200: Page(AuditEntry) },
      },
    },
    async (request, reply) => {
      const page = readPage(request)
      const [caller, rows] = await request.readInOrganization<[EntryRow]>(({ tenant, organization }) => [
        statement`
          select ${entryColumns}, null as ip, null as device
          from audit_entries e
          ${people(tenant)}
          where e.tenant_id = ${tenant} and e.organization_id = ${organization}
            ${filterOf(request.query, 'e')}
            ${page.after ? statement`and (e.occurred_at, e.id) < (${page.after[0]}, ${page.after[1]})` : empty}
          order by e.occurred_at desc, e.id desc
          limit ${page.take}`,
      ])
      const { data, nextCursor } = makePage(request, reply, caller.userId, page, rows, positionOf)
      return { data: data.map(toEntry), nextCursor }
    },
  )
}

interface EntryRow extends Omit<AuditEntry, 'actor' | 'target'> {
  readonly actorType: Exclude<AuditEntry['actor']['type'], 'deleted_user'>
  readonly actorSubject: string | null
  readonly actorId: string | null
  readonly actorName: string | null
  readonly targetType: Exclude<AuditEntry['target']['type'], 'deleted_user'>
  readonly targetSubject: string | null
  readonly targetId: string | null
  readonly targetName: string | null
}

const entryColumns = statement`
  e.id, e.occurred_at, e.action, e.organization_id, e.request_id,
  e.actor_type, e.actor_subject, a.user_id as actor_id, a.name as actor_name,
  e.target_type, e.target_subject, coalesce(t.user_id, e.target_id) as target_id,
  case e.target_type when 'user' then t.name when 'organization' then o.name when 'invitation' then i.email else n.name end as target_name,
  coalesce(t.details, a.details, e.details) as details`

/**
 * Who and what `audit_entries e` speak of, as far as it is still known.
 *
 * @param isInside a condition under which the reader may learn what an organization and its invitations are called today
 */
function people(tenant: string, isInside: Statement = empty): Statement {
  return statement`
    left join audit_details a on a.tenant_id = ${tenant} and a.entry_id = e.id and a.subject = e.actor_subject
    left join audit_details t on t.tenant_id = ${tenant} and t.entry_id = e.id and t.subject = e.target_subject
    left join organizations o on o.tenant_id = ${tenant} and e.target_type = 'organization' and o.id = e.target_id ${isInside}
    left join invitations i on i.tenant_id = ${tenant} and e.target_type = 'invitation' and i.id = e.target_id ${isInside}
    left join tenants n on n.id = ${tenant} and e.target_type = 'tenant'`
}

/** A person whose details are gone has deleted their account; their subject keeps their acts together. */
function toEntry(row: EntryRow): AuditEntry {
  const { actorType, actorSubject, actorId, actorName, targetType, targetSubject, targetId, targetName, ...entry } = row
  const actor =
    actorType === 'user' && actorId === null
      ? { type: 'deleted_user' as const, id: actorSubject, name: null }
      : { type: actorType, id: actorId, name: actorName }
  const target =
    targetType === 'user' && targetId === null
      ? { type: 'deleted_user' as const, id: targetSubject, name: null }
      : {
          type: targetType,
          id: targetType === 'tenant' && targetId ? uuidToTenantId(targetId) : targetId,
          name: targetName,
        }
  return { ...entry, actor, target }
}

function positionOf({ occurredAt, id }: EntryRow): [string, string] {
  return [occurredAt, id]
}

interface Filters {
  readonly action?: readonly string[]
  readonly from?: string
  readonly to?: string
}

/** The conditions on `audit_entries e`, with times taken from the table of the given alias. */
function filterOf({ action: words, from, to }: Filters, times: 'd' | 'e'): Statement {
  const occurredAt = times === 'd' ? statement`d.occurred_at` : statement`e.occurred_at`
  const conditions = [
    words && statement`and e.action = any(${words.flatMap(actionsOf)})`,
    from && statement`and ${occurredAt} >= ${from}::timestamptz`,
    to && statement`and ${occurredAt} < ${to}::timestamptz`,
  ].filter((each): each is Statement => typeof each === 'object')
  return conditions.length > 0 ? join(conditions, ' ') : empty
}

/** @param word an action or a family of them */
function actionsOf(word: string): string[] {
  return actions.filter((action) => action === word || `${action.split('.')[0]}.*` === word)
}
