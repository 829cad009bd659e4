/** A stop of the service: what waits for what. */
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { createDatabase } from '../../test/database.ts'
import { makeFolder, post, start, stop } from '../../test/processes.ts'
import { until } from '../../test/smtp.ts'
import { password } from '../../test/world.ts'

test('a stopping service takes no more jobs while it finishes its requests', async () => {
  const postgres = await createDatabase()
  after(() => postgres.drop())
  const { ask } = postgres
  const env = { DATABASE_URL: postgres.url, GUILDHALL_SECRET: 'a secret that is only used in tests' }
  const service = await start({ folder: await makeFolder(), env })
  const { body } = await post(service, '/api/auth/sign-up', { email: 'ann@example.com', password })

  await ask('begin')
  await ask('select from users for update')
  const changed = fetch(`${service.url}/api/users/me`, {
    method: 'PATCH',
    headers: { authorization: `Bearer ${body.session.token}`, 'content-type': 'application/json' },
    body: '{"name":"Ann"}',
  })
  await postgres.awaitLine(1)
  const stopped = stop(service)
  await until(async () => {
    await ask('select pg_stat_clear_snapshot()') // a transaction looks once otherwise
    const listening = await ask(
      `select from pg_stat_activity where datname = current_database() and query like 'LISTEN%'`,
    )
    return listening.length === 0
  }, 'the worker to leave the queue')
  await ask('commit')

  assert.equal((await changed).status, 200)
  assert.equal(await stopped, 0)
})
