/** Logs: what the audit log shows, to the person it speaks of and to an organization's admins. */
import { type Static, Type } from 'typebox'
import { empty, join, type Statement, statement } from '../database/database.ts'
import { makePage, readPage } from '../http/pagination.ts'
import { invalidRequest, type Problem } from '../http/problems.ts'
import { Id, Nullable, OneOf, Page, paging, Timestamp, uuidToTenantId } from '../http/schemas.ts'
import type { App } from '../http/server.ts'
import { faultOf } from '../http/validation.ts'
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
  { $id: 'AuditEntry' },
)

const filters = {
  ...paging,
  action: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 1000,
      description: 'Comma-separated actions; a family is named with `password.*`.',
      examples: ['session.started,password.*'],
    }),
  ),
  from: Type.Optional(
    Type.String({ format: 'date-time', maxLength: 40, description: 'Entries at or after this time.' }),
  ),
  to: Type.Optional(Type.String({ format: 'date-time', maxLength: 40, description: 'Entries before this time.' })),
}

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
        tags: ['Audit'],
        querystring: Type.Object(
          { ...filters, organizationId: Type.Optional(Id('org')) },
          { additionalProperties: false },
        ),
        response: { 200: Page(AuditEntry) },
      },
    },
    async (request, reply) => {
      const page = readPage(request)
      const { organizationId } = request.query
      const filter = readFilter(request.query)
      const [caller, rows] = await request.readAsUser<[EntryRow]>(({ tenant, user }) => [
        statement`
          with mine as (
            select d.entry_id, d.occurred_at, d.user_id
            from audit_details d
            join audit_entries e on e.tenant_id = ${tenant} and e.id = d.entry_id
            where d.tenant_id = ${tenant} and d.user_id = ${user}
              ${filter('d')}
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
        tags: ['Audit'],
        params: Type.Object({ orgId: OrganizationPath }),
        querystring: Type.Object(filters, { additionalProperties: false }),
        response: { 200: Page(AuditEntry) },
      },
    },
    async (request, reply) => {
      const page = readPage(request)
      const filter = readFilter(request.query)
      const [caller, rows] = await request.readInOrganization<[EntryRow]>(({ tenant, organization }) => [
        statement`
          select ${entryColumns}, null as ip, null as device
          from audit_entries e
          ${people(tenant)}
          where e.tenant_id = ${tenant} and e.organization_id = ${organization}
            ${filter('e')}
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

/**
 * @returns the conditions on `audit_entries e`, with times taken from the table of the given alias
 * @throws Problem invalid_request for an action that does not exist
 */
function readFilter(query: { action?: string; from?: string; to?: string }): (times: 'd' | 'e') => Statement {
  const wanted = query.action === undefined ? undefined : actionsOf(query.action)
  return (times) => {
    const occurredAt = times === 'd' ? statement`d.occurred_at` : statement`e.occurred_at`
    const conditions = [
      wanted && statement`and e.action = any(${wanted})`,
      query.from && statement`and ${occurredAt} >= ${query.from}::timestamptz`,
      query.to && statement`and ${occurredAt} < ${query.to}::timestamptz`,
    ].filter((each): each is Statement => typeof each === 'object')
    return conditions.length > 0 ? join(conditions, ' ') : empty
  }
}

function actionsOf(list: string): string[] {
  return list.split(',').flatMap((word) => {
    const named = word.endsWith('.*')
      ? actions.filter((action) => action.startsWith(word.slice(0, -1)))
      : actions.filter((action) => action === word)
    if (named.length === 0) throw unknownAction()
    return named
  })
}

function unknownAction(): Problem {
  return invalidRequest([faultOf('?action', 'not_allowed')])
}
