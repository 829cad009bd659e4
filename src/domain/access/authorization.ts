/**
 * Authorization: whether the caller may, and the doors, through which goes what acts for a caller. Routes for `anyone` open the tenant
 * themselves.
 *
 * A door raises the tenant's wall, finds the caller's session or key, user and (for an organization's route) membership, and compares what
 * they hold with the route's `access`: 401, 404 or 403. A key must also have the route's scope.
 *
 * A reading door sends all of that, the handler's statements and the commit in one pipeline. If the caller may not read, the statement
 * that finds the caller shuts the wall, before the next statement runs (`shutUnless`). The handler's statements then find every table
 * empty and read nothing: neither the load nor the time of a refusal depends on the data. The door still learns the caller, and so
 * the reason: 401, 404 or 403.
 *
 * A writing door locks the organization first, or for tenant admins the tenant, so that what it decides by stays true until it is
 * done. What its handler has to read goes out after that in the same pipeline, and reads nothing for a caller who may not write. The door
 * waits for its turn before that, without a connection: the turn of the organization as the path names it, of the tenant, or of the
 * caller's account. Who may not write does not wait.
 */
import type { FastifyRequest } from 'fastify'
import { doors } from '../../platform/channels.ts'
import {
  empty,
  type NamedStatements,
  type ReadOptions,
  type Row,
  type Sql,
  type Statement,
  statement,
} from '../../platform/database/database.ts'
import { shutUnless } from '../../platform/database/wall.ts'
import type { RequestContext } from '../../platform/http/context.ts'
import { awaitFirst, claimKey, onlyOnce } from '../../platform/http/idempotency.ts'
import { Problem } from '../../platform/http/problems.ts'
import type { App } from '../../platform/http/server.ts'
import type { Access, KeyScope } from '../permissions/access.ts'
import { ApiProblem } from '../problems.ts'
import { answersOf, type Caller, type KeyCaller, type OrganizationCaller } from './actors.ts'
import {
  accessOf,
  credentialOf,
  type Found,
  findCaller,
  type Inquiry,
  inquiryOf,
  isInOrganization,
  lockForMember,
  lockForTenantAdmin,
  nameOf,
  organizationNamed,
} from './caller.ts'
import { firstFailing, requireRules, rulesOf } from './rules.ts'
import { type SecondFactors, secondMethodsOf, selectSecondFactors } from './second-factor.ts'
import type { Tenant } from './tenancy.ts'
import { accountTurn, organizationTurn, tenantTurn } from './turns.ts'

/** What a reading statement may name before anybody has been found: fragments that the database fills in. */
export interface Names {
  readonly tenant: string
  /** The caller's user id; null for a key that is no person’s. */
  readonly user: Statement
  /** The caller's session id; null for a key. */
  readonly session: Statement
  /** The caller's key; absent for a session. */
  readonly key: Statement | undefined
  /** The hash of the key's secret; absent for a session. */
  readonly secretHash: Buffer | undefined
  /** The id of the organization in the path. */
  readonly organization: Statement
}

/** A further condition of a list of the caller’s: that a key of theirs, if it is limited to an organization, shows no other one. */
export function withinLimit({ tenant, key }: Names, organization: Statement): Statement {
  if (key === undefined) return empty
  return statement`and coalesce(${organization} = (
    select k.organization_id from api_keys k where k.tenant_id = ${tenant} and k.id = ${key}), true)`
}

/** What the statements of a handler select, by names that are none of the door’s own statements. */
export type Selected = { readonly [name: string]: unknown } & { readonly [Own in OwnName]?: never }
type OwnName = 'caller' | 'locked' | 'claimed' | 'expired' | 'lockTimeout' | 'noLockTimeout'
/** Builds the statements of a handler, which are sent with the door’s own. */
export type Reading<Rows extends Selected> = (names: Names) => { readonly [Name in keyof Rows]: Statement }
/** The caller, and the rows of each statement by its name: `Rows` has the type of one row of each. */
export type Read<Who, Rows extends Selected> = { readonly caller: Who } & {
  readonly [Name in keyof Rows]: Exclude<Rows[Name], undefined>[]
}

/** A handler’s ways to data. */
export interface Doors {
  readonly context: RequestContext
  /** Without a session: inside the tenant that `getTenant` found for the request. */
  asAnyone<T>(tenant: Pick<Tenant, 'id'>, work: (sql: Sql) => Promise<T>): Promise<T>
  readonly asUser: WritingDoor<Caller>
  readonly asTenantAdmin: WritingDoor<Caller | KeyCaller>
  readonly inOrganization: WritingDoor<OrganizationCaller>
  /** For routes with the access `caller`. If the route has `organizationIn`, the caller may be an `OrganizationCaller`. */
  readAsCaller<Rows extends Selected>(
    reading: Reading<Rows>,
    options?: ReadOptions,
  ): Promise<Read<Caller | KeyCaller, Rows>>
  readAsUser<Rows extends Selected>(reading: Reading<Rows>, options?: ReadOptions): Promise<Read<Caller, Rows>>
  readAsTenantAdmin<Rows extends Selected>(
    reading: Reading<Rows>,
    options?: ReadOptions,
  ): Promise<Read<Caller | KeyCaller, Rows>>
  readAsTenantKey<Rows extends Selected>(reading: Reading<Rows>, options?: ReadOptions): Promise<Read<KeyCaller, Rows>>
  readInOrganization<Rows extends Selected>(
    reading: Reading<Rows>,
    options?: ReadOptions,
  ): Promise<Read<OrganizationCaller, Rows>>
}

/**
 * A door to work that writes. What the work has to know before can be read with the door: after its lock, in the same pipeline. That of
 * `asUser` reads only: the door takes the turn after it, and nothing may be locked before.
 */
interface WritingDoor<Who> {
  <T>(work: (sql: Sql, caller: Who) => Promise<T>): Promise<T>
  /** @param work gets the rows by the names of their statements, whose types it declares */
  <Rows extends Selected, T>(
    reading: Reading<Rows>,
    work: (sql: Sql, caller: Who, read: Rows) => Promise<T>,
  ): Promise<T>
}

declare module 'fastify' {
  interface FastifyRequest extends Doors {}
  interface FastifyContextConfig {
    /** Who may use the route. A route without it stops the boot. */
    access?: Access
    /** What a key must have for the route; null: none may use it. Absent: on an organization’s route, the permission (`scopeOf`). */
    scope?: KeyScope | null
    /** Where a request may name an organization with `organization`. If it does, only the members of that one may use the route. */
    organizationIn?: 'body' | 'query'
    /** Whether members may use the route for their own membership while it is suspended. */
    whileSuspended?: boolean
    /** Who may have an answer again that was given before, where the change takes away what it needs. */
    replayAccess?: Access
    /** What the caller must have shown: `fresh` is a sign-in or confirmation within the last ten minutes. */
    proof?: 'fresh'
    /** Whether the tenant's policy leaves the route open to sessions that need a second factor and have none. */
    withoutSecondFactor?: boolean
    /** Whether the route starts a session, so that `Guildhall-Session: cookie` means something on it. */
    startsSession?: boolean
    /** Whether the route reads the cookie of the device with `Guildhall-Session: cookie`, though it starts no session. */
    readsDevice?: boolean
  }
}

export function openDoors(app: App): void {
  app.addHook('onRoute', ({ url, method, config }) => {
    if (!config?.access) throw new Error(`${method} ${url} does not say who may use it: set config.access.`)
    if (typeof config.access === 'object' && method === 'GET')
      throw new Error(`${method} ${url}: a reading door asks for one permission.`)
  })

  app.decorateRequest('asAnyone', function <
    T,
  >(this: FastifyRequest, tenant: Pick<Tenant, 'id'>, work: (sql: Sql) => Promise<T>) {
    return doors.tracePromise(() => this.server.database.inTenant(tenant.id, work), { door: 'asAnyone' })
  })
  for (const door of ['asUser', 'asTenantAdmin', 'inOrganization'] as const) {
    app.decorateRequest(door, function <T>(this: FastifyRequest, ...args: [Work<T>] | [ReadingWith, Work<T>]) {
      const [reading, work] = args.length === 2 ? args : [undefined, ...args]
      return doors.tracePromise(() => write(this, work, reading), { door })
    })
  }
  const readingDoors = [
    'readAsCaller',
    'readAsUser',
    'readAsTenantAdmin',
    'readAsTenantKey',
    'readInOrganization',
  ] as const
  for (const door of readingDoors) {
    app.decorateRequest(door, function (this: FastifyRequest, reading: ReadingWith, options?: ReadOptions) {
      return doors.tracePromise(() => withMethods(this, read(this, reading, options)), { door }) as Promise<never> // the caller names its rows' types beside its statements
    })
  }
}

type Work<T> = (sql: Sql, caller: OrganizationCaller, read: object) => Promise<T>
type ReadingWith = (names: Names) => NamedStatements

async function write<T>(request: FastifyRequest, work: Work<T>, reading?: ReadingWith): Promise<T> {
  const { idempotencyKey: key, server } = request
  const credential = credentialOf(request)
  const { tenant, kind } = credential
  const claim = key && claimKey(key, server.keyring, tenant, kind.callerOf(credential))
  const { replayAccess } = request.routeOptions.config
  const rules = rulesOf(request)
  const rulesAgain = key && replayAccess && rulesOf(request, replayAccess)
  const judged = statement`${firstFailing(rules)} as failing`
  const find = findCaller(
    inquiryOf(request),
    rulesAgain ? statement`${judged}, ${firstFailing(rulesAgain)} as failing_again` : judged,
    rulesAgain
      ? shutting(statement`r.failing is null or r.failing_again is null`)
      : shutting(statement`r.failing is null`),
  )
  const judge = (row: Row | undefined, isAgain: boolean) => {
    const found = row as Found | undefined // as findCaller selects it
    return isAgain && rulesAgain
      ? requireRules(request, found, rulesAgain, found?.failingAgain)
      : requireRules(request, found, rules, found?.failing)
  }
  // The caller is read by a statement of its own after the lock was waited for: one statement would read them as they were before.
  const first = { ...claim, ...lockOf(request), caller: find, ...reading?.(namesIn(request)) }
  const turn = turnOf(request)
  const checkWhileWaiting = async () => {
    const rows = await server.database.read(tenant, { caller: find }, { byKey: true })
    judge(rows.caller[0], Boolean(key))
  }
  const transact = () =>
    server.database.inTenant(
      tenant,
      (sql, rows) => {
        const { claimed } = rows
        const caller = judge(rows.caller?.[0], claimed?.length === 0)
        // A slug that moved to another organization in between: that one is not locked.
        if (isInOrganization(request) && rows.locked?.[0]?.id !== caller.organizationId)
          throw new ApiProblem('not_found')
        // A role that came in between: the tenant is not locked.
        if (accessOf(request) === 'tenant_admin' && rows.locked?.length === 0) throw new ApiProblem('forbidden')
        if (turn === undefined && caller.type === 'user') sql.claimTurn(accountTurn(caller.userId))
        if (!key) return work(sql, caller, rows)
        const change = (sql: Sql) => work(sql, caller, rows)
        const about = (sql: Sql) => organizationsOf(request, sql, caller)
        return onlyOnce(request, sql, { ...caller, id: answersOf(caller) }, claimed, change, about)
      },
      { first, turn, whileWaiting: checkWhileWaiting },
    )
  return withMethods(request, key ? awaitFirst(request, credential.hash, transact) : transact())
}

/** The organization with which the answer to a request goes: that of the caller, or the one that an admin of the tenant names. */
async function organizationsOf(
  request: FastifyRequest,
  sql: Sql,
  { organizationId }: Pick<OrganizationCaller, 'organizationId'>,
): Promise<readonly string[]> {
  if (organizationId) return [organizationId]
  const { orgId } = request.params as { orgId?: string }
  if (orgId === undefined) return []
  const rows = await sql<{ id: string | null }>`select ${organizationNamed(sql.tenant, orgId)} as id`
  return rows.flatMap(({ id }) => id ?? [])
}

/** Adds to a refusal for want of a second factor what the caller has: a look-up that only the refused pay for. */
async function withMethods<T>(request: FastifyRequest, door: Promise<T>): Promise<T> {
  return door.catch(async (error: unknown) => {
    if (!(error instanceof Problem) || error.code !== 'second_factor_required' || error.extra.methods) throw error
    const credential = credentialOf(request)
    const { tenant, kind } = credential
    const factors = selectSecondFactors(tenant, kind.userOf(credential))
    const rows = await request.server.database.read(tenant, { factors }, { byKey: true })
    const has = rows.factors[0] as unknown as SecondFactors // as selectSecondFactors selects it
    throw new ApiProblem(error.code, { ...error.extra, methods: secondMethodsOf(has) })
  })
}

/**
 * What a writing door locks: the organization in the path, or for tenant admins the tenant. A key of the tenant locks the rows that it
 * changes, and not the tenant: all writes of a back end would wait for that one row.
 */
function lockOf(request: FastifyRequest): { readonly locked?: Statement } {
  if (isInOrganization(request)) return { locked: lockForMember(request) }
  return locksTenant(request) ? { locked: lockForTenantAdmin(request) } : {}
}

/** The turn of what `lockOf` locks. */
function turnOf(request: FastifyRequest): string | undefined {
  if (isInOrganization(request)) return organizationTurn(nameOf(request))
  return locksTenant(request) ? tenantTurn : undefined
}

function locksTenant(request: FastifyRequest): boolean {
  return accessOf(request) === 'tenant_admin' && credentialOf(request).kind.name === 'session'
}

function namesIn(request: FastifyRequest): Names {
  return namesOf(inquiryOf(request))
}

export function namesOf({ credential, organization = statement`null` }: Inquiry): Names {
  const { tenant, kind } = credential
  return {
    tenant,
    user: kind.userOf(credential),
    session: kind.sessionOf(credential),
    key: kind.name === 'key' ? kind.callerOf(credential) : undefined,
    secretHash: kind.name === 'key' ? credential.hash : undefined,
    organization,
  }
}

/** A column that shuts the wall before the next statement, unless a condition on what `findCaller` judges holds. */
function shutting(condition: Statement): Statement {
  return statement`, ${shutUnless(condition)} as may`
}

async function read(request: FastifyRequest, reading: ReadingWith, options?: ReadOptions): Promise<unknown> {
  const { tenant } = credentialOf(request)
  const rules = rulesOf(request)
  const judged = statement`${firstFailing(rules)} as failing`
  const find = findCaller(inquiryOf(request), judged, shutting(statement`r.failing is null`))
  const statements = reading(namesIn(request))
  const rows = await request.server.database.read(tenant, { caller: find, ...statements }, options)
  const found = rows.caller[0] as Found | undefined // as findCaller selects it
  return { ...rows, caller: requireRules(request, found, rules, found?.failing) }
}
