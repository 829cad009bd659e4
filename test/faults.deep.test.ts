/** A short part of `npm run faults`, with real processes. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout } from 'node:timers/promises'
import { loseCommits } from '../faults/network.ts'
import { killedBetweenCommitAndAnswer } from '../faults/service.ts'
import { awaitRecovery, awaitUnready, raise } from '../faults/stage.ts'
import { until } from './smtp.ts'

test('if the service is killed between commit and answer, a retry with the same key gets the stored answer', async (t) => {
  await killedBetweenCommitAndAnswer(t)
})

test('after lost commits, a crash of PostgreSQL and a killed service, acknowledged changes are there, and no other is there in part', async (t) => {
  const stage = await raise(t)
  const { postgres, proxy, services } = stage
  const [service] = services
  assert.ok(service)
  const load = stage.load(4)
  await setTimeout(500)
  const lost = loseCommits(proxy)
  await setTimeout(1_500)
  await until(() => Object.values(lost).some((count) => count > 0), 'a commit to be lost')
  proxy.inspect = undefined

  await postgres.end('SIGKILL')
  await awaitUnready(service)
  await postgres.start()
  await awaitRecovery(stage, performance.now())

  await setTimeout(500)
  await stage.later(load)
  t.diagnostic(await stage.check({ mostMails: 4 }))
})
