/** A stop of the service: what waits for what. */
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { createDatabase } from '../../test/database.ts'
import { hold } from '../../test/holding.ts'
import { makeFolder, post, start, stop } from '../../test/processes.ts'
import { queueIsDone } from '../../test/queue.ts'
import { startSink, until } from '../../test/smtp.ts'
import { password } from '../../test/world.ts'

test('a stopping service takes no more jobs while it finishes its requests', async (t) => {
  const postgres = await createDatabase()
  after(() => postgres.drop())
  const { query } = postgres
  const env = { DATABASE_URL: postgres.url, GUILDHALL_SECRET: 'a secret that is only used in tests' }
  const service = await start({ folder: await makeFolder(), env })
  t.after(() => service.child.kill('SIGKILL'))
  const { body } = await post(service, '/api/auth/sign-up', { email: 'ann@example.com', password })

  const listeners = async () => {
    await query('select pg_stat_clear_snapshot()') // a transaction looks once otherwise
    const listening = `select from pg_stat_activity where datname = current_database() and query ilike 'listen%'`
    return (await query(listening)).length
  }
  await queueIsDone(postgres) // a job may wait for the person, too
  await until(async () => (await listeners()) === 1, 'the worker to listen')

  const release = await hold(t, postgres, 'select from users for update')
  const changed = fetch(`${service.url}/api/users/me`, {
    method: 'PATCH',
    headers: { authorization: `Bearer ${body.session.token}`, 'content-type': 'application/json' },
    body: '{"name":"Ann"}',
  })
  const isWaiting = async () => (await postgres.waiting('from users where%for no key update')).length === 1
  await until(isWaiting, 'the request to wait for its person')
  const stopped = stop(service)
  await until(async () => (await listeners()) === 0, 'the worker to leave the queue')
  await release()

  assert.equal((await changed).status, 200)
  assert.equal(await stopped, 0)
})

test('a stopping service hangs up on a mail server that keeps a mail, and leaves the mail to the next process', async (t) => {
  const [postgres, sink] = await Promise.all([createDatabase(), startSink()])
  after(() => Promise.all([postgres.drop(), sink.stop()]))
  const service = await start({
    folder: await makeFolder(),
    env: {
      DATABASE_URL: postgres.url,
      GUILDHALL_SECRET: 'a secret that is only used in tests',
      SMTP_URL: `smtp://127.0.0.1:${sink.port}?socketTimeout=600000`,
      MAIL_FROM: 'Guildhall <no-reply@guildhall.example>',
    },
  })
  t.after(() => service.child.kill('SIGKILL'))
  sink.manner = 'stall'
  await post(service, '/api/auth/sign-up', { email: 'ann@example.com', password })
  await until(() => sink.waiting === 1, 'the mail to be under way')

  assert.equal(await stop(service), 0)

  const jobs = await postgres.query(
    `select task_identifier as task, attempts, locked_at as held from graphile_worker.jobs where task_identifier = 'send_mail'`,
  )
  assert.deepEqual(jobs, [{ task: 'send_mail', attempts: 1, held: null }])
})
