/** Entries: the shape in which the audit log is shown, how its rows become that, and how they are chosen. */
import { type Static, Type } from 'typebox'
import { empty, type Statement, statement } from '../../platform/database/database.ts'
import type { PageRequest } from '../../platform/http/pagination.ts'
import { Id, Nullable, OneOf, paging, Timestamp, uuidToTenantId } from '../../platform/http/schemas.ts'
import { actions } from './actions.ts'

export const SpokenId = Nullable(Type.String({ maxLength: 40, examples: ['user_01k9zq3v5hf8gs4m2y7c6t0wdn'] }))
/** Who acts, as the log and events show it. */
export const actorTypes = ['user', 'key', 'operator', 'system', 'anonymous', 'deleted_user'] as const
const SpokenName = Nullable(Type.String({ maxLength: 254, examples: ['Ann'] }))

export type AuditEntry = Static<typeof AuditEntry>
export const AuditEntry = Type.Object(
  {
    id: Id('aud'),
    occurredAt: Timestamp,
    action: OneOf(actions),
    actor: Type.Object({
      type: OneOf(actorTypes),
      id: SpokenId,
      name: SpokenName,
    }),
    via: Nullable(
      Type.Object(
        { id: Id('key'), name: SpokenName },
        {
          description:
            'The key of theirs by which a person acted; null for a session. `name` is null where `ip` is not shown, and if the key is gone.',
        },
      ),
    ),
    application: Nullable(
      Type.Object(
        { id: Id('app'), name: SpokenName },
        {
          description:
            'The application that acted for a person, by its access token; null if none did. `name` is null if the application is gone.',
        },
      ),
    ),
    target: Type.Object({
      type: OneOf([
        'user',
        'organization',
        'invitation',
        'link',
        'key',
        'provider',
        'application',
        'webhook',
        'tenant',
        'deleted_user',
      ]),
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
        description:
          'Old and new values of what changed. Of an object, such as metadata, only the keys that changed are here. A value of more than 256 characters is cut and ends with its length, as in `Once upon a time… (3000 characters)`. An entry has 4 KiB of values; `omittedKeys` counts the changed keys for which there was no room.',
      }),
    ),
  },
  { $id: 'AuditEntry', description: 'An entry of the audit log: who did what to whom, and when.' },
)

const families = [...new Set(actions.map((action) => `${action.split('.')[0]}.*`))]

/** Actions, and families of them, as a query names them. */
export const ActionList = Type.Array(OneOf([...actions, ...families]), {
  maxItems: 100,
  description: 'A comma-separated list of actions. `password.*` names a whole family.',
})

/** @returns the actions that a list names */
export function actionsIn(words: readonly string[]): string[] {
  return actions.filter((action) => isActionNamed(words, action))
}

/** Whether a list names an action, or its family. */
export function isActionNamed(words: readonly string[], action: string): boolean {
  return words.includes(action) || words.includes(`${action.split('.')[0]}.*`)
}

/** No other filters; and actions are in one parameter as `a,b`. */
export const asList = { additionalProperties: false, explode: false } as const

/** The query parameters of every log. */
export const filters = {
  ...paging,
  action: Type.Optional(ActionList),
  from: Type.Optional({ ...Timestamp, description: 'Entries at or after this time.' }),
  to: Type.Optional({ ...Timestamp, description: 'Entries before this time.' }),
}

export interface EntryRow extends Omit<AuditEntry, 'actor' | 'via' | 'application' | 'target'> {
  readonly actorType: Exclude<AuditEntry['actor']['type'], 'deleted_user'>
  readonly actorSubject: string | null
  readonly actorId: string | null
  readonly actorName: string | null
  readonly viaId: string | null
  readonly viaName: string | null
  readonly targetType: Exclude<AuditEntry['target']['type'], 'deleted_user'>
  readonly targetSubject: string | null
  readonly targetId: string | null
  readonly targetName: string | null
}

/** A person whose details are gone has deleted their account; their subject keeps their acts together. */
export function spokenOf<Type extends string>(type: Type, id: string | null, subject: string | null) {
  return type === 'user' && id === null ? { type: 'deleted_user' as const, id: subject } : { type, id }
}

export function toEntry(row: EntryRow): AuditEntry {
  const { actorType, actorSubject, actorId, actorName, viaId, viaName, ...others } = row
  const { targetType, targetSubject, targetId, targetName, ...entry } = others
  const actor = { ...spokenOf(actorType, actorId, actorSubject), name: actorName }
  const shownId = targetType === 'tenant' && targetId ? uuidToTenantId(targetId) : targetId
  const target = { ...spokenOf(targetType, shownId, targetSubject), name: targetName }
  const by = viaId === null ? null : { id: viaId, name: viaName }
  const isApplication = viaId?.startsWith('app_') ?? false
  return { ...entry, actor, via: isApplication ? null : by, application: isApplication ? by : null, target }
}

export function positionOf({ occurredAt, id }: EntryRow): [string, string] {
  return [occurredAt, id]
}

interface Filters {
  readonly action?: readonly string[]
  readonly from?: string
  readonly to?: string
  readonly organizationId?: string
}

/** Which entries a log shows of those that there are. */
export interface Filter {
  /** Those of these actions, each of them once. */
  readonly actions: readonly string[] | undefined
  /** Those of the organization with this id. */
  readonly organization: Statement | string | undefined
  readonly from: string | undefined
  readonly to: string | undefined
}

/** @param organization whose log it is, where it is one's; else the query may name one */
export function readFilter(
  { action: words, from, to, organizationId }: Filters,
  organization: Statement | string | undefined = organizationId,
): Filter {
  return { actions: words && actionsIn(words), organization, from, to }
}

/**
 * Chooses a page of a log, newest first. It leaves out what is left of the log of a deleted organization (log-erasure.ts).
 *
 * The log of an organization has one index, by action: without a filter, a page of each action is read.
 */
export function chooseEntries(tenant: string, filter: Filter, page: PageRequest): Statement {
  const { organization } = filter
  const wanted = filter.actions ?? (organization && actions)
  const ofOrganization = organization
    ? statement`e.organization_id = ${selectOrganization(tenant, organization)}`
    : statement`(e.organization_id is null or ${selectOrganization(tenant, statement`e.organization_id`)} is not null)`
  const entries = statement`
    select e.id as entry_id, e.occurred_at
    from audit_entries e
    where e.tenant_id = ${tenant} and ${ofOrganization} ${wanted ? statement`and e.action = wanted.action` : empty}
      ${inTime(filter, page, [statement`e.occurred_at`, statement`e.id`])}
    order by e.occurred_at desc, e.id desc
    limit ${page.take}`
  if (!wanted) return entries
  return statement`
    select entries.*
    from unnest(${wanted}::text[]) wanted (action)
    cross join lateral (${entries}) entries
    ${newestFirst(page)}`
}

/** The id of an organization if it is there. A scalar subquery: PostgreSQL looks up one organization, and never reads all of them. */
function selectOrganization(tenant: string, id: Statement | string): Statement {
  return statement`(select p.id from organizations p where p.tenant_id = ${tenant} and p.id = ${id})`
}

/**
 * Chooses a page of the entries whose actor or target is a user, or whose target is a key of theirs, newest first. The user's subject in a
 * deleted organization is deleted with its row, before its log.
 *
 * Without a filter, an index has the entries of a user in order. Another has those of each subject and action: with a filter, a page of
 * each is read.
 */
export function chooseEntriesOf(
  tenant: string,
  user: Statement | string,
  filter: Filter,
  page: PageRequest,
): Statement {
  const { organization, actions: asked } = filter
  const ofUser = statement`s.tenant_id = ${tenant} and s.user_id = ${user}`
  const entriesWhere = (condition: Statement) => statement`
    select d.entry_id, d.occurred_at, d.user_id
    from audit_details d
    where d.tenant_id = ${tenant} and ${condition}
      ${inTime(filter, page, [statement`d.occurred_at`, statement`d.entry_id`])}
    order by d.occurred_at desc, d.entry_id desc
    limit ${page.take}`
  // With the empty text, so that PostgreSQL reads them by user, in order, and not by an index of subjects.
  if (!organization && !asked)
    return entriesWhere(
      statement`d.user_id = ${user} and d.subject || '' = any(array(select s.id from subjects s where ${ofUser}))`,
    )
  return statement`
    select entries.*
    from subjects s
    cross join unnest(${asked ?? actions}::text[]) wanted (action)
    cross join lateral (${entriesWhere(statement`d.subject = s.id and d.action = wanted.action`)}) entries
    where ${ofUser}
      ${organization ? statement`and s.organization_id = ${selectOrganization(tenant, organization)}` : empty}
    ${newestFirst(page)}`
}

function newestFirst({ take }: PageRequest): Statement {
  return statement`order by occurred_at desc, entry_id desc limit ${take}`
}

/** @param place the columns that a log is ordered by: when, and which entry */
function inTime(
  { from, to }: Filter,
  { after }: PageRequest,
  [when, entry]: readonly [Statement, Statement],
): Statement {
  return statement`
    ${from ? statement`and ${when} >= ${from}::timestamptz` : empty}
    ${to ? statement`and ${when} < ${to}::timestamptz` : empty}
    ${after ? statement`and (${when}, ${entry}) < (${after[0]}, ${after[1]})` : empty}`
}

/** Of whom and what an entry `e` speaks, as far as it is still known: `a` tells of its actor, and `t` of its target. */
export const spokenColumns = statement`
  e.actor_type, e.actor_subject, coalesce(a.user_id, e.actor_key_id) as actor_id,
  e.target_type, e.target_subject, coalesce(t.user_id, e.target_id) as target_id,
  coalesce(t.details, a.details, e.details) as details`

export function joinDetails(tenant: string): Statement {
  return statement`
    left join audit_details a on a.tenant_id = ${tenant} and a.entry_id = e.id and a.subject || '' = e.actor_subject
    left join audit_details t on t.tenant_id = ${tenant} and t.entry_id = e.id and t.subject || '' = e.target_subject`
}

/**
 * Reads the entries that were chosen, with who and what they speak of as far as it is still known.
 *
 * @param isTold   a condition under which the reader may learn where an entry came from
 * @param isInside one under which they may learn what an organization, its invitations and its keys are called today
 */
export function showEntries(
  tenant: string,
  chosen: Statement,
  isTold: Statement,
  isInside: Statement = statement`true`,
): Statement {
  const nameOfKey = (id: Statement) => statement`(
    select k.name from api_keys k
    where k.tenant_id = ${tenant} and k.id = ${id} and (k.owner_type <> 'organization' or ${isInside}))`
  const nameOfApplication = (id: Statement) =>
    statement`(select p.name from applications p where p.tenant_id = ${tenant} and p.id = ${id})`
  const nameOfWebhook = statement`(
    select w.name from webhooks w
    where w.tenant_id = ${tenant} and w.id = e.target_id and (w.organization_id is null or ${isInside}))`
  return statement`
    with chosen as (${chosen})
    select e.id, e.occurred_at, e.action, e.organization_id, e.request_id, ${spokenColumns},
      case when e.actor_type = 'key' then ${nameOfKey(statement`e.actor_key_id`)} else a.name end as actor_name,
      a.via as via_id,
      coalesce(case when ${isTold} then ${nameOfKey(statement`a.via`)} end, ${nameOfApplication(statement`a.via`)}) as via_name,
      case when e.target_type = 'user' then t.name when e.target_type = 'organization' then o.name
        when e.target_type = 'invitation' then i.email
        when e.target_type = 'key' then ${nameOfKey(statement`e.target_id`)}
        when e.target_type = 'application' then ${nameOfApplication(statement`e.target_id`)}
        when e.target_type = 'provider' then (select name from providers where tenant_id = ${tenant} and id = e.target_id)
        when e.target_type = 'webhook' then ${nameOfWebhook}
        else n.name end as target_name,
      case when ${isTold} then coalesce(a.ip, t.ip) end as ip,
      case when ${isTold} then coalesce(a.device, t.device) end as device
    from chosen
    join audit_entries e on e.tenant_id = ${tenant} and e.id = chosen.entry_id
    ${joinDetails(tenant)}
    left join organizations o on o.tenant_id = ${tenant} and e.target_type = 'organization' and o.id = e.target_id
      and ${isInside}
    left join invitations i on i.tenant_id = ${tenant} and e.target_type = 'invitation' and i.id = e.target_id
      and ${isInside}
    left join tenants n on n.id = ${tenant} and e.target_type = 'tenant'
    order by chosen.occurred_at desc, chosen.entry_id desc`
}
