/** docs/operate/backup.md in practice: a service loses everything, and its backup restores it. */
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { chown, mkdtemp, realpath, rm, symlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { setTimeout } from 'node:timers/promises'
import { promisify } from 'node:util'
import pg from 'pg'
import { makeAccessToken } from '../src/domain/applications/grant-tokens.ts'
import { Keyring } from '../src/platform/cryptography.ts'
import { type Cluster, getCluster } from '../src/platform/database/embedded-cluster.ts'
import { run } from '../src/platform/database/embedded-programs.ts'
import { startServer, stopServer } from '../src/platform/database/embedded-server.ts'
import { newId, uuidToTenantId } from '../src/platform/http/schemas.ts'
import { readConfig } from '../src/platform/settings/config.ts'
import { type Service, startService } from '../src/process/serve.ts'
import { partsOf } from './jwt.ts'
import { startReceiver } from './logouts.ts'
import { freePort } from './ports.ts'
import { findPrograms } from './postgres-programs.ts'
import { get, makeFolder, post, run as runProcess } from './processes.ts'
import { type Sink, startSink, until } from './smtp.ts'
import { type Json, password } from './world.ts'

const secret = 'a secret that is only used in tests'
const documented = readFileSync(join(import.meta.dirname, '../docs/operate/backup.md'), 'utf8')
const programs = findPrograms(['initdb', 'postgres', 'pg_dump', 'pg_restore', 'psql'])
const folder = await makeFolder({ data: true })
const home = join(folder, '.guildhall')

const receiver = await startReceiver()
/** What a webhook is that the document disables. */
const disabled = { status: 'disabled', disabled_because: 'person' }
/** The statement that ends all sessions. */
const [, sessionsOver = ''] = /`(update tenants set sessions_\S+ = now\(\);)`/.exec(documented) ?? []
/** The command that withdraws a signing key again. */
const [, rotation = ''] = /`guildhall (tenant rotate-keys <slug> --now)`/.exec(documented) ?? []

test("a copy of the embedded database's folder restores people, sessions, links, logs and waiting mails", async (t) => {
  const stage = await raise(t, { GUILDHALL_DATA: home, OUTBOUND_PRIVATE: '127.0.0.1' })
  const life = await live(stage)
  const leaked = await signerOf(stage, life.ann)
  await stage.stop()
  const shell = { cwd: folder, BACKUP: await makeBackup(t) }
  const isRefused = (env: Record<string, string>) => assert.rejects(runDocumented('test ! -e', env))
  await runDocumented('test ! -e', shell)
  const [before, empty] = [readdirSync(join(shell.BACKUP, 'postgres')), await makeBackup(t)]
  await isRefused(shell)
  assert.deepEqual(readdirSync(join(shell.BACKUP, 'postgres')), before, 'no copy lies in another')

  // After a first start in an empty folder, the restore needs its folders and their owners.
  for (const lost of [join(home, 'postgres'), home])
    for (const name of readdirSync(lost)) {
      if (name !== 'postgres') await rm(join(lost, name), { recursive: true })
    }
  await runDocumented('data=', shell)
  const rotated = runProcess(rotation.replace('<slug>', 'default').split(' '), { folder })
  assert.equal(await rotated.ended, 0, rotated.err)

  await stage.start()
  await checkLife(stage, life)
  assert.notEqual(await signerOf(stage, life.ann), leaked, 'a key that had leaked signs no more')
  await isRefused({ ...shell, BACKUP: empty })
  assert.deepEqual(readdirSync(empty), [], 'of a server that runs there is no copy')
  const url = await runDocumented('password=', shell, 'echo -n "$BACKUP_URL"')
  const { application, holder } = await addGrant(stage, url, life.ann)
  assert.equal((await holder()).status, 200)
  await query(url, sessionsOver)
  assert.equal((await get(stage, '/api/users/me', life.ann)).status, 401)
  assert.equal((await holder()).status, 401)
  await query(url, `select graphile_worker.add_job('keep_retention')`)
  const retention = `select from graphile_worker.jobs where task_identifier = 'keep_retention'`
  await until(async () => (await query(url, retention)).length === 0, 'retention, which deletes no such session')
  await query(url, `select graphile_worker.add_job('expire_sessions')`)
  await until(() => receiver.to(application).length > 0, 'the application to be told')
  const { body } = await post(stage, '/api/auth/sign-in', { email: 'ann@example.com', password })
  const again = { authorization: `Bearer ${body.session.token}` }
  assert.equal((await get(stage, '/api/users/me', again)).status, 200, 'a later session lives')

  await query(
    url,
    `insert into webhooks (tenant_id, id, name, url, place) select id, 'whk_1', 'Billing', 'https://…', 0 from tenants`,
  )
  const { application: real } = await addGrant(stage, url, again)
  await query(url, blockOf('update webhooks'))
  assert.deepEqual(await query(url, 'select status, disabled_because from webhooks'), [disabled])
  await query(url, sessionsOver)
  await query(url, `select graphile_worker.add_job('expire_sessions')`)
  const unsent = `select from graphile_worker.jobs where task_identifier in ('expire_sessions', 'send_logout')
    union all select from outbox`
  await until(async () => (await query(url, unsent)).length === 0, 'the end of the sessions')
  assert.deepEqual(await query(url, 'select from grants where ended_at is null'), [], 'the grant has ended')
  assert.deepEqual(receiver.to(real), [], 'a copy tells no application')
  await query(url, `update webhooks set status = 'active', disabled_because = null`)
  await stage.stop()
  await symlink(join(import.meta.dirname, '../node_modules'), join(folder, 'node_modules'))
  await runDocumented('data=$(readlink -f .guildhall/postgres)\npostgres=', shell, '', asOwner)
  await stage.start()
  const now = await runDocumented('password=', shell, 'echo -n "$BACKUP_URL"')
  assert.deepEqual(await query(now, 'select status, disabled_because from webhooks'), [disabled])
})

test('a pg_dump taken during writes restores an external PostgreSQL, and people erased since are found', {
  skip: programs === undefined && missing(),
}, async (t) => {
  const superuser = await startPostgres(t)
  const place = (name: string, word: string) =>
    Object.assign(new URL(superuser), { username: name, password: word, pathname: '/guildhall' }).href
  const DATABASE_URL = place('guildhall', 'change-me')
  const makeDatabase = () =>
    query(superuser, `create database guildhall owner guildhall encoding 'UTF8' template template0`)
  await query(superuser, `create role guildhall login nosuperuser nobypassrls password 'change-me'`)
  await makeDatabase()
  for (const statement of blockOf('create role guildhall_backup').split(';')) await query(superuser, statement)

  const stage = await raise(t, { DATABASE_URL, GUILDHALL_SECRET: secret })
  const life = await live(stage)
  const shell = { BACKUP: await makeBackup(t), BACKUP_URL: place('guildhall_backup', 'change-me-too'), DATABASE_URL }
  let isOver = false
  const writing = (async () => {
    for (let number = 0; !isOver; number++, await setTimeout(20))
      assert.equal((await post(stage, '/api/organizations', { name: `Hall ${number}` }, life.ben)).status, 201)
  })()
  await runDocumented('pg_dump --format', shell)
  isOver = true
  await writing
  const { status } = await fetch(`${stage.url}/api/users/me`, {
    method: 'DELETE',
    headers: { 'content-type': 'application/json', ...life.cleo },
    body: JSON.stringify({ password }),
  })
  assert.equal(status, 200)
  await runDocumented('psql "$BACKUP_URL" -Atc', shell)

  await stage.stop()
  const restore = async (beginning: string) => {
    await query(superuser, 'drop database guildhall')
    await makeDatabase()
    await runDocumented(beginning, shell)
    await stage.start()
  }
  await restore('pg_restore --no-owner') // as it is for an older server
  assert.equal((await get(stage, '/api/users/me', life.cleo)).status, 200)
  await stage.stop()
  await restore('pg_restore --exit-on-error')
  await checkLife(stage, life)
  const back = await get(stage, '/api/users/me', life.cleo)
  assert.equal(back.status, 200, 'the erased person is back')
  assert.equal(await runDocumented('psql "$BACKUP_URL" -At -v', shell), `default|${back.body.id}\n`)
  await stage.stop()
})

interface Stage {
  readonly url: string
  readonly sink: Sink
  start(): Promise<void>
  stop(): Promise<void>
}

/** A service that can be stopped and restarted, with a mail server that can be stopped too. */
async function raise(t: TestContext, settings: Record<string, string>): Promise<Stage> {
  const [sink, port] = [await startSink(), await freePort()]
  const mail = { SMTP_URL: `smtp://127.0.0.1:${sink.port}`, MAIL_FROM: 'Guildhall <no-reply@guildhall.example>' }
  const config = readConfig({ ...settings, ...mail, PORT: String(port), LIMITS: 'off' })
  let service: Service | undefined
  const stage = {
    url: `http://127.0.0.1:${port}`,
    sink,
    start: async () => {
      service = await startService(config, false)
    },
    stop: async () => {
      await service?.stop()
      service = undefined
    },
  }
  await stage.start()
  t.after(async () => {
    await stage.stop()
    await sink.stop()
  })
  return stage
}

type Headers = Record<'authorization', string>

/** The data that the restore must bring back. */
interface Life {
  readonly ann: Headers
  readonly ben: Headers
  readonly cleo: Headers
  readonly left: Headers
  readonly links: Readonly<Record<string, string>>
  readonly seen: Readonly<Record<string, Json>>
}

async function live(stage: Stage): Promise<Life> {
  const links: Record<string, string> = {}
  const join = async (name: string): Promise<Headers> => {
    const email = `${name}@example.com`
    const { body } = await post(stage, '/api/auth/sign-up', { email, password, name })
    const [mail] = await stage.sink.to(email)
    links[name] = /#token=(\S+)/.exec(mail?.mail.text ?? '')?.[1] ?? ''
    return { authorization: `Bearer ${body.session.token}` }
  }
  const [ann, ben, cleo] = [await join('ann'), await join('ben'), await join('cleo')]
  const verified = await post(stage, '/api/auth/verify-email', { token: links.ann }, ann)
  assert.equal(verified.status, 200)
  const { body: organization } = await post(stage, '/api/organizations', { name: 'Acme' }, ann)
  const path = `/api/organizations/${organization.id}`
  const again = await post(stage, '/api/auth/sign-in', { email: 'ben@example.com', password })
  const left = { authorization: `Bearer ${again.body.session.token}` }
  assert.equal((await post(stage, '/api/auth/sign-out', undefined, left)).status, 204)

  await stage.sink.stop()
  assert.equal((await post(stage, `${path}/invites`, { email: 'dan@example.com' }, ann)).status, 201)
  // The first use of the membership is noted after its answer.
  const isNoted = async () => (await get(stage, `${path}/members`, ann)).body.data[0].lastActiveAt !== null
  await until(isNoted, 'the activity to be noted')
  const seen: Record<string, Json> = {}
  for (const read of ['/api/organizations', `${path}/members`, `${path}/invites`, `${path}/audit`])
    seen[read] = (await get(stage, read, ann)).body
  return { ann, ben, cleo, left, links, seen }
}

async function checkLife(stage: Stage, { ann, ben, left, links, seen }: Life): Promise<void> {
  await stage.sink.start()
  for (const [path, body] of Object.entries(seen)) assert.deepEqual((await get(stage, path, ann)).body, body, path)
  assert.equal((await get(stage, '/api/users/me', left)).status, 401, 'who had signed out is out')
  assert.equal((await post(stage, '/api/auth/sign-in', { email: 'ann@example.com', password })).status, 200)
  assert.equal((await post(stage, '/api/auth/verify-email', { token: links.ann }, ann)).status, 410)
  assert.equal((await post(stage, '/api/auth/verify-email', { token: links.ben }, ben)).status, 200)
  assert.equal((await post(stage, '/api/organizations', { name: 'New' }, ben)).status, 201)
  await stage.sink.to('dan@example.com') // the mail that waited in the queue
}

/** @returns the id of the key that signs the person's tokens */
async function signerOf(stage: Stage, person: Headers): Promise<string> {
  const { body } = await post(stage, '/api/tokens', undefined, person)
  return partsOf(body.token).header.kid
}

/** Adds an application that is told of ends, and a grant of somebody's session. @returns its id, and what it sends with its access token */
async function addGrant(stage: Stage, url: string, person: Headers) {
  const [application, grantId] = [newId('app'), newId('gra')]
  const [found] = await query(url, 'select id from tenants')
  const { id: tenant } = found ?? {}
  const { body } = await get(stage, '/api/users/me/devices', person)
  const session = body.data.find(({ current }: Json) => current).id
  await query(
    url,
    `insert into applications (tenant_id, id, name, kind, redirect_uris, post_logout_uris, scopes, back_channel_logout_uri)
     values ($1, $2, 'Notes', 'server', '{https://app.example.com/}', '{}', '{openid}', $3)`,
    [tenant, application, `${receiver.origin}/${application}`],
  )
  await query(
    url,
    `insert into grants (tenant_id, id, session_id, application_id, code_hash, scopes)
     values ($1, $2, $3, $4, convert_to($2, 'UTF8'), '{openid}')`,
    [tenant, grantId, session, application],
  )
  const keyring = new Keyring([readFileSync(join(home, 'secret'), 'utf8').trim()])
  const token = makeAccessToken(keyring, { tenant, grantId, end: Math.floor(Date.now() / 1_000) + 3_600 })
  const holder = () =>
    get(stage, `/api/tenants/${uuidToTenantId(tenant)}/userinfo`, { authorization: `Bearer ${token}` })
  return { application, holder }
}

/** The document's block that begins with these words. */
function blockOf(beginning: string): string {
  const blocks = [...documented.matchAll(/^ *```(?:sh|sql)\n(.*?)^ *```/gms)].map(([, block = '']) =>
    block.replace(/^ {2}/gm, ''),
  )
  return blocks.find((block) => block.startsWith(beginning)) ?? assert.fail(`no block begins with ${beginning}`)
}

/** PostgreSQL does not run as root. */
const asOwner = (block: string) =>
  process.getuid?.() === 0
    ? block.replace('"$postgres" --', 'env -C / runuser -u "$(stat -c %U "$data")" -- $&')
    : block

/** @param then commands that follow it @param change what is changed of it. @returns the output */
async function runDocumented(
  beginning: string,
  { cwd, ...env }: Record<string, string>,
  then = '',
  change = (block: string) => block,
): Promise<string> {
  const PATH = [programs, process.env.PATH].filter(Boolean).join(delimiter)
  const options = { env: { PATH, ...env }, ...(cwd !== undefined && { cwd }) }
  return (await promisify(execFile)('bash', ['-euc', `${change(blockOf(beginning))}${then}`], options)).stdout
}

async function makeBackup(t: TestContext): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'guildhall-backup-'))
  t.after(() => rm(folder, { recursive: true }))
  return folder
}

function missing(): string {
  const said = 'No PostgreSQL with pg_dump is found, which this needs. Debian: apt-get install postgresql'
  if (process.env.CI === 'true') throw new Error(said)
  console.error(`SKIPPED a drill of ${import.meta.filename}: ${said}`)
  return said
}

/** A server of the installed PostgreSQL. @returns the URL of its superuser */
async function startPostgres(t: TestContext): Promise<string> {
  const { owner } = await getCluster(home, { sync: false }) // the user that runs a server here
  const { uid = -1, gid = -1 } = owner
  const place = await realpath(await mkdtemp(join(tmpdir(), 'guildhall-postgres-')))
  await chown(place, uid, gid)
  const binaries = programs ?? ''
  const cluster: Cluster = {
    home: place,
    path: join(place, 'data'),
    binaries,
    owner,
    passwords: { superuser: '', guildhall: '' },
  }
  const access = [
    '--username=postgres',
    '--auth=trust',
    '--encoding=UTF8',
    '--locale=C',
    '--no-sync',
    '--wal-segsize=1',
  ]
  await run(join(binaries, 'initdb'), [`--pgdata=${cluster.path}`, ...access], owner)
  const port = await startServer(cluster, { fsync: 'off', autovacuum: 'off', shared_buffers: '16MB' })
  t.after(async () => {
    await stopServer(cluster)
    await rm(place, { recursive: true })
  })
  return `postgresql://postgres@127.0.0.1:${port}/postgres`
}

async function query(url: string, text: string, values: readonly unknown[] = []): Promise<Json[]> {
  const client = new pg.Client(url)
  await client.connect()
  const { rows } = await client.query(text, [...values]).finally(() => client.end())
  return rows
}
