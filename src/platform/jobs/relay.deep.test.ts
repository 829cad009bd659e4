/** The relay of a process that is killed. */
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { root, start, stop } from '../../../test/processes.ts'
import { outboxIsEmpty, queueIsDone } from '../../../test/queue.ts'
import { startSink } from '../../../test/smtp.ts'
import { createWorld } from '../../../test/world.ts'

const sink = await startSink()
after(() => sink.stop())
const world = await createWorld()
const { ann, path } = await world.organization()
const env = {
  DATABASE_URL: world.postgres.url,
  GUILDHALL_SECRET: randomBytes(32).toString('hex'),
  SMTP_URL: `smtp://127.0.0.1:${sink.port}`,
  MAIL_FROM: 'no-reply@guildhall.example',
  PUBLIC_URL: 'http://127.0.0.1:3000',
  LIMITS: 'off',
}

const steps = ['look', 'add', 'commit']
const moments = ['before', 'while', 'after']
const emails: string[] = []

for (const step of steps) {
  for (const moment of moments) {
    test(`a service that is killed ${moment} its relay’s statement (${step}) has not lost the mail`, async () => {
      const service = await start({
        main: join(root, 'test', 'killed-service.ts'),
        env: { ...env, KILL_AT: `${step} ${moment}` },
      })
      await queueIsDone(world.postgres) // what the service before has left
      const email = `${step}-${moment}-${randomBytes(4).toString('hex')}@example.com`
      emails.push(email)

      await fetch(`${service.url}${path}/invites`, {
        method: 'POST',
        headers: { ...ann.headers, 'content-type': 'application/json' },
        body: JSON.stringify({ email }),
      }).catch(() => {}) // it may have been killed before it answered
      assert.equal(await service.ended, 'SIGKILL')
    })
  }
}

test('the next service sends each mail once, and each event is in the feed once', async () => {
  const service = await start({ env })
  await queueIsDone(world.postgres)
  await outboxIsEmpty(world)
  await stop(service)

  const invited = await world.postgres.query<{ email: string }>('select email from invitations where email = any($1)', [
    emails,
  ])
  assert.equal(invited.length, steps.length * moments.length, 'each change was committed')
  const arrived = sink.arrived.map(({ recipients }) => recipients.join()).filter((email) => emails.includes(email))
  assert.deepEqual(arrived.sort(), [...emails].sort())
  const unlike = await world.postgres.query(
    `select e.id from audit_entries e left join feed f on f.tenant_id = e.tenant_id and f.entry_id = e.id
     group by e.id having count(f.sequence) <> 1`,
  )
  assert.deepEqual(unlike, [])
})
