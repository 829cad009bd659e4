/**
 * A deliberate fault: the whole service runs on statements that do not name their tenant. Behind the wall it reads and writes nothing of
 * another tenant. As a superuser, to whom the wall does not apply, the same requests do.
 */
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { type TestContext, test } from 'node:test'
import { buildApp } from '../src/app.ts'
import { getTenantBySlug } from '../src/features/tenants/tenants.ts'
import {
  Database,
  type NamedRows,
  type NamedStatements,
  type ReadOptions,
  type Sql,
  type Statement,
  statement,
  type TransactionOptions,
} from '../src/platform/database/database.ts'
import { outboxIsEmpty } from './queue.ts'
import { patient } from './timeout.ts'
import { type Client, createWorld, type Json, type Person, password } from './world.ts'

const world = await createWorld()
const { query } = world.postgres
const home = await getTenantBySlug(world.database, 'default')
const abroad = await world.tenant()
const own = await world.organization()
const admin = await world.tenantAdmin()

/** The forms of a statement without the tenant. */
type Forget = (whole: Statement) => Statement

/**
 * Removes the conditions on `tenant_id`: each becomes true for every tenant, and the parameters keep their numbers. The audit log keeps its
 * conditions: a person in the log of another tenant would be a second fault, which hides the first.
 */
const forgetConditions: Forget = (whole) => {
  const { strings, values } = whole
  if (strings.join('').includes('subjects')) return whole
  const isCondition = (index: number) => values[index] === home.id && /\btenant_id = $/.test(strings[index] ?? '')
  const parts = strings.map((text, index) => {
    const begun = isCondition(index) ? text.replace(/((?:\w+\.)?tenant_id = )$/, '($1') : text
    return isCondition(index - 1) ? `) is not null${begun}` : begun
  })
  return statement(parts, ...values)
}

/** Also, inserted rows go to the other tenant. */
const mistakeTenant: Forget = (whole) => {
  const { strings, values } = forgetConditions(whole)
  if (!strings.join('').includes('insert into')) return forgetConditions(whole)
  return statement(strings, ...values.map((value) => (value === home.id ? abroad.id : value)))
}

/** The database for code with the fault. It counts the changed statements, so that none is missed. */
class CarelessDatabase extends Database {
  forget: Forget = forgetConditions
  spoilt = 0

  override inTenant<T>(
    tenant: string,
    work: (sql: Sql, first: NamedRows) => Promise<T>,
    { first = {}, ...options }: TransactionOptions = {},
  ): Promise<T> {
    const carelessly = (sql: Sql, rows: NamedRows) => {
      const careless = <Answer>(strings: TemplateStringsArray, ...values: readonly unknown[]) => {
        const { strings: parts, values: given } = this.#spoil(statement(strings, ...values))
        return sql<Answer>(parts as unknown as TemplateStringsArray, ...given) // the tag reads only the parts
      }
      return work(Object.assign(careless, sql), rows)
    }
    return super.inTenant(tenant, carelessly, { ...options, first: this.#spoilAll(first) })
  }

  override read<Sent extends NamedStatements>(tenant: string, statements: Sent, options?: ReadOptions) {
    return super.read(tenant, this.#spoilAll(statements), options)
  }

  #spoilAll<Sent extends NamedStatements>(statements: Sent): Sent {
    const spoilt = Object.entries(statements).map(([name, each]) => [name, this.#spoil(each)])
    return Object.fromEntries(spoilt)
  }

  #spoil(whole: Statement): Statement {
    const less = this.forget(whole)
    if (less.text !== whole.text || less.values.some((value, index) => value !== whole.values[index])) this.spoilt++
    return less
  }
}

/** A service with the fault, with its own role or as a superuser. */
async function serveCarelessly(t: TestContext, url: string) {
  const database = new CarelessDatabase(url, { timeouts: patient })
  const { config } = world.app
  const app = await buildApp({ config, database, keyring: world.keyring }, { log: false, mailboxKey: undefined })
  t.after(async () => {
    await app.close()
    await database.close()
  })
  const send = async ({ method, path, body, by = admin }: Request): Promise<{ status: number; text: string }> => {
    const { headers } = by
    const sent = body === undefined ? {} : { payload: body }
    const answer = await app.inject({ method, url: path, headers, ...sent })
    return { status: answer.statusCode, text: answer.body }
  }
  return { database, send }
}

interface Request {
  readonly method: 'GET' | 'POST' | 'PATCH' | 'DELETE'
  readonly path: string
  readonly body?: object
  readonly by?: Client
}

/**
 * The URL of the database for a superuser. Foreign keys, which include the tenant, would prevent most writes: they are disabled for this
 * role, so that only the wall is missing.
 */
async function makeSuperuser(t: TestContext): Promise<string> {
  const role = `careless_${randomBytes(4).toString('hex')}`
  await query(`create role ${role} superuser login password '${password}'`)
  await query(`alter role ${role} set session_replication_role = replica`)
  t.after(() => query(`drop role ${role}`))
  const url = new URL(world.postgres.url)
  url.username = role
  url.password = password
  return url.href
}

/** All columns that name a thing of the other tenant, or the owner of rows. */
async function rowsAbroad(): Promise<Json> {
  const tables = await query<{ name: string }>(
    `select relname as name from pg_class where relnamespace = 'public'::regnamespace and relrowsecurity and relkind in ('r', 'p')`,
  )
  const kept: Json = {}
  for (const { name } of tables)
    kept[name] = await query(`select * from ${name} t where tenant_id = $1 order by t::text`, [abroad.id])
  return kept
}

async function marksAbroad(): Promise<string[]> {
  const rows = await query<{ mark: string }>(
    `select unnest(array[id, email]) as mark from users where tenant_id = $1
     union all select unnest(array[id, slug]) from organizations where tenant_id = $1
     union all select id from memberships where tenant_id = $1
     union all select id from sessions where tenant_id = $1
     union all select id from audit_entries where tenant_id = $1`,
    [abroad.id],
  )
  return rows.map(({ mark }) => mark)
}

/** A person and an organization of the other tenant, and requests that read, change and finally delete them. */
async function makeTarget() {
  const { id, slug, members, ben } = await world.organization({ tenant: abroad.slug })
  await world.database.relay.drain(abroad.id)
  const user = `/api/admin/users/${ben.id}`
  const organization = `/api/admin/organizations/${id}`
  const reads: Request[] = [
    { method: 'GET', path: '/api/admin/users?limit=100' },
    { method: 'GET', path: '/api/admin/organizations?limit=100' },
    { method: 'GET', path: '/api/admin/audit?limit=100' },
    { method: 'GET', path: '/api/admin/events?limit=100' },
    { method: 'GET', path: user },
    { method: 'GET', path: `${user}/devices` },
    { method: 'GET', path: organization },
    { method: 'GET', path: `${organization}/members` },
    { method: 'GET', path: '/api/users/me/invites', by: await invited(own.dan, abroad.slug) },
  ]
  const writes: Record<string, Request> = {
    'changes a row': { method: 'PATCH', path: user, body: { name: 'Planted' } },
    'ends a session': { method: 'DELETE', path: `${user}/devices` },
    'hands an organization on': {
      method: 'POST',
      path: `${organization}/transfer`,
      body: { memberId: members.cleo.id },
    },
    'deletes an organization': { method: 'DELETE', path: organization, body: { confirm: slug } },
    'deletes a user': { method: 'DELETE', path: user },
  }
  return { reads, writes }
}

/** The address has an invitation in the other tenant, too. */
async function invited(person: Person, tenant: string): Promise<Person> {
  const { ann, path } = await world.organization({ tenant })
  await ann.post(`${path}/invites`, { email: person.email })
  return person
}

test('behind the wall, statements that do not name their tenant affect no other tenant', async (t) => {
  const { database, send } = await serveCarelessly(t, world.postgres.url)
  const { reads, writes } = await makeTarget()

  await t.test('nothing is read', async () => {
    const marks = await marksAbroad()
    for (const request of reads) {
      database.spoilt = 0
      const { status, text } = await send(request)
      assert.ok(database.spoilt > 0, `${request.path}: the fault is in it`)
      assert.ok(status === 200 || status === 404, `${request.path}: ${status} ${text}`)
      assert.deepEqual(toldOf(marks, request, text), [], request.path)
    }
  })

  await t.test('nothing is read in one trip with look-ups of the other tenant', async () => {
    const marks = await marksAbroad()
    const { ann, path } = await world.organization({ tenant: abroad.slug })
    const theirs = [path, '/api/users/me', `${path}/members/me`].map(
      (path): Request => ({ method: 'GET', path, by: ann }),
    )
    const mixed = reads.flatMap((request, index) => [request, theirs[index % theirs.length] as Request])
    const answers = await Promise.all(mixed.map(send))
    for (const [index, { status, text }] of answers.entries()) {
      const request = mixed[index] as Request
      if (request.by === ann) assert.equal(status, 200, `${request.path}: ${text}`)
      else assert.deepEqual(toldOf(marks, request, text), [], request.path)
    }
  })

  await t.test('nothing is changed or deleted', async () => {
    await outboxIsEmpty(world) // else its events come into the feed meanwhile
    const before = await rowsAbroad()
    for (const [what, request] of Object.entries(writes)) {
      database.spoilt = 0
      const { status, text } = await send(request)
      assert.ok(database.spoilt > 0, `${what}: the fault is in it`)
      assert.equal(status, 404, `${what}: ${text}`)
      assert.deepEqual(await rowsAbroad(), before, what)
    }
  })

  await t.test('nothing is inserted', async () => {
    await outboxIsEmpty(world)
    const before = await rowsAbroad()
    database.forget = mistakeTenant
    assert.equal((await send(signUp())).status, 500)
    assert.deepEqual(await rowsAbroad(), before)
  })
})

test('without the wall, the same statements read, change, delete and insert rows of another tenant', async (t) => {
  const { database, send } = await serveCarelessly(t, await makeSuperuser(t))

  await t.test('it is read', async () => {
    const { reads } = await makeTarget()
    const marks = await marksAbroad()
    for (const request of reads) {
      const { status, text } = await send(request)
      assert.equal(status, 200, `${request.path}: ${text}`)
      assert.notDeepEqual(toldOf(marks, request, text), [], request.path)
    }
  })

  await t.test('it is changed and deleted', async () => {
    const { writes } = await makeTarget()
    for (const [what, request] of Object.entries(writes)) {
      const before = await rowsAbroad()
      const { status, text } = await send(request)
      assert.equal(status, 200, `${what}: ${text}`)
      assert.notDeepEqual(await rowsAbroad(), before, what)
    }
  })

  await t.test('it is inserted', async () => {
    database.forget = mistakeTenant
    const request = signUp()
    const { status, text } = await send(request)
    assert.equal(status, 201, text)
    const users = await query('select from users where tenant_id = $1 and email = $2', [abroad.id, request.body.email])
    assert.equal(users.length, 1)
  })
})

function toldOf(marks: readonly string[], { path }: Request, text: string): string[] {
  return marks.filter((mark) => text.includes(mark) && !path.includes(mark))
}

/** To this tenant. */
function signUp() {
  const body = { email: `new-${randomBytes(5).toString('hex')}@example.com`, password }
  return { method: 'POST', path: '/api/auth/sign-up', body, by: world.nobody } as const
}
