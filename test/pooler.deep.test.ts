/** docs/operate/postgres.md in practice: PgBouncer in transaction mode between the service and PostgreSQL. */
import assert from 'node:assert/strict'
import { spawn, spawnSync } from 'node:child_process'
import { chmodSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { createEmptyDatabase } from './database.ts'
import { freePort } from './ports.ts'
import { get, makeFolder, post, start, stop } from './processes.ts'
import { startSink, until } from './smtp.ts'
import { password } from './world.ts'

const missing =
  spawnSync('pgbouncer', ['--version']).error && 'pgbouncer is missing (Debian: apt-get install pgbouncer)'
if (missing && process.env.CI === 'true') throw new Error(missing)

test('the service runs behind a pooler that reassigns a connection after each transaction', {
  skip: missing,
}, async (t) => {
  const database = await createEmptyDatabase(t)
  const sink = await startSink()
  t.after(() => sink.stop())
  const url = await startPooler(t, database)
  const service = await start({
    folder: await makeFolder(),
    env: {
      DATABASE_URL: url,
      DATABASE_POOLER: 'transaction',
      GUILDHALL_SECRET: 'a secret that is only used in tests',
      SMTP_URL: `smtp://127.0.0.1:${sink.port}`,
      MAIL_FROM: 'Guildhall <no-reply@guildhall.example>',
      LIMIT_SIGN_UP: '1000/60',
      LIMIT_ANONYMOUS: '10000/60',
    },
  })

  const people = await Promise.all(
    Array.from({ length: 12 }, async (_, number) => {
      const email = `person-${number}@example.com`
      const { status, body } = await post(service, '/api/auth/sign-up', { email, password, name: `Person ${number}` })
      assert.equal(status, 201)
      return { email, name: `Person ${number}`, authorization: `Bearer ${body.session.token}` }
    }),
  )
  await Promise.all(
    people.map(async ({ email, name, authorization }) => {
      for (let round = 0; round < 10; round++) {
        const [me, made] = await Promise.all([
          get(service, '/api/users/me', { authorization }),
          post(service, '/api/organizations', { name: `${name}’s hall ${round}` }, { authorization }),
        ])
        assert.deepEqual([me.status, me.body.email, made.status], [200, email, 201])
      }
      const { body } = await get(service, '/api/organizations', { authorization })
      assert.equal(body.data.length, 10)
    }),
  )
  await until(() => sink.arrived.length === people.length, 'every mail')
  assert.equal(await stop(service), 0)
})

/** @returns the pooler's URL for `postgres` */
async function startPooler(t: TestContext, postgres: URL): Promise<string> {
  const folder = await makeFolder()
  const port = await freePort()
  const documented = readFileSync(join(import.meta.dirname, '../docs/operate/postgres.md'), 'utf8')
  const [, settings = ''] = /```ini\n(.*?)```/s.exec(documented) ?? []
  const [file, users] = [join(folder, 'pgbouncer.ini'), join(folder, 'users.txt')]
  const own: Readonly<Record<string, string>> = {
    listen_port: String(port),
    auth_file: users,
    guildhall: `host=${postgres.hostname} port=${postgres.port} dbname=${postgres.pathname.slice(1)}`,
  }
  writeFileSync(
    file,
    settings.replace(/^(\w+) = .*$/gm, (line, name: string) => (own[name] ? `${name} = ${own[name]}` : line)),
  )
  writeFileSync(users, `"${postgres.username}" "${decodeURIComponent(postgres.password)}"\n`)
  for (const each of [folder, file, users]) chmodSync(each, 0o755)
  const isRoot = process.getuid?.() === 0
  const pooler = spawn('pgbouncer', [...(isRoot ? ['--user', 'nobody'] : []), file], {
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  let said = ''
  pooler.stderr.on('data', (text) => (said += text))
  t.after(() => pooler.kill('SIGKILL'))
  await until(() => {
    assert.equal(pooler.exitCode, null, said)
    return said.includes('process up')
  }, 'the pooler')
  return Object.assign(new URL(postgres), { port: String(port), pathname: '/guildhall' }).href
}
