/**
 * A world for tests: the real app on a real PostgreSQL, listening on a real port, and people who use it over HTTP.
 *
 * Each answer is checked against the OpenAPI document: a status, a problem or a shape that a route does not declare fails the test. The
 * tests of a file share the app and the database; people and organizations are new for each test.
 */
import { randomBytes } from 'node:crypto'
import type { AddressInfo } from 'node:net'
import { after } from 'node:test'
import { type AppOptions, buildApp } from '../src/app.ts'
import { openTransport } from '../src/domain/mail/transport.ts'
import type { Kinds } from '../src/domain/providers/kinds.ts'
import { selectWakes } from '../src/domain/webhooks/schedule.ts'
import { builtConsole } from '../src/features/pages/console.ts'
import { signUp } from '../src/features/sign-in/sign-up.ts'
import { deleteTenant } from '../src/features/tenants/deletion.ts'
import {
  createTenant,
  ensureDefaultTenant,
  getTenantBySlug,
  type OperatorSettings,
  type TenantRecord,
  updateTenant,
} from '../src/features/tenants/tenants.ts'
import { hashSecretly, Keyring } from '../src/platform/cryptography.ts'
import type { Database } from '../src/platform/database/database.ts'
import type { RequestContext } from '../src/platform/http/context.ts'
import { newRequestId } from '../src/platform/http/errors.ts'
import { normalizeEmail } from '../src/platform/http/schemas.ts'
import { Relay } from '../src/platform/jobs/relay.ts'
import type { Worker } from '../src/platform/jobs/worker.ts'
import { readConfig } from '../src/platform/settings/config.ts'
import { startTasks, type TaskOptions } from '../src/tasks.ts'
import { Client, Person, type Program } from './client.ts'
import { type Contract, contractOf } from './contract.ts'
import { createDatabase, type TestDatabase } from './database.ts'
import type { Json } from './json.ts'
import { type KeyOptions, makeKey } from './keys.ts'
import { until } from './smtp.ts'
import { openPatient } from './timeout.ts'

export { type Answer, codeOf, type RequestOptions } from './client.ts'
export type { Json }
export { Client, Person, type Program }

/** Everybody's password. */
export const password = 'a long enough passphrase'
let passwordHash: Promise<string> | undefined

export const mailboxKey = 'the-key-of-the-mailbox-in-tests'

export interface World {
  /** `http://127.0.0.1:<port>`; with several processes, of the next one. */
  readonly url: string
  readonly contract: Contract
  readonly app: Awaited<ReturnType<typeof buildApp>>
  readonly database: Database
  readonly keyring: Keyring
  /** A statement on the queue waits until no job is in the outbox. */
  readonly postgres: TestDatabase
  readonly worker: Worker | undefined
  /** The id of the default tenant. */
  readonly tenantId: string
  /** Without a session. */
  readonly nobody: Client
  /** A new person, signed up and (by default) with a verified address. */
  person(name?: string, options?: { verified?: boolean; tenant?: string; email?: string }): Promise<Person>
  /** An admin of the tenant. */
  tenantAdmin(tenant?: string): Promise<Person>
  /** A key, as its owner makes one; a tenant must offer keys of people and of organizations. */
  key(scopes: readonly string[], options?: KeyOptions): Promise<Program>
  /** Another session of the same person. */
  signIn(person: Person, headers?: Record<string, string>): Promise<Person>
  tenant(settings?: { domains?: string[] }): Promise<TenantRecord>
  /** Changes a tenant's settings, as its operator can. */
  updateTenant(slug: string, settings: OperatorSettings): Promise<TenantRecord>
  deleteTenant(slug: string): Promise<void>
  /** The app of another process on the same database, without a port. The caller closes it. By default it has a pool of its own. */
  otherApp(database?: Database): ReturnType<typeof buildApp>
  /** Another worker of the queue, to be stopped by the caller; it stores mails without `smtpUrl`, and has no clock without `byClock`. */
  startWorker(options?: TaskOptions & { smtpUrl?: string | undefined; keyring?: Keyring }): Promise<Worker>
  /** An organization with an owner (ann), an admin (ben), a member (cleo) and an outsider (dan). */
  organization(options?: { tenant?: string }): Promise<Organization>
  /** Makes a person a member, through an invitation. @returns the membership */
  join(inviter: Person, orgId: string, person: Person, role?: string): Promise<Json>
  /** The token in the newest mail to an address, once the mail is in the mailbox (needs the worker). */
  mailedToken(email: string, page: string, tenant?: string): Promise<string>
  /** The mails to an address (needs the worker). */
  mails(email: string, tenant?: string): Promise<Json[]>
}

export interface Organization {
  readonly id: string
  readonly slug: string
  readonly path: string
  readonly ann: Person
  readonly ben: Person
  readonly cleo: Person
  readonly dan: Person
  /** The memberships of ann, ben and cleo, by name, as an owner sees them. */
  readonly members: Readonly<Record<'ann' | 'ben' | 'cleo', Json>>
}

export interface WorldOptions {
  /** Settings of the environment, as strings. */
  readonly settings?: Record<string, string>
  /** Whether the queue's worker runs, without tasks by the clock; only then mails are stored in the mailbox or sent. */
  readonly worker?: boolean
  /** The folder of a built console; by default the real one, if it is built. */
  readonly consoleFolder?: string
  /** By default any free one. */
  readonly port?: number
  /**
   * How many apps serve, each with a pool and turns of its own, as if in a process of its own. Requests go to them by turns: what must hold
   * in a race then rests on the database. By default one.
   */
  readonly processes?: number
  /** Doubles of the sign-in providers. */
  readonly kinds?: Kinds
  /** A database with data in it, with the present schema. It is dropped with the world. */
  readonly postgres?: TestDatabase
  /** By default nothing is logged. */
  readonly log?: AppOptions['log']
}

/**
 * Call it once at the top of a test file. Everything is removed when the file's tests are over, or at once if the world cannot be made: what
 * stayed open would keep the process of the tests alive, and hide the error.
 */
export async function createWorld(options: WorldOptions = {}): Promise<World> {
  const opened = new AsyncDisposableStack()
  try {
    const world = await openWorld(options, opened)
    after(() => opened.disposeAsync())
    return world
  } catch (error) {
    await opened.disposeAsync()
    throw error
  }
}

/** @param opened what is removed with the world, in the reverse order */
async function openWorld(
  {
    settings = {},
    worker: works = false,
    consoleFolder = builtConsole,
    port = 0,
    processes = 1,
    kinds,
    postgres: made,
    log = false,
  }: WorldOptions,
  opened: AsyncDisposableStack,
): Promise<World> {
  const own = made ?? (await createDatabase())
  opened.defer(() => own.drop())
  const config = readConfig({ LOG_LEVEL: 'silent', LIMITS: 'off', ...settings })
  const keyring = new Keyring(config.secrets.length > 0 ? config.secrets : ['a secret that is only used in tests'])
  const databases: Database[] = []
  const openDatabase = () => {
    const opening = openPatient(own.url)
    opened.defer(() => opening.close())
    const relay = new Relay(opening, () => {}, selectWakes)
    opened.defer(() => relay.stop())
    databases.push(opening)
    return opening
  }
  const database = openDatabase()
  const postgres: TestDatabase = {
    ...own,
    query: async (text, values) => {
      if (text.includes('graphile_worker')) await relayed(own)
      return own.query(text, values)
    },
    // Those who wait for a turn are in the line, too.
    awaitLine: (wanted, passed = () => 0) =>
      own.awaitLine(wanted, () => databases.reduce((sum, each) => sum + each.waitingForTurns, passed())),
  }
  await ensureDefaultTenant(database)
  const { id: tenantId } = await getTenantBySlug(database, 'default')
  const resources = { config, database, keyring }
  const transport = openTransport(config)
  opened.defer(() => transport?.close())
  const urls: string[] = []
  const serve = async (database: Database, port: number) => {
    const app = await buildApp(
      { ...resources, database },
      { log, mailboxKey: config.smtpUrl ? undefined : mailboxKey, consoleFolder, kinds },
    )
    opened.defer(() => {
      app.server.closeIdleConnections() // idle connections, for which closing would wait
      return app.close()
    })
    await app.listen({ host: '127.0.0.1', port })
    app.server.timeout = 0 // a test may hold a request for as long as it needs
    urls.push(`http://127.0.0.1:${(app.server.address() as AddressInfo).port}`)
    return app
  }
  const app = await serve(database, port)
  while (urls.length < processes) await serve(openDatabase(), 0)
  let requests = 0
  const worker = works ? await startTasks({ ...resources, transport }, app.log, { byClock: false }) : undefined
  opened.defer(() => worker?.stop())

  const world: World = {
    get url() {
      return urls[requests++ % urls.length] ?? ''
    },
    contract: contractOf(app, settings),
    app,
    database,
    keyring,
    postgres,
    worker,
    tenantId,
    get nobody() {
      return new Client(world, {})
    },
    person: (name = 'Ann', options = {}) => makePerson(world, name, options),
    tenantAdmin: async (tenant = 'default') => {
      const person = await makePerson(world, 'Tess', { tenant })
      await postgres.query(`update users set role = 'admin' where id = $1`, [person.id])
      return person
    },
    key: (scopes, options) => makeKey(world, scopes, options),
    signIn: async (person, headers = {}) => {
      const answer = await new Client(world, headers).post('/api/auth/sign-in', { email: person.email, password })
      if (answer.status !== 200) throw new Error(`sign-in answered ${answer.status} ${JSON.stringify(answer.body)}`)
      return new Person(world, answer.body.session.token, answer.body.user, headers)
    },
    tenant: async ({ domains = [] } = {}) => {
      const slug = `t-${randomBytes(5).toString('hex')}`
      await createTenant(database, { slug, name: 'Another Tenant', domains })
      return getTenantBySlug(database, slug)
    },
    updateTenant: (slug, set) => updateTenant(database, slug, set),
    deleteTenant: (slug) => deleteTenant(database, slug),
    otherApp: (given) => {
      const own = given ?? openPatient(postgres.url)
      if (!given) {
        opened.defer(() => own.close())
        const relay = new Relay(own, () => {}, selectWakes)
        opened.defer(() => relay.stop())
      }
      return buildApp({ ...resources, database: own }, { log: false, mailboxKey: undefined })
    },
    startWorker: async ({ smtpUrl, keyring: own = keyring, ...ways } = {}) => {
      const post = { ...resources, keyring: own, transport: openTransport({ smtpUrl }) }
      const other = await startTasks(post, app.log, { byClock: false, ...ways })
      const stop = () => other.stop().finally(() => post.transport?.close())
      opened.defer(stop)
      return { stop }
    },
    organization: async ({ tenant } = {}) => {
      const named = tenant === undefined ? {} : { tenant }
      const [ann, ben, cleo, dan] = await Promise.all(
        ['Ann', 'Ben', 'Cleo', 'Dan'].map((name) => world.person(name, named)),
      )
      if (!ann || !ben || !cleo || !dan) throw new Error('nobody came')
      const { body } = await ann.post('/api/organizations', { name: `Acme ${randomBytes(4).toString('hex')}` })
      await world.join(ann, body.id, ben, 'admin')
      await world.join(ann, body.id, cleo, 'member')
      // Else it is noted a moment after somebody's first request: between two answers that a test compares.
      await world.postgres.query('update memberships set last_active_at = now() where organization_id = $1', [body.id])
      const { body: listed } = await ann.get(`/api/organizations/${body.id}/members`)
      const memberOf = ({ id }: Person) => listed.data.find(({ user }: Json) => user.id === id)
      const members = { ann: memberOf(ann), ben: memberOf(ben), cleo: memberOf(cleo) }
      return { id: body.id, slug: body.slug, path: `/api/organizations/${body.id}`, ann, ben, cleo, dan, members }
    },
    join: async (inviter, orgId, person, role = 'member') => {
      const invited = await inviter.post(`/api/organizations/${orgId}/invites`, { email: person.email, role })
      if (invited.status !== 201) throw new Error(`inviting answered ${invited.status} ${JSON.stringify(invited.body)}`)
      const accepted = await person.post(`/api/invites/${invited.body.id}/accept`)
      if (accepted.status !== 200)
        throw new Error(`accepting answered ${accepted.status} ${JSON.stringify(accepted.body)}`)
      return accepted.body.member
    },
    mails: async (email, tenant = 'default') => {
      const headers = { 'guildhall-mailbox-key': mailboxKey, 'guildhall-tenant': tenant }
      const answer = await world.nobody.get(`/api/mailbox?to=${encodeURIComponent(email)}`, headers)
      return answer.body.data
    },
    mailedToken: async (email, page, tenant = 'default') => {
      const link = new RegExp(`/${page}#token=(\\S+)`)
      const find = async () => {
        await hurry(postgres)
        const mails = await world.mails(email, tenant)
        return mails.map(({ text }) => link.exec(text)?.[1]).find((token) => token !== undefined)
      }
      return until(find, `a mail to ${email} with a link to ${page}`)
    },
  }

  return world
}

/** What domain functions need of a request, as `fetch` sends one. */
export function requestContext({ app: { config, database, keyring, rates } }: World): RequestContext {
  return {
    ...{ requestId: newRequestId(), ip: '127.0.0.1', userAgent: 'node', wantedTags: undefined },
    ...{ route: { url: undefined, rates: [] }, config, database, keyring, rates },
    getHeader: () => '',
    setHeader: () => {},
  }
}

/** Signs a person up like the route, but with a hash that is made once for all people. */
async function makePerson(
  world: World,
  name: string,
  { verified = true, tenant = 'default', email }: { verified?: boolean; tenant?: string; email?: string },
): Promise<Person> {
  const { database } = world.app
  const { id: tenantId } = await getTenantBySlug(database, tenant)
  const address = normalizeEmail(email ?? `${name.toLowerCase()}-${randomBytes(5).toString('hex')}@example.com`)
  if (address === undefined) throw new Error(`${email} is no address`)
  passwordHash ??= hashSecretly(password)
  const context = requestContext(world)
  const account = { email: address, name, passwordHash: await passwordHash, isMailed: true, deviceToken: undefined }
  const { user, session } = await database.inTenant(tenantId, async (sql) => {
    const started = await signUp(sql, context, account)
    if (verified)
      await sql`update users set email_verified = true where tenant_id = ${sql.tenant} and id = ${started.user.id}`
    return started
  })
  return new Person(world, session.token, { ...user, name }, {})
}

/** Waits until the jobs that were committed before are in the queue. Events alone may wait for longer. */
async function relayed({ query }: TestDatabase): Promise<void> {
  const jobs = `select from outbox where jobs <> '[]'`
  await until(async () => (await query(jobs)).length === 0, 'no job to be in the outbox')
}

/** Makes the worker do delayed jobs now; failed ones keep their delay. */
export async function hurry({ query }: TestDatabase): Promise<void> {
  const moved = await query(`
    select from graphile_worker.reschedule_jobs(
      array(select id from graphile_worker.jobs where run_at > now() and attempts = 0), run_at => now())`)
  if (moved.length > 0) await query(wakeWorkers)
}

/** Makes the workers look for due jobs now, as they do once a second by themselves. */
export const wakeWorkers = `notify "jobs:insert", '{"count":1}'`
