/** Back-channel logout: what an application gets, and what becomes of a token that it does not take. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createLocalJWKSet, jwtVerify } from 'jose'
import { onLogouts, startReceiver } from '../../../test/logouts.ts'
import { queueIsDone } from '../../../test/queue.ts'
import { until } from '../../../test/smtp.ts'
import { createWorld, type Person, wakeWorkers } from '../../../test/world.ts'
import { uuidToTenantId } from '../../platform/http/schemas.ts'
import { addJobs } from '../../platform/jobs/queue.ts'

const world = await createWorld({ settings: { OUTBOUND_PRIVATE: '127.0.0.1' }, worker: true })
const { query } = world.postgres
const receiver = await startReceiver()
const { jobs, lastLogout, makeApplication, makeGrant, sessionOf, told } = onLogouts(world, receiver)

const signOut = async (person: Person) => assert.equal((await person.post('/api/auth/sign-out')).status, 204)

test('an application gets a token of two minutes for the session, signed with the tenant’s key', async () => {
  const [ann, application] = [await world.person(), await makeApplication()]
  const session = await sessionOf(ann)
  await makeGrant(ann, application)
  await signOut(ann)

  const [received] = await told(application)

  assert.deepEqual([received?.method, received?.type], ['POST', 'application/x-www-form-urlencoded'])
  const tenant = uuidToTenantId(world.tenantId)
  const issuer = `${world.app.config.publicUrl}/api/tenants/${tenant}`
  const { body: keys } = await world.nobody.get(`/api/tenants/${tenant}/jwks.json`)
  const { payload } = await jwtVerify(received?.token ?? '', createLocalJWKSet(keys), {
    issuer,
    audience: application,
    typ: 'logout+jwt',
    algorithms: ['RS256'],
  })
  const { iat = 0, exp = 0, jti, ...claims } = payload
  assert.equal(exp - iat, 120)
  assert.match(jti ?? '', /^[\w-]{22}$/)
  assert.deepEqual(claims, {
    iss: issuer,
    aud: application,
    events: { 'http://schemas.openid.net/event/backchannel-logout': {} },
    sub: ann.id,
    sid: session,
  })
  await until(async () => (await lastLogout(application)) === 'delivered', 'the delivery to be noted')
})

for (const manner of [500, 302, 400] as const) {
  test(`an application that answers ${manner} is told again, by another token`, async () => {
    const [ann, application] = [await world.person(), await makeApplication()]
    await makeGrant(ann, application)
    receiver.manners.set(application, manner)
    await signOut(ann)
    await told(application)
    receiver.manners.set(application, 200)

    const [first, second] = await told(application, 2)

    assert.notEqual(first?.claims.jti, second?.claims.jti)
    assert.deepEqual([first?.claims.sid, first?.claims.sub], [second?.claims.sid, second?.claims.sub])
    await until(async () => (await lastLogout(application)) === 'delivered', 'the delivery to be noted')
    await queueIsDone(world.postgres)
  })
}

test('an application that takes no token for a day is given up', async () => {
  const [ann, application] = [await world.person(), await makeApplication()]
  const session = await sessionOf(ann)
  receiver.manners.set(application, 500)
  const aDayAgo = new Date(Date.now() - 86_400_000).toISOString()
  await world.database.inTenant(world.tenantId, (sql) =>
    addJobs(sql, [
      {
        task: 'send_logout',
        payload: { tenantId: sql.tenant, applicationId: application, sessionId: session, endedAt: aDayAgo },
        key: `logout:${ann.id}:late`,
      },
    ]),
  )

  await until(async () => (await lastLogout(application)) === 'failed', 'the failure to be noted')

  await queueIsDone(world.postgres)
  assert.equal(receiver.to(application).length, 1)
})

test('an application that is gone, or has no address any more, gets nothing', async () => {
  const ann = await world.person()
  const [gone, silent] = [await makeApplication(), await makeApplication()]
  for (const application of [gone, silent]) {
    await makeGrant(ann, application)
    receiver.manners.set(application, 500)
  }
  await signOut(ann)
  await told(gone)
  await told(silent)
  const again = (when: string) =>
    query(`update graphile_worker._private_jobs j set run_at = ${when} from graphile_worker.jobs
      where jobs.id = j.id and jobs.task_identifier = 'send_logout'`)
  await again(`now() + interval '1 hour'`)
  await until(
    async () => (await query('select from graphile_worker._private_jobs where locked_at is not null')).length === 0,
    'the jobs to wait',
  )
  const sent = () => [receiver.to(gone).length, receiver.to(silent).length]
  const before = sent() // a second one may have come by itself
  await query('delete from applications where id = $1', [gone])
  await query('update applications set back_channel_logout_uri = null where id = $1', [silent])
  await again('now()')
  await query(wakeWorkers)

  await queueIsDone(world.postgres)

  assert.deepEqual(sent(), before)
  assert.equal(await lastLogout(silent), null)
})

test('an application that never answers delays no other, and no mail', async () => {
  const [dead, alive] = [await makeApplication(), await makeApplication()]
  receiver.manners.set(dead, 'stall')
  const people = await Promise.all(Array.from({ length: 8 }, () => world.person()))
  for (const person of people) await makeGrant(person, dead)
  await Promise.all(people.map(signOut))
  await until(() => receiver.waiting(dead) > 0, 'the dead one to be asked')
  const ben = await world.person()
  await makeGrant(ben, alive)
  await signOut(ben)
  await world.nobody.post('/api/auth/forgot-password', { email: ben.email })

  await told(alive)
  await world.mailedToken(ben.email, 'reset-password')

  receiver.manners.set(dead, 204)
  await until(async () => (await jobs()).length === 0, 'everything to be told')
  assert.equal(receiver.mostWaiting(dead), 1, 'it took one place of the worker')
  const sessions = new Set(receiver.to(dead).map(({ claims }) => claims.sid))
  assert.equal(sessions.size, people.length)
})
