/**
 * Resources: what events are about. The feed stores none: `data` has a resource as it is when the event is read, so at least as new as the
 * change, and never older than in an earlier event. One that is gone is null.
 */
import type { Static, TObject } from 'typebox'
import type { Keyring } from '../../platform/cryptography.ts'
import { type Row, type Statement, statement } from '../../platform/database/database.ts'
import { uuidToTenantId } from '../../platform/http/schemas.ts'
import { type ApplicationRow, selectApplications, toApplication } from '../applications/applications.ts'
import { type KeyRow, selectKeys, toKey } from '../keys/keys.ts'
import { Invitation, selectInvitations } from '../organizations/invitations.ts'
import { type LinkRow, selectLinks } from '../organizations/links.ts'
import { type MemberRow, selectMembers, shownTo, toMember } from '../organizations/members.ts'
import { type OrganizationRow, organizationColumns } from '../organizations/organizations.ts'
import { selectUserForAdmins, User } from '../people/users.ts'
import { spokenOf } from '../record/entries.ts'
import { openTombstone } from '../record/tombstones.ts'
import { selectWebhooks, toWebhook, Webhook, type WebhookRow } from '../webhooks/webhooks.ts'
import {
  type Event,
  EventApplication,
  EventKey,
  EventLink,
  EventMember,
  EventOrganization,
  EventProvider,
  type Kind,
  kindOf,
  NamedOrganization,
} from './events.ts'
import type { EventRow } from './feed.ts'

/** Each kind of resource: the statement that reads some by their keys, and how one of its rows is shown. */
const sources = {
  users: source<Static<typeof User>>(
    User,
    (tenant, ids) => statement`${selectUserForAdmins(tenant)} where tenant_id = ${tenant} and id = any(${ids})`,
  ),
  organizations: source<OrganizationRow>(
    EventOrganization,
    (tenant, ids) => statement`
      select ${organizationColumns} from organizations o where o.tenant_id = ${tenant} and o.id = any(${ids})`,
  ),
  members: source<MemberRow & { readonly organizationId: string }>(
    EventMember,
    // `offset 0` keeps it a look-up for each: PostgreSQL may else read all members of an organization.
    (tenant, keys) => statement`
      select wanted.organization_id, m.*
      from unnest(${keys.map((key) => splitKey(key)[0])}::text[], ${keys.map((key) => splitKey(key)[1])}::text[])
        wanted (organization_id, user_id)
      cross join lateral (
        ${selectMembers(tenant, statement`wanted.organization_id`)} and m.user_id = wanted.user_id offset 0) m`,
    (row) => shownTo({ role: null, grants: [] }, toMember(row)),
    ({ organizationId, userId }) => memberKey(organizationId, userId),
  ),
  invitations: source<Static<typeof Invitation>>(
    Invitation,
    (tenant, ids) => statement`${selectInvitations(tenant)} and i.id = any(${ids})`,
  ),
  links: source<LinkRow>(
    EventLink,
    (tenant, ids) => statement`
      ${selectLinks(
        tenant,
        statement`any(array(select organization_id from links where tenant_id = ${tenant} and id = any(${ids})))`,
      )}
      and l.id = any(${ids})`,
  ),
  keys: source<KeyRow>(
    EventKey,
    (tenant, ids) => statement`${selectKeys(tenant)} and k.id = any(${ids})`,
    (row, tenant) => toKey(tenant, row),
  ),
  applications: source<ApplicationRow>(
    EventApplication,
    (tenant, ids) => statement`${selectApplications(tenant)} and a.id = any(${ids})`,
    toApplication,
  ),
  providers: source<Static<typeof EventProvider>>(
    EventProvider,
    (tenant, ids) => statement`
      select id, type, name, is_enabled as enabled from providers where tenant_id = ${tenant} and id = any(${ids})`,
  ),
  webhooks: source<WebhookRow>(
    Webhook,
    (tenant, ids) => statement`${selectWebhooks(tenant)} and w.id = any(${ids})`,
    toWebhook,
  ),
  access: source<{ readonly id: string; readonly roles: string[]; readonly permissions: string[] }>(
    undefined,
    (tenant) => statement`
      select ${theModel} as id,
        array(select key from roles where tenant_id = ${tenant} order by key) as roles,
        array(select key from permissions where tenant_id = ${tenant} order by key) as permissions`,
  ),
}
type Source = keyof typeof sources
/** A row of each kind. */
export type ResourceRows = { readonly [Name in Source]?: Row }
type Resource = Readonly<Record<string, unknown>>

/** The key of the access model, of which a tenant has one. */
const theModel = 'model'

/** Finds a resource; null if there is none, or no key. */
type Find = (source: Source, key: string | null) => Resource | null

/** The `data` of each kind. @param person whom the event is about, also if their account is gone */
const makers: Readonly<Record<Kind, (row: EventRow, find: Find, person: string | null) => Resource>> = {
  user: ({ targetId }, find) => ({ user: find('users', targetId) }),
  userId: (_row, _find, person) => ({ user: referenceTo(person) }),
  session: ({ details }, _find, person) => ({
    session: person === null ? null : { id: details?.deviceId ?? null, userId: person },
  }),
  newOrganization: ({ targetId, organizationId, otherId }, find) => ({
    organization: find('organizations', targetId),
    member: find('members', memberKey(organizationId, otherId)),
  }),
  organization: ({ targetId }, find) => ({ organization: find('organizations', targetId) }),
  owners: ({ organizationId, targetId, otherId }, find) => ({
    organization: find('organizations', organizationId),
    members: [targetId, otherId].flatMap((userId) => find('members', memberKey(organizationId, userId)) ?? []),
  }),
  organizationId: ({ targetId }) => ({ organization: referenceTo(targetId) }),
  member: ({ organizationId, targetId }, find) => ({
    organization: only(NamedOrganization, find('organizations', organizationId)),
    member: find('members', memberKey(organizationId, targetId)),
  }),
  formerMember: ({ details }, _find, person) => ({
    member: person === null ? null : { id: details?.memberId ?? null, userId: person },
  }),
  invitation: ({ targetId }, find) => ({ invitation: find('invitations', targetId) }),
  link: ({ targetId }, find) => ({ link: find('links', targetId) }),
  key: ({ targetId }, find) => ({ key: find('keys', targetId) }),
  access: (_row, find) => {
    const { roles = [], permissions = [] } = find('access', theModel) ?? {}
    return { roles, permissions }
  },
  provider: ({ targetId }, find) => ({ provider: find('providers', targetId) }),
  providerId: ({ targetId }) => ({ provider: referenceTo(targetId) }),
  application: ({ targetId }, find) => ({ application: find('applications', targetId) }),
  applicationId: ({ targetId }) => ({ application: referenceTo(targetId) }),
  grant: ({ targetType, targetId, actorId, details }) =>
    targetType === 'application'
      ? { application: referenceTo(targetId), user: referenceTo(actorId) }
      : { application: referenceTo((details?.applicationId as string) ?? null), user: referenceTo(targetId) },
  webhook: ({ targetId }, find) => ({ webhook: find('webhooks', targetId) }),
  webhookId: ({ targetId }) => ({ webhook: referenceTo(targetId) }),
  tenant: () => ({}),
}

/**
 * Makes events of rows of the feed.
 *
 * @param read sends statements of which each finds rows by their keys, inside the tenant; it is not called if none is needed
 */
export async function readEvents(
  tenant: string,
  keyring: Keyring,
  rows: readonly EventRow[],
  read: (statements: Selections) => Promise<{ readonly [Name in Source]?: readonly Row[] }>,
): Promise<Event[]> {
  const known = rows.map((row) => ({ row, person: personIn(tenant, keyring, row) }))
  const wanted = new Map<Source, Set<string>>()
  for (const { row, person } of known) {
    dataOf(row, person, (source, key) => {
      if (key !== null) wanted.set(source, (wanted.get(source) ?? new Set()).add(key))
      return null
    })
  }
  const found = wanted.size === 0 ? {} : await read(selectAll(tenant, wanted))
  const resources = new Map(
    [...wanted.keys()].map((source) => [source, sources[source].shown(tenant, found[source] ?? [])]),
  )
  const find: Find = (source, key) => (key === null ? null : (resources.get(source)?.get(key) ?? null))
  return known.map(({ row, person }) => toEvent(tenant, row, dataOf(row, person, find)))
}

type Selections = { readonly [Name in Source]?: Statement }

function selectAll(tenant: string, wanted: ReadonlyMap<Source, ReadonlySet<string>>): Selections {
  return Object.fromEntries([...wanted].map(([source, keys]) => [source, sources[source].select(tenant, [...keys])]))
}

function dataOf(row: EventRow, person: string | null, find: Find): Resource {
  return makers[kindOf(row.type)](row, find, person)
}

function toEvent(tenant: string, row: EventRow, data: Resource): Event {
  const { id, type, timestamp, sequence, organizationId, actorType, actorId, actorSubject, via } = row
  const actor = { ...spokenOf(actorType, actorId, actorSubject), via }
  const { ip: _ip, device: _device, ...details } = row.details ?? {}
  return {
    id,
    type,
    timestamp,
    sequence,
    tenantId: uuidToTenantId(tenant),
    organizationId,
    actor,
    details: row.details && details,
    data,
  }
}

/** The person whom an event is about: of a deleted one, only a tombstone tells. */
function personIn(tenant: string, keyring: Keyring, { id, targetType, targetId, tombstone }: EventRow): string | null {
  if (targetType !== 'user' || targetId !== null || tombstone === null) return targetId
  return openTombstone(keyring, tenant, id, tombstone) ?? null
}

/**
 * @param schema of the resource: other columns are left out; undefined: there are none
 * @param show   turns a row into what the schema describes
 * @param keyOf  the key by which it is wanted
 */
function source<Row extends { readonly id: string }>(
  schema: TObject | undefined,
  select: (tenant: string, keys: readonly string[]) => Statement,
  show: (row: Row, tenant: string) => object = (row) => row,
  keyOf: (row: Row) => string = ({ id }) => id,
) {
  return {
    select,
    shown: (tenant: string, rows: readonly object[]): ReadonlyMap<string, Resource> =>
      new Map(
        (rows as readonly Row[]).map((row) => {
          const shown = show(row, tenant) as Resource
          return [keyOf(row), schema ? (only(schema, shown) as Resource) : shown]
        }), // as `select` selects them
      ),
  }
}

function only({ properties }: TObject, resource: Resource | null): Resource | null {
  return resource && Object.fromEntries(Object.keys(properties).map((field) => [field, resource[field]]))
}

function referenceTo(id: string | null): { readonly id: string } | null {
  return id === null ? null : { id }
}

function memberKey(organizationId: string, userId: string): string
function memberKey(organizationId: string | null, userId: string | null): string | null
function memberKey(organizationId: string | null, userId: string | null): string | null {
  return organizationId === null || userId === null ? null : `${organizationId} ${userId}`
}

function splitKey(key: string): string[] {
  return key.split(' ')
}
