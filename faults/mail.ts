/** The mail server stalls, refuses, hangs up, or is down. */
import assert from 'node:assert/strict'
import type { TestContext } from 'node:test'
import { setTimeout } from 'node:timers/promises'
import { raise } from './stage.ts'

/** During every failure requests are answered normally, and in the end each mail has arrived. */
export async function failingMailServer(t: TestContext, seconds = 2): Promise<string> {
  const stage = await raise(t)
  const { sink, journal, postgres } = stage
  const load = stage.load()
  for (const manner of [
    'stall',
    { at: 'connect', code: 421 },
    { at: 'mail', code: 451 },
    { at: 'mail', code: 554 },
    { at: 'rcpt', code: 450 },
    { at: 'data', code: 452 },
    'drop',
  ] as const) {
    sink.manner = manner
    await setTimeout(seconds * 1_000)
  }
  await sink.stop()
  await setTimeout(seconds * 1_000)
  await load.finish()
  const unknown = journal.attempts.filter(({ outcome }) => outcome === 'unknown')
  assert.equal(unknown.length, 0, 'requests do not depend on the mail server')
  const [left] = await postgres.query<{ waiting: number }>(
    'select count(*)::integer as waiting from graphile_worker._private_jobs where attempts > 0',
  )
  assert.ok(left && left.waiting > 0, 'no mail was ever refused')
  sink.manner = 'take'
  await sink.start()
  return `${await stage.check({ mostMails: 4 })}; ${left.waiting} waited for the mail server`
}
