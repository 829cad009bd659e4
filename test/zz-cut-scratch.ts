import { setTimeout } from 'node:timers/promises'
import { startSink, until } from '/work/main/test/smtp.ts'
import { createWorld } from '/work/main/test/world.ts'
import { openTransport } from '/work/main/src/mail/mail.ts'
import { startWorker } from '/work/main/src/jobs/worker.ts'
import { randomBytes } from 'node:crypto'
import { test } from 'node:test'
const sink = await startSink()
const world = await createWorld({ settings: { SMTP_URL: `smtp://127.0.0.1:${sink.port}?socketTimeout=2000`, MAIL_FROM: 'a@b.c', MAX_PENDING_INVITES: '10000' } })
const { ann, path } = await world.organization()
await world.postgres.ask('delete from graphile_worker._private_jobs')
const t0 = performance.now()
const say = (...a: unknown[]) => console.log(Math.round(performance.now() - t0), ...a)
const f = (l: string) => (o: any, m: string) => say(l, m, o?.err?.message ?? o?.queue?.slice?.(0, 200) ?? '')
const log: any = { info: () => {}, debug: f('debug'), warn: f('warn'), error: f('error') }
test('x', async () => {
  for (let r = 0; r < 6; r++) {
    const { config, database, keyring } = world.app
    const worker = await startWorker({ config, database, keyring, transport: openTransport(config) }, log)
    for (let round = 0; round < 5; round++) {
      if (round % 2 === 0) sink.manner = 'wait'
      for (let i = 0; i < 4; i++) {
        const a = await ann.post(`${path}/invites`, { email: `g${randomBytes(6).toString('hex')}@example.com` })
        if (a.status !== 201) say('INVITE', a.status)
      }
      await until(() => sink.waiting === 4 || sink.manner === 'take', 'w')
      await world.postgres.ask(`select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and application_name = 'guildhall'`)
      sink.manner = 'take'
      await until(async () => (await ann.get('/api/users/me')).status === 200, 'again')
    }
    await until(async () => (await world.postgres.ask('select from graphile_worker._private_jobs')).length === 0, 'empty').catch(async (e) => say(String(e), await world.postgres.ask('select id, locked_by, locked_at, attempts, run_at, now(), last_error from graphile_worker._private_jobs')))
    say('stopping')
    await Promise.race([worker.stop(), setTimeout(15000).then(() => say('STOP HANGS', r))])
    say('stopped', r)
  }
  process.exit(0)
})
