/** Applications that do not answer, however many: what they delay, and what becomes of their logouts. Tests hold them open by hand. */
import assert from 'node:assert/strict'
import { afterEach, test } from 'node:test'
import { onLogouts, startReceiver } from '../../../test/logouts.ts'
import { queueIsDone } from '../../../test/queue.ts'
import { until } from '../../../test/smtp.ts'
import { createWorld, password, wakeWorkers } from '../../../test/world.ts'
import { listen, toldOfLogout } from '../../platform/channels.ts'
import type { Worker } from '../../platform/jobs/worker.ts'
import { Outbound } from '../../platform/outbound/outbound.ts'

const world = await createWorld({ settings: { OUTBOUND_PRIVATE: '127.0.0.1' } })
const receiver = await startReceiver()
const { jobs, lastLogout, makeApplication, makeGrant, sessionOf, told } = onLogouts(world, receiver)
const { query } = world.postgres
/** Gives up nothing by itself. */
const { fetch: send } = new Outbound(['127.0.0.1'], { headers: 3_600_000, all: 3_600_000, placesForHost: 32 })
const workers: Worker[] = []
let dead: readonly string[] = []

const work = async () => workers.push(await world.startWorker({ send }))
const stopWorkers = () => Promise.all(workers.splice(0).map((worker) => worker.stop()))
const held = () => dead.reduce((sum, each) => sum + receiver.waiting(each), 0)

afterEach(async () => {
  answerAgain()
  await stopWorkers()
  await query('delete from graphile_worker._private_jobs')
})

test('two dozen applications that do not answer take four places, and delay neither others nor mails', async () => {
  await work()
  await failing(24)
  stopAnswering()
  const session = await signOutOf(dead)
  await until(() => held() === 4, 'four of them to be asked')

  const alive = await makeApplication()
  for (const count of [1, 2, 3]) {
    await signOutOf([alive])
    await told(alive, count)
  }
  const ben = await world.person()
  await world.nobody.post('/api/auth/forgot-password', { email: ben.email })
  await world.mailedToken(ben.email, 'reset-password')

  assert.equal(held(), 4, 'the others were served beside them')
  const ofSession = (await jobs()).filter(({ payload }) => payload.sessionId === session)
  const untried = ofSession.filter(({ attempts }) => attempts === 0)
  assert.equal(ofSession.length, 24)
  assert.ok(untried.length >= 20, 'to wait is no attempt')
})

test('an application that answers again is at once told everything, beside those that do not', async () => {
  await work()
  await failing(24)
  stopAnswering()
  const sessions = [await signOutOf(dead), await signOutOf(dead), await signOutOf(dead)]
  await until(() => held() === 4, 'four of them to be asked')
  const [recovered = ''] = dead.filter((each) => receiver.waiting(each) > 0)

  receiver.manners.delete(recovered)
  receiver.answerWaiting(recovered, 204)

  const sessionsTold = () => new Set(receiver.to(recovered).map(({ claims }) => claims.sid))
  await until(() => sessions.every((each) => sessionsTold().has(each)), 'the application to be told of every session')
  await until(() => held() === 4, 'another one to be asked in its place')
  const next = await signOutOf([recovered])
  await until(() => sessionsTold().has(next), 'the application to be told of the next session')
  assert.equal(held(), 4, 'it was told beside them')
})

test('a worker that starts knows which applications do not answer, and loses no logout', async () => {
  await work()
  const first = await failing(24)
  await stopWorkers()
  stopAnswering()
  const second = await signOutOf(dead)
  const alive = await makeApplication()
  await work()
  await until(() => held() === 4, 'four of them to be asked')

  await signOutOf([alive])
  await told(alive)

  assert.equal(held(), 4)
  answerAgain()
  await queueIsDone(world.postgres)
  for (const each of dead) {
    const sessions = new Set(receiver.to(each).map(({ claims }) => claims.sid))
    assert.deepEqual([...sessions].sort(), [first, second].sort())
  }
})

test('a logout that waits for an application goes out when the application takes another one', async () => {
  await work()
  const { application, first, second } = await waiting()

  receiver.manners.delete(application)

  await queueIsDone(world.postgres)
  const sessions = receiver.to(application).map(({ claims }) => claims.sid)
  assert.deepEqual(sessions.slice(-2), [first, second])
})

test('an application that refuses one logout still gets the others', async () => {
  await work()
  const { application, first, second } = await waiting(400)

  const told = () => receiver.to(application).map(({ claims }) => claims.sid)
  await until(() => told().includes(second), 'the application to be told of the other session')
  assert.equal(told()[0], first)
})

test('a logout that waits goes to another address as soon as there is one', async () => {
  await work()
  const { application, second } = await waiting()
  const elsewhere = await makeApplication()
  const tess = await world.tenantAdmin()

  const changed = await tess.patch(`/api/admin/applications/${application}`, {
    backChannelLogoutUri: `${receiver.origin}/${elsewhere}`,
  })

  assert.equal(changed.status, 200)
  const told = () => receiver.to(elsewhere).map(({ claims }) => claims.sid)
  await until(() => told().includes(second), 'the other address to be told')
})

test('when a logout is given up, the one that waits is tried', async () => {
  await work()
  const { application, first, second } = await waiting()
  await query(
    `update graphile_worker._private_jobs
     set payload = jsonb_set(payload::jsonb, '{endedAt}', to_jsonb(now() - interval '1 day'))::json
     where payload ->> 'sessionId' = $1`,
    [first],
  )

  await until(async () => (await lastLogout(application)) === 'failed', 'the first logout to be given up')
  receiver.manners.delete(application)

  await queueIsDone(world.postgres)
  const sessions = receiver.to(application).map(({ claims }) => claims.sid)
  assert.deepEqual([sessions[0], sessions.at(-1)], [first, second])
})

test('a worker that stops first finishes the logout that it is sending', async () => {
  await work()
  dead = [await makeApplication()]
  stopAnswering()
  await signOutOf(dead)
  await until(() => held() === 1, 'the application to be asked')

  const stopped = stopWorkers()
  answerAgain()
  await stopped

  assert.deepEqual(await jobs(), [])
})

test('a job that is under way while its person’s account is deleted leaves nothing, and the application is told of the person', async (t) => {
  await work()
  const outcomes: string[] = []
  t.after(listen(toldOfLogout, ({ outcome }) => outcomes.push(outcome)))
  const [ann, application] = [await world.person(), await makeApplication()]
  dead = [application]
  const phone = await world.signIn(ann)
  await makeGrant(phone, application)
  stopAnswering()
  assert.equal((await phone.post('/api/auth/sign-out')).status, 204)
  await until(() => held() === 1, 'the application to be asked')

  assert.equal((await ann.delete('/api/users/me', { password })).status, 200)
  receiver.manners.set(application, 204)
  receiver.answerWaiting(application, 503)
  await query(wakeWorkers)

  const [, second] = await told(application, 2)
  assert.deepEqual([second?.claims.sub, second?.claims.sid], [ann.id, undefined])
  await until(async () => (await jobs()).length === 0, 'no job to be left')
  assert.deepEqual(outcomes, ['overtaken', 'delivered'])
})

/** Makes applications that refuse a token. @returns the session of which they were to be told */
async function failing(count: number): Promise<string> {
  dead = await Promise.all(Array.from({ length: count }, () => makeApplication()))
  for (const each of dead) receiver.manners.set(each, 503)
  const session = await signOutOf(dead)
  for (const each of dead) await told(each)
  return session
}

/** Makes an application that refuses a token, for which another logout waits or waited. @returns it, and the two sessions */
async function waiting(status = 503) {
  const application = await makeApplication()
  dead = [application]
  stopAnswering()
  const first = await signOutOf(dead)
  await until(() => held() === 1, 'the application to be asked')
  const second = await signOutOf(dead)
  await until(async () => (await jobs()).length === 2, 'the second logout to be queued')
  receiver.manners.set(application, status)
  receiver.answerWaiting(application, status)
  if (status === 503) await until(async () => (await hoursUntil(second)) > 18, 'the second logout to wait')
  return { application, first, second }
}

function stopAnswering(): void {
  for (const each of dead) receiver.manners.set(each, 'stall')
}

function answerAgain(): void {
  for (const each of dead) {
    receiver.manners.delete(each)
    receiver.answerWaiting(each, 204)
  }
}

/** In how many hours the logout of a session is due. */
async function hoursUntil(session: string): Promise<number> {
  const [row] = await query<{ hours: number }>(
    `select extract(epoch from run_at - now())::float8 / 3600 as hours
     from graphile_worker._private_jobs where payload ->> 'sessionId' = $1`,
    [session],
  )
  return row?.hours ?? 0
}

/** Somebody signs out of applications. @returns the session that has ended */
async function signOutOf(applications: readonly string[]): Promise<string> {
  const person = await world.person()
  const session = await sessionOf(person)
  for (const each of applications) await makeGrant(person, each)
  assert.equal((await person.post('/api/auth/sign-out')).status, 204)
  return session
}
