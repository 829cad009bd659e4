/** The clock of one process is wrong and jumps. PostgreSQL's clock decides. */
import assert from 'node:assert/strict'
import { globSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { setTimeout } from 'node:timers/promises'
import { makeFolder } from '../test/processes.ts'
import { type Sent, send } from './requests.ts'
import { raise } from './stage.ts'

const [library] = globSync('/usr/lib/*/faketime/libfaketimeMT.so.1')
const missing = 'libfaketime is missing. Debian: apt-get install libfaketime.'

/** One of two processes is hours and weeks ahead and behind in turn, without any effect. */
export async function jumpingClock(t: TestContext, seconds = 2): Promise<string> {
  if (!library) {
    if (process.env.CI === 'true') throw new Error(missing)
    t.skip(missing)
    return `NOT RUN: ${missing}`
  }
  const file = join(await makeFolder(), 'clock')
  await writeFile(file, '+0')
  const wrong = {
    LD_PRELOAD: library,
    FAKETIME_TIMESTAMP_FILE: file,
    FAKETIME_CACHE_DURATION: '1',
    FAKETIME_DONT_FAKE_MONOTONIC: '1',
  }
  const stage = await raise(t, { services: 2, envOf: (index) => (index === 0 ? wrong : {}) })
  const { services, journal } = stage
  const load = stage.load(4)
  const days = { '+1h': 1 / 24, '-1h': -1 / 24, '+20d': 20, '-20d': -20, '+0': 0 }
  for (const [offset, ahead] of Object.entries(days)) {
    await writeFile(file, offset)
    await setTimeout(1_000 + seconds * 1_000)
    const clock = await clockOf(services[0]?.url ?? '')
    assert.ok(Math.abs(clock - Date.now() - ahead * 86_400_000) < 10_000, `its clock is not at ${offset}`)
    // A session that began by the right clock is neither too old nor too new by the wrong one.
    for (const { ann } of load.stories.slice(0, 5)) {
      const session = ann.sessions.find(({ ended }) => ended === undefined)
      if (!session || ann.deleted) continue
      for (const { url } of services) {
        const me: Sent = { method: 'GET', path: '/api/users/me', token: session.token }
        assert.equal((await send(url, me)).status, 200, `at ${offset}`)
      }
    }
  }
  await load.finish()
  const lost = journal.attempts.filter(({ outcome }) => outcome === 'unknown')
  assert.deepEqual(lost, [], 'a clock is no reason to fail')
  return `${await stage.check()}; the clock at ${Object.keys(days).join(', ')}`
}

/** The process's time, from the Date header of its answers. */
async function clockOf(url: string): Promise<number> {
  const { headers } = await send(url, { method: 'GET', path: '/livez' })
  return Date.parse(`${headers.date}`)
}
