/** The network between client, service and PostgreSQL loses, delays or forgets data. */
import assert from 'node:assert/strict'
import type { TestContext } from 'node:test'
import { setTimeout } from 'node:timers/promises'
import { startProxy, type Wire } from '../test/proxy.ts'
import { send } from './requests.ts'
import { awaitRecovery, awaitUnready, raise, signUp } from './stage.ts'

/** Connections are reset when a commit is sent, when it arrives, or when its answer returns. */
export async function resetInCommit(t: TestContext, seconds = 8): Promise<string> {
  const stage = await raise(t)
  const load = stage.load()
  await setTimeout(500)
  const lost = loseCommits(stage.proxy)
  await setTimeout(seconds * 1_000)
  stage.proxy.inspect = undefined
  const recovered = await awaitRecovery(stage, performance.now())
  await setTimeout(500)
  await load.finish()
  const counts = Object.entries(lost).map(([when, count]) => `${count} ${when}`)
  for (const count of Object.values(lost)) assert.ok(count > 0, `too little was lost: ${counts}`)
  return `${await stage.check({ mostMails: 10 })}; commits lost: ${counts.join(', ')}; ${recovered}`
}

/** Loses three of thirteen commits from now on. @returns the number of losses by their place */
export function loseCommits(proxy: Wire): Readonly<Record<string, number>> {
  const lost = { 'on the way': 0, 'as they arrived': 0, 'before their answer': 0 }
  let commits = 0
  proxy.inspect = (from, piece) => {
    const turn = commits % 13
    if (from === 'server') {
      if (!piece.includes('COMMIT\0') || turn !== 1) return 'pass'
      lost['before their answer']++
      return 'lose'
    }
    if (!piece.includes('commit\0')) return 'pass'
    commits++
    if (turn === 4) lost['on the way']++
    if (turn === 8) lost['as they arrived']++
    return turn === 4 ? 'lose' : turn === 8 ? 'pass and lose' : 'pass'
  }
  return lost
}

/** The network to PostgreSQL goes silent: nothing is refused, nothing arrives. Held data arrives late. */
export async function silentNetwork(t: TestContext, seconds = 9): Promise<string> {
  const stage = await raise(t)
  const { proxy, services } = stage
  const load = stage.load()
  const recovered: string[] = []
  for (let round = 0; round < 2; round++) {
    await setTimeout(2_000)
    proxy.manner = 'hold'
    await Promise.all([...services.map(awaitUnready), setTimeout(seconds * 1_000)])
    proxy.manner = 'pass'
    recovered.push(await awaitRecovery(stage, performance.now()))
  }
  await setTimeout(1_000)
  await stage.later(load) // a statement that arrived late may have taken a job
  return `${await stage.check({ mostMails: 3 })}; ${recovered.join(', ')}`
}

/** How long a stop may take in silence, in milliseconds: what was asked of the database is waited for, eleven seconds at most. */
const longestStop = 15_000

/** A service that is asked to stop while the network is silent still ends, and first answers its requests. */
export async function stoppedInSilence(t: TestContext): Promise<string> {
  const stage = await raise(t)
  const { proxy, services } = stage
  const [service] = services
  assert.ok(service)
  const load = stage.load(4)
  await setTimeout(1_500)
  proxy.manner = 'hold'
  await setTimeout(500)
  const asked = performance.now()
  assert.equal(await service.stop(), 0)
  const took = performance.now() - asked
  assert.ok(took < longestStop, `the stop took ${took} ms`)
  proxy.manner = 'pass'
  await service.start()
  await setTimeout(1_000)
  await stage.later(load)
  return `${await stage.check({ mostMails: 3 })}; stopped after ${(took / 1000).toFixed(2)} s`
}

/** Connections that the network has forgotten without closing them: new ones work. */
export async function forgottenConnections(t: TestContext): Promise<string> {
  const stage = await raise(t)
  const { proxy } = stage
  const load = stage.load()
  const recovered: string[] = []
  for (let round = 0; round < 2; round++) {
    await setTimeout(2_000)
    proxy.forget()
    const from = performance.now()
    await setTimeout(7_000) // a query on one is given up after this time
    recovered.push(await awaitRecovery(stage, from + 7_000))
  }
  await setTimeout(1_000)
  await stage.later(load) // a statement that arrived late may have taken a job
  return `${await stage.check({ mostMails: 3 })}; ${recovered.join(', ')}`
}

/** A trip to PostgreSQL and back takes 300 ms: everything takes longer, and nothing is refused or lost. */
export async function distantPostgres(t: TestContext, seconds = 8): Promise<string> {
  const stage = await raise(t)
  const { proxy, journal, services } = stage
  proxy.delay = 150
  const token = await signUp(journal)
  const load = stage.load(4)
  const reads: number[] = []
  for (const end = performance.now() + seconds * 1_000; performance.now() < end; ) {
    const from = performance.now()
    const { status } = await send(services[0]?.url ?? '', { method: 'GET', path: '/api/users/me', token })
    assert.equal(status, 200)
    reads.push(performance.now() - from)
  }
  await load.finish()
  const unknown = journal.attempts.filter(({ lost }) => lost > 0)
  assert.deepEqual(unknown, [], 'a change was not answered')
  proxy.delay = 0
  const middle = reads.sort((one, other) => one - other)[Math.floor(reads.length / 2)] ?? 0
  return `${await stage.check()}; reading one’s own user took ${middle.toFixed(0)} ms`
}

/** Clients lose their connection to the service while the answer is sent, or before the request has arrived. */
export async function lostAnswers(t: TestContext, seconds = 6): Promise<string> {
  const stage = await raise(t)
  const { journal, services } = stage
  const [service] = services
  assert.ok(service)
  const proxy = await startProxy(service.process.port)
  t.after(() => proxy.close())
  journal.urls.splice(0, 1, `http://127.0.0.1:${proxy.port}`)
  let pieces = 0
  let lost = 0
  proxy.inspect = (from) => {
    const isLost = ++pieces % 23 === 0
    if (isLost) lost++
    return !isLost ? 'pass' : from === 'client' ? 'pass and lose' : 'lose'
  }
  const load = stage.load()
  await setTimeout(seconds * 1_000)
  proxy.inspect = undefined
  await load.finish()
  assert.ok(lost > 0)
  return `${await stage.check()}; ${lost} connections lost`
}
