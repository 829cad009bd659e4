/**
 * docs/build/sync.md in practice: its program keeps a copy of the users, organizations and members of a service, while both are killed.
 * What the copy has in the end is what the lists have.
 */
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import pg from 'pg'
import { createGuildhall, isGuildhallError } from '../client/src/index.ts'
import type { Journal } from '../faults/requests.ts'
import { raise } from '../faults/stage.ts'
import { record } from '../src/domain/record/record.ts'
import { operator } from '../src/features/tenants/tenants.ts'
import { commandsIn, runCommands } from './commands.ts'
import type { TestDatabase } from './database.ts'
import { readDocument, root } from './documents.ts'
import { tenantWithEvents } from './events.ts'
import { type Process, run, stop } from './processes.ts'
import { until } from './smtp.ts'
import { createWorld } from './world.ts'

const world = await createWorld({ settings: { MAX_ORGANIZATIONS: '200' } })
const { blocks } = readDocument('docs/build/sync.md')
const commands = blocks.filter(({ language }) => language === 'console').flatMap(({ text }) => commandsIn(text))
const scopes = commands.map(({ command }) => /--scopes ([\w:,]+)/.exec(command)?.[1]).find(Boolean) ?? assert.fail()
const administratorsScopes =
  'users:write,users:delete,organizations:create,organization:update,organization:delete,invitations:write,members:update,members:remove'
const again = blocks.find(({ text }) => text.startsWith('update guildhall_copy.copy'))?.text ?? assert.fail()

type Query = TestDatabase['query']
type Rows = Record<string, readonly (string | null)[][]>

/** The folder of a program that follows a service. Its client and its driver are the repository's. */
function makeProgram(url: string, schema: string): string {
  const folder = mkdtempSync(join(tmpdir(), 'guildhall-sync-'))
  after(() => rmSync(folder, { recursive: true }))
  mkdirSync(join(folder, 'node_modules/@guildhall'), { recursive: true })
  symlinkSync(join(root, 'client'), join(folder, 'node_modules/@guildhall/client'))
  symlinkSync(join(root, 'node_modules/pg'), join(folder, 'node_modules/pg'))
  for (const { text } of blocks) {
    const [, name] = /^(?:\/\/|--) (\S+\.(?:mjs|sql))/.exec(text) ?? []
    const here = text.replaceAll('http://localhost:3000', url).replaceAll('guildhall_copy', schema)
    if (name) writeFileSync(join(folder, name), here)
  }
  return folder
}

/** A copy of what the key of a tenant can read, in a schema of its own, beside the tables of a product that has users, too. */
async function makeCopy(service: { readonly url: string; readonly key: string }, query: Query, databaseUrl: string) {
  const mark = randomBytes(4).toString('hex')
  const [product, schema] = [`product_${mark}`, `copy_${mark}`]
  await query(`create schema ${product} authorization guildhall`)
  await query(`create table ${product}.users (id text)`)
  await query(`insert into ${product}.users values ('gil')`)
  await query(`alter table ${product}.users owner to guildhall`)
  const folder = makeProgram(service.url, schema)
  const database = new URL(databaseUrl)
  database.searchParams.set('options', `-c search_path=${product}`)
  const env = { GUILDHALL_KEY: service.key, DATABASE_URL: database.href }
  const { admin } = createGuildhall({ url: service.url, key: service.key })
  const isThere = async () => (await query('select to_regclass($1) as name', [`${schema}.copy`]))[0]?.name !== null
  const placeOf = async () =>
    (await isThere())
      ? (await query<{ place: string | null }>(`select place from ${schema}.copy`))[0]?.place
      : undefined
  const copy = {
    /** @param killAt where it is killed (killed-copy.ts) */
    start(killAt = ''): Process {
      const main = join(folder, 'sync.mjs')
      return run([], { folder, env: { ...env, KILL_AT: killAt, NODE_OPTIONS: `--import=${preload}` }, main })
    },
    /** Reads the lists when it starts, as the page says. */
    readAgain: () => query(again.replace('guildhall_copy', schema)),
    /** Makes it wait at a row that it is about to write. @returns a function that lets it go on */
    async holdAt(table: string, id: string): Promise<() => Promise<void>> {
      await copy.start('update copy set reading 1 before').ended // there are tables
      const client = new pg.Client(databaseUrl)
      await client.connect()
      await client.query('begin')
      await client.query(`insert into ${schema}.${table} values ($1, '', '', 0)`, [id])
      return async () => {
        await client.query('rollback')
        await client.end()
      }
    },
    /** Waits until a statement with this text waits for somebody else. */
    async waits(text: string): Promise<void> {
      const waiting = `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock' and query ~ $1`
      await until(async () => (await query(waiting, [text])).length > 0, 'the copy to wait')
    },
    /** Runs it until it has all events. */
    async catchUp(): Promise<void> {
      const process = copy.start()
      await copy.isDone(process)
      await stop(process, 'SIGKILL')
    },
    /** Waits until there are events that it does not have. */
    async isBehind(): Promise<void> {
      const place = await placeOf()
      assert.ok(place)
      await until(async () => (await admin.events.read({ after: place })).data.length > 0, 'events')
    },
    /** Waits until it has all events. */
    async isDone(process: Process): Promise<void> {
      const isLast = async () => {
        if (process.child.exitCode !== null) throw new Error(process.err)
        const place = await placeOf()
        if (!place) return false
        const page = await admin.events.read({ after: place, limit: 1 }).catch((error: unknown) => {
          if (!isGuildhallError(error, 'events_expired')) throw error
        })
        return page?.data.length === 0
      }
      await until(isLast, 'the copy to have all events')
    },
    productsUsers: () => query(`select * from ${product}.users`),
    async rows(): Promise<Rows> {
      const [users, organizations, members] = [
        await query<Cells>(`select id, email, name, status from ${schema}.users`),
        await query<Cells>(`select id, slug, name from ${schema}.organizations`),
        await query<Cells>(`select organization_id, user_id, id, role, status from ${schema}.members`),
      ]
      return sorted({ users, organizations, members })
    },
    /** What the lists of the service have. */
    async lists(): Promise<Rows> {
      const users = []
      for await (const { id, email, name, status } of admin.users.list()) users.push({ id, email, name, status })
      const [organizations, members] = [[] as Cells[], [] as Cells[]]
      for await (const { id, slug, name } of admin.organizations.list()) {
        organizations.push({ id, slug, name })
        for await (const member of admin.organizations.members.list(id, { status: 'all' }))
          members.push({ id, user: member.user.id, member: member.id, role: member.role, status: member.status })
      }
      return sorted({ users, organizations, members })
    },
  }
  return copy
}

/** Runs the page's command for a key. @returns its secret */
async function makeKey({ url, env, scopes: wanted }: { url: string; env: Record<string, string>; scopes: string }) {
  const [make = assert.fail()] = commands
  const create = { command: make.command.replace(scopes, wanted) }
  const place = { cwd: root, url, env: { TENANT: 'default', ...env } }
  const [, secret = ''] = await runCommands([create, { command: 'echo "$GUILDHALL_KEY"' }], place)
  return secret
}

type Cells = Record<string, string | null>
const preload = join(root, 'test/killed-copy.ts')

function sorted(tables: Record<string, readonly Cells[]>): Rows {
  return Object.fromEntries(Object.entries(tables).map(([name, rows]) => [name, rows.map(Object.values).sort()]))
}

/** A copy of a tenant of its own. */
async function open() {
  const tenant = await tenantWithEvents(world)
  const { token: key } = await world.key(scopes.split(','), { tenant: tenant.tenant })
  return { ...tenant, copy: await makeCopy({ url: world.url, key }, world.postgres.query, world.postgres.url) }
}

/** Where each of two copies is killed, in this order: first while it reads the lists, then while it follows. */
const kills = [
  [
    ...['update copy set reading 1 after', 'into users 3 while', 'into organizations 2 after', 'into members 2 while'],
    ...atEach('begin', 'insert into'),
  ],
  [
    ...['delete from 2 after', 'update copy set place 1 while', 'commit 1 before', 'commit 1 while'],
    ...atEach('update copy set place', 'commit'),
  ],
]

function atEach(...parts: string[]): string[] {
  return parts.flatMap((part) => ['before', 'while', 'after'].map((moment, index) => `${part} ${index + 1} ${moment}`))
}

/** What an administrator does, by a key: makes people and organizations, then suspends, changes and deletes them. */
async function administer(journal: Journal, token: string, isOver: () => boolean): Promise<void> {
  const change = async (method: string, path: string, body?: unknown) => {
    const { answer } = await journal.change({ method, path, body, token }, method === 'POST')
    return answer?.body
  }
  for (let number = 0; !isOver(); number++) {
    const mark = randomBytes(5).toString('hex')
    const make = (name: string) => change('POST', '/api/admin/users', { email: `${name}-${mark}@example.com`, name })
    const [eve, fay, gil] = [await make('eve'), await make('fay'), await make('gil')]
    const { id, slug } = await change('POST', '/api/admin/organizations', { name: `Guild ${mark}`, ownerId: eve.id })
    const join = (user: { id: string }) =>
      change('POST', `/api/admin/organizations/${id}/members`, { userId: user.id, role: 'member' })
    const [second, third] = [await join(fay), await join(gil)]
    const path = `/api/organizations/${id}`
    await change('PATCH', `${path}/members/${second.id}`, { status: 'suspended' })
    await change('PATCH', `${path}/members/${third.id}`, { role: 'admin' })
    await change('PATCH', `/api/admin/organizations/${id}`, { name: `Guild ${mark} & Co.` })
    await change('PATCH', `/api/admin/users/${gil.id}`, { status: 'suspended', name: 'Gil the Second' })
    if (number % 2 === 0) await change('PATCH', `${path}/members/${second.id}`, { status: 'active' })
    if (number % 3 === 0) {
      await change('DELETE', `${path}/members/${second.id}`)
      await join(fay)
    }
    if (number % 3 === 1) await change('DELETE', `/api/admin/users/${gil.id}`)
    if (number % 4 === 3) await change('DELETE', `/api/admin/organizations/${id}`, { confirm: slug })
  }
}

test('copies that are killed at each of their steps are equal to the lists, though the service is killed, too', async (t) => {
  const stage = await raise(t)
  const { journal, postgres, services } = stage
  const [service = assert.fail()] = services
  const env = { DATABASE_URL: postgres.url(), GUILDHALL_SECRET: 'a secret that is only used for faults' }
  const make = (scopes: string) => makeKey({ url: service.url, env, scopes })
  const [key, administratorsKey] = [await make(scopes), await make(administratorsScopes)]
  const open = () => makeCopy({ url: service.url, key }, postgres.query, postgres.url())
  const copies = [await open(), await open()]

  let isOver = false
  const load = stage.load(1)
  const administrator = administer(journal, administratorsKey, () => isOver)
  administrator.catch(() => {}) // reported at the end
  const changed = async (count: number) => {
    const before = journal.attempts.length
    await until(() => journal.attempts.length >= before + count, 'changes')
  }
  await changed(40)

  let killed = 0
  const killService = async () => {
    for (let round = 1; round <= 7; round++) {
      await until(() => killed >= 2 * round, 'the copy to be killed')
      await changed(5)
      await service.kill()
      await service.start()
    }
  }
  const killCopy = async (copy: Awaited<ReturnType<typeof open>>, index: number) => {
    for (const kill of kills[index] ?? []) {
      while ((await copy.start(kill).ended) !== 'SIGKILL'); // it ends by itself if the service is down too long
      killed++
    }
  }
  await Promise.all([killService(), ...copies.map(killCopy)])
  isOver = true
  await Promise.all([load.finish(), administrator])

  for (const copy of copies) {
    await copy.catchUp()
    const rows = await copy.rows()
    assert.deepEqual(rows, await copy.lists())
    const states = new Set(rows.members?.map(([, , , role, status]) => `${role} ${status}`))
    assert.deepEqual([...states].sort(), ['admin active', 'member active', 'member suspended', 'owner active'])
  }
  t.diagnostic(`${killed} and 7 killed; ${journal.attempts.length} changes`)
})

test('the commands of the page are those that make its folder and start its program', () => {
  const { version } = JSON.parse(readFileSync(join(root, 'client/package.json'), 'utf8'))
  assert.deepEqual(
    commands.slice(2).map(({ command }) => command),
    [
      'npm run client',
      'mkdir ../sync',
      'npm pack ./client/dist --pack-destination ../sync',
      'cd ../sync',
      'npm init --yes',
      `npm install pg ./guildhall-client-${version}.tgz`,
      'export DATABASE_URL=postgresql://product@localhost/product',
      'node sync.mjs',
    ],
  )
})

test('a table of the product that has the name of one of the copy stays as it is', async () => {
  const { ann, copy } = await open()
  await copy.start('commit 1 after').ended

  assert.ok((await copy.rows()).users?.some(([id]) => id === ann.id))
  assert.deepEqual(await copy.productsUsers(), [{ id: 'gil' }])
})

test('a member who was suspended before the first reading is in the copy', async () => {
  const { ann, path, members, copy } = await open()
  await ann.patch(`${path}/members/${members.cleo.id}`, { status: 'suspended' })
  await copy.start('commit 1 after').ended

  const { members: copied } = await copy.rows()
  assert.equal(copied?.find(([, , id]) => id === members.cleo.id)?.[4], 'suspended')
})

test('an organization that is renamed while pages are read is in the copy, also before its event is read', async () => {
  const { tess, ann, copy } = await open()
  // More than fit on a page, and the last one in both orders.
  const names = Array.from({ length: 110 }, (_, index) => `Club ${`${index}`.padStart(3, '0')}`)
  const made: string[] = []
  for (const name of names) {
    const { status, body } = await tess.post('/api/admin/organizations', { name, ownerId: ann.id })
    assert.equal(status, 201)
    made.push(body.id)
  }
  const release = await copy.holdAt('organizations', `${made[0]}`)
  const copying = copy.start('commit 1 after')
  await copy.waits('insert into organizations')
  assert.equal((await tess.patch(`/api/admin/organizations/${made.at(-1)}`, { name: 'A club' })).status, 200)
  await release()
  await copying.ended

  assert.deepEqual(await copy.rows(), await copy.lists())
})

test('after the expiry of events that it has not read, the copy is what the lists have', async () => {
  const { ann, path, members, tenantId, copy } = await open()
  await copy.start('commit 1 after').ended
  await ann.patch(path, { name: 'Renamed' })
  await ann.delete(`${path}/members/${members.cleo.id}`)
  await copy.isBehind()
  const { query } = world.postgres
  await query('delete from feed where tenant_id = $1', [tenantId])
  await query('update feeds set trimmed = head where tenant_id = $1', [tenantId])

  await copy.catchUp()
  assert.deepEqual(await copy.rows(), await copy.lists())
})

test('an account that was deleted while the copy was off is gone from it', async () => {
  const { cleo, tess, ann, path, members, copy } = await open()
  await copy.start('commit 1 after').ended
  // The membership has ended before, and so its event does not say whose it was.
  await ann.delete(`${path}/members/${members.cleo.id}`)
  await tess.delete(`/api/admin/users/${cleo.id}`)

  await copy.catchUp()
  const rows = await copy.rows()
  assert.deepEqual(rows, await copy.lists())
  assert.ok(!JSON.stringify(rows).includes(cleo.id))
})

test('after an import, and after a deletion that no longer says of whom, the lists are read again', async () => {
  const { cleo, dan, tess, tenantId, copy } = await open()
  await copy.start('commit 1 after').ended
  const { query } = world.postgres
  await tess.delete(`/api/admin/users/${cleo.id}`)
  await copy.isBehind()
  await query('update feed set tombstone = null where tenant_id = $1', [tenantId])
  await copy.catchUp()
  assert.deepEqual(await copy.rows(), await copy.lists())

  await query(`update users set name = 'Imported' where id = $1`, [dan.id])
  await world.database.inTenant(tenantId, (sql) =>
    record(sql, operator, 'tenant.imported', { target: { type: 'tenant', id: tenantId }, details: { users: 1 } }),
  )
  await copy.catchUp()
  assert.deepEqual(await copy.rows(), await copy.lists())
})

test('a copy that is newer than Guildhall is right again after the lists were read', async () => {
  const { ann, path, tenantId, copy } = await open()
  await copy.start('commit 1 after').ended
  const { query } = world.postgres
  // As a restore would, which leaves no event.
  await query(`update organizations set name = 'As in the backup' where tenant_id = $1`, [tenantId])
  await query(`update invitations set membership_id = null where tenant_id = $1`, [tenantId])
  await query(`delete from memberships where tenant_id = $1 and role = 'member'`, [tenantId])
  await ann.patch('/api/users/me', { name: 'Ann Lee' })
  await copy.catchUp()
  assert.notDeepEqual(await copy.rows(), await copy.lists(), path)

  await copy.readAgain()
  await copy.catchUp()
  assert.deepEqual(await copy.rows(), await copy.lists())
})

test('a second process waits until the first has ended, and then goes on from its place', async () => {
  const { ann, path, copy } = await open()
  const first = copy.start()
  await copy.isDone(first)
  const second = copy.start()
  await copy.waits('pg_advisory_lock')
  await stop(first, 'SIGKILL')
  await ann.patch(path, { name: 'Renamed' })

  await copy.isDone(second)
  assert.deepEqual(await copy.rows(), await copy.lists())
  await stop(second, 'SIGKILL')
})
