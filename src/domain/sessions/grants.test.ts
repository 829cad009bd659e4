/** Ends of grants: what ends what applications hold of a session, and which of them are told. */
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { test } from 'node:test'
import { dump, traces } from '../../../test/dump.ts'
import { holdRow } from '../../../test/holding.ts'
import { onLogouts, startReceiver } from '../../../test/logouts.ts'
import { finishJobs } from '../../../test/queue.ts'
import { addPasskey } from '../../../test/sign-in.ts'
import { type Answer, createWorld, type Json, type Person, password } from '../../../test/world.ts'
import { newId } from '../../platform/http/schemas.ts'
import { runEverywhere, runRetention } from '../../tasks.ts'
import { makeMailedToken } from '../access/tokens.ts'
import { endSurplusGrants } from './grants.ts'

const world = await createWorld({ settings: { OUTBOUND_PRIVATE: '127.0.0.1', MAX_SESSIONS: '3' } })
const { query } = world.postgres
const receiver = await startReceiver()
const { jobs, living, makeApplication, makeGrant, sessionOf } = onLogouts(world, receiver)
const tess = await world.tenantAdmin()

/** What applications were told of sessions and people, once the queue is done. */
async function toldOf(...applications: readonly string[]): Promise<Json[][]> {
  await finishJobs(world)
  return applications.map((application) =>
    receiver.to(application).map(({ claims: { sub, sid } }) => ({ sub, ...(sid !== undefined && { sid }) })),
  )
}

interface Somebody {
  readonly ann: Person
  /** Her other session, which has the grants. */
  readonly phone: Person
  readonly session: string
}

/** Whatever ends a session, one of each kind. */
const endings: Record<string, (somebody: Somebody) => Promise<Answer>> = {
  'a sign-out': ({ phone }) => phone.post('/api/auth/sign-out'),
  'the end of a device': ({ ann, session }) => ann.delete(`/api/users/me/devices/${session}`),
  'the end of all others': ({ ann }) => ann.delete('/api/users/me/devices'),
  'the end of a device by an admin': ({ ann, session }) => tess.delete(`/api/admin/users/${ann.id}/devices/${session}`),
  'a new password': ({ ann }) =>
    ann.post('/api/users/me/password', { currentPassword: password, newPassword: `${password} anew` }),
  'a reset of the password': async ({ ann }) => {
    await world.nobody.post('/api/auth/forgot-password', { email: ann.email })
    await finishJobs(world)
    const [row] = await query<{ generation: number }>(
      `select generation from mailed_tokens where user_id = $1 and purpose = 'reset_password'`,
      [ann.id],
    )
    const place = { tenant: world.tenantId, id: ann.id, generation: row?.generation ?? 0 }
    const token = makeMailedToken(world.keyring, 'reset_password', place)
    return world.nobody.post('/api/auth/reset-password', { token, newPassword: `${password} anew` })
  },
  'a suspension': ({ ann }) => tess.patch(`/api/admin/users/${ann.id}`, { status: 'suspended' }),
  'a reset of the factors': async ({ ann }) => {
    await addPasskey(ann)
    return tess.delete(`/api/admin/users/${ann.id}/factors`)
  },
  'a sign-in beyond the limit of sessions': async ({ ann }) => {
    await query(`update sessions set last_active_at = now() - interval '1 hour' where user_id = $1`, [ann.id])
    let answer: Answer | undefined
    for (let count = 0; count < 3; count++)
      answer = await world.nobody.post('/api/auth/sign-in', { email: ann.email, password })
    return answer as Answer // there were three
  },
  'the link of the mail about a new device': ({ session: id }) => {
    const token = makeMailedToken(world.keyring, 'end_session', { tenant: world.tenantId, id, generation: 1 })
    return world.nobody.post('/api/auth/end-session', { token })
  },
}

for (const [name, end] of Object.entries(endings)) {
  test(`${name} ends the grants of the session, and tells each of its applications once`, async () => {
    const [ann, ben] = [await world.person(), await world.person('Ben')]
    const phone = await world.signIn(ann)
    const [one, two, silent] = [
      await makeApplication(),
      await makeApplication(),
      await makeApplication({ isTold: false }),
    ]
    const theirs = [
      await makeGrant(phone, one),
      await makeGrant(phone, one),
      await makeGrant(phone, two),
      await makeGrant(phone, silent),
    ]
    const others = await makeGrant(ben, one)
    const session = await sessionOf(phone)

    const { status, body } = await end({ ann, phone, session })

    assert.ok(status < 300, JSON.stringify(body))
    assert.equal((await phone.get('/api/users/me')).status, 401)
    assert.deepEqual(await living([...theirs, others]), [others])
    const told = [{ sub: ann.id, sid: session }]
    assert.deepEqual(await toldOf(one, two, silent), [told, told, []])
  })
}

for (const [name, column, age] of [
  ['idle', 'last_active_at', '15 days'],
  ['absolute', 'created_at', '31 days'],
] as const) {
  test(`at the ${name} end of a session the hourly task ends its grants, tells their applications and records it`, async () => {
    const [ann, application] = [await world.person(), await makeApplication()]
    const [phone, tablet] = [await world.signIn(ann), await world.signIn(ann)]
    const [session, without] = [await sessionOf(phone), await sessionOf(tablet)]
    const [grant, own] = [await makeGrant(phone, application), await makeGrant(ann, application)]
    assert.equal(await runEverywhere(world, 'expire_sessions'), 0)
    await query(`update sessions set ${column} = now() - $2::interval where id = any($1)`, [[session, without], age])

    assert.equal(await runEverywhere(world, 'expire_sessions'), 1)

    assert.deepEqual(await living([grant, own]), [own])
    assert.deepEqual(await toldOf(application), [[{ sub: ann.id, sid: session }]])
    const { data } = (await ann.get('/api/users/me/audit?action=session.expired')).body
    assert.deepEqual(
      data.map(({ actor, target, details }: Json) => [actor.type, target.id, details]),
      [['system', ann.id, { deviceId: session }]],
    )
    assert.equal(await runEverywhere(world, 'expire_sessions'), 0)
  })
}

test('a session that has expired for long is not deleted before its applications are told', async () => {
  const [ann, application] = [await world.person(), await makeApplication()]
  const [session] = [await sessionOf(ann), await makeGrant(ann, application)]
  await query(`update sessions set last_active_at = now() - interval '31 days' where id = $1`, [session])
  const isThere = async () => (await query('select from sessions where id = $1', [session])).length === 1

  await runRetention(world.database)
  assert.equal(await runEverywhere(world, 'expire_sessions'), 1)
  await runRetention(world.database)

  assert.deepEqual(await toldOf(application), [[{ sub: ann.id, sid: session }]])
  assert.ok(await isThere(), 'a token that was not taken can be sent again')
  await query(`update sessions set ended_at = now() - interval '31 days' where id = $1`, [session])
  await runRetention(world.database)
  assert.ok(!(await isThere()))
})

test('the hourly task passes over an expired session whose account is being deleted', async (t) => {
  const [ann, application] = [await world.person(), await makeApplication({ isTold: false })]
  const [session] = [await sessionOf(ann), await makeGrant(ann, application)]
  await query(`update sessions set last_active_at = now() - interval '15 days' where id = $1`, [session])

  const release = await holdRow(t, world.postgres, 'users', ann.id)
  assert.equal(await runEverywhere(world, 'expire_sessions'), 0)
  await release()
  assert.equal(await runEverywhere(world, 'expire_sessions'), 1)
})

test('the hourly task ends all expired sessions with grants, however many there are', async () => {
  const [ann, application] = [await world.person(), await makeApplication({ isTold: false })]
  const [session, grant] = [await sessionOf(ann), await makeGrant(ann, application)]
  await query(
    `insert into sessions (tenant_id, id, user_id, token_hash, name, type, methods, assurance, created_at)
     select tenant_id, id || n, user_id, sha256(convert_to(n::text, 'UTF8')), name, type, methods, assurance, now() - interval '31 days'
     from sessions, generate_series(1, 250) n where id = $1`,
    [session],
  )
  await query(
    `insert into grants (tenant_id, id, session_id, application_id, code_hash, scopes)
     select tenant_id, id || n, session_id || n, application_id, sha256(convert_to(n::text, 'UTF8')), scopes
     from grants, generate_series(1, 250) n where id = $1`,
    [grant],
  )

  assert.equal(await runEverywhere(world, 'expire_sessions'), 250)

  assert.deepEqual(await query('select id from grants where application_id = $1 and ended_at is null', [application]), [
    { id: grant },
  ])
})

test('of a deleted account grants leave no trace, and applications are told of the person by a sealed job that is gone after a day', async () => {
  const ann = await world.person()
  const phone = await world.signIn(ann)
  const [one, two, silent] = [
    await makeApplication(),
    await makeApplication(),
    await makeApplication({ isTold: false }),
  ]
  await finishJobs(world)
  for (const application of [one, silent]) await makeGrant(ann, application)
  await makeGrant(phone, two)
  const words = { id: ann.id, session: await sessionOf(ann), phone: await sessionOf(phone) }
  // Its job about the session waits; it goes with the account.
  assert.equal((await phone.post('/api/auth/sign-out')).status, 204)
  assert.equal((await jobs()).length, 1)
  for (const table of ['grants', 'graphile_worker._private_jobs'])
    assert.ok(
      traces(await dump(query), words).some((line) => line.includes(`${table} `)),
      `the proof needs a trace in ${table}`,
    )

  assert.equal((await ann.delete('/api/users/me', { password })).status, 200)

  const waiting = await jobs()
  assert.deepEqual(
    waiting.map(({ payload, queue }) => [Object.keys(payload).sort(), queue]).sort(),
    [one, two].sort().map((application) => [['endedAt', 'sealed', 'tenantId'], `logout:${application}`]),
  )
  assert.deepEqual(traces(await dump(query), words), [])
  await query(`update graphile_worker._private_jobs set created_at = now() - interval '21 hours'`)
  await runRetention(world.database)
  assert.equal((await jobs()).length, 2)
  const [kept] = waiting
  await query(`update graphile_worker._private_jobs set created_at = now() - interval '22 hours' where key = $1`, [
    kept?.key,
  ])
  await runRetention(world.database)
  assert.equal((await jobs()).length, 1)
  const told = (await toldOf(one, two, silent)).flat()
  assert.deepEqual(told, [{ sub: ann.id }])
  assert.deepEqual(traces(await dump(query), words), [], 'what the queue still did left nothing either')
})

test('an application hears of a deletion for as long as its ended grant is kept', async () => {
  const [ann, application] = [await world.person(), await makeApplication()]
  const phone = await world.signIn(ann)
  const session = await sessionOf(phone)
  await makeGrant(phone, application)
  await phone.post('/api/auth/sign-out')
  await finishJobs(world)
  for (const [table, id] of [
    ['sessions', 'id'],
    ['grants', 'session_id'],
  ])
    await query(`update ${table} set ended_at = ended_at - interval '3 days' where ${id} = $1`, [session])

  assert.equal((await ann.delete('/api/users/me', { password })).status, 200)

  const erased = (await jobs()).filter(({ key }) => key?.startsWith('logout_of_erased:'))
  assert.deepEqual(
    erased.map(({ queue }) => queue),
    [`logout:${application}`],
  )
  assert.deepEqual(await toldOf(application), [[{ sub: ann.id, sid: session }, { sub: ann.id }]])
})

test('an application that is disabled keeps its grants, a deleted one takes them with it, and neither is told', async () => {
  const ann = await world.person()
  const [disabled, deleted] = [await makeApplication(), await makeApplication()]
  const grants = [await makeGrant(ann, disabled), await makeGrant(ann, deleted)]

  await query('update applications set is_enabled = false where id = $1', [disabled])
  await query('delete from applications where id = $1', [deleted])

  assert.deepEqual(await living(grants), grants.slice(0, 1))
  assert.deepEqual(await jobs(), [])
})

test('somebody who leaves an organization keeps their grants, and nobody is told', async () => {
  const { cleo, id, path } = await world.organization()
  const application = await makeApplication()
  const grant = await makeGrant(cleo, application)
  await query('update grants set organization_id = $1 where id = $2', [id, grant])

  assert.equal((await cleo.delete(`${path}/members/me`)).status, 200)

  assert.deepEqual(await living([grant]), [grant])
  assert.deepEqual(await toldOf(application), [[]])
})

test('of more than ten grants of a session for an application the least used ends, and nobody is told', async () => {
  const ann = await world.person()
  const [application, other] = [await makeApplication(), await makeApplication()]
  const session = await sessionOf(ann)
  const leastUsed = await makeGrant(ann, application, { used: 30 })
  const grants: string[] = []
  for (let count = 0; count < 10; count++) grants.push(await makeGrant(ann, application, { used: count }))
  const others = await makeGrant(ann, other, { used: 60 })

  for (let times = 0; times < 2; times++)
    await world.database.inTenant(world.tenantId, (sql) => endSurplusGrants(sql, session, application))

  assert.deepEqual(await living([leastUsed, ...grants, others]), [...grants, others].sort())
  assert.deepEqual(await toldOf(application), [[]])
})

test('ended grants are deleted after a day', async () => {
  const [ann, application] = [await world.person(), await makeApplication()]
  const grants = [
    await makeGrant(ann, application),
    await makeGrant(ann, application),
    await makeGrant(ann, application),
  ]
  const end = (id: string | undefined, hours: number) =>
    query('update grants set ended_at = now() - make_interval(hours => $2) where id = $1', [id, hours])
  await end(grants[0], 25)
  await end(grants[1], 23)

  assert.equal((await runRetention(world.database)).applicationGrants, 1)

  const left = await query<{ id: string }>('select id from grants where application_id = $1 order by id', [application])
  assert.deepEqual(
    left.map(({ id }) => id),
    grants.slice(1),
  )
})

test('a device names the applications into which its session has signed in', async () => {
  const ann = await world.person()
  const phone = await world.signIn(ann)
  const [one, two] = [await makeApplication(), await makeApplication()]
  const used = await makeGrant(phone, one, { used: 5 })
  await makeGrant(phone, one)
  await makeGrant(phone, two)
  await query(`update grants set ended_at = now() where application_id = $1`, [two])
  await query(`update grants set created_at = '2026-01-31T09:30:03.004Z' where id = $1`, [used])
  const [row] = await query<{ at: Date }>('select max(last_used_at) as at from grants where application_id = $1', [one])
  const expected = [{ id: one, name: 'Acme', since: '2026-01-31T09:30:03.004Z', lastUsedAt: row?.at.toISOString() }]

  const lists = [await ann.get('/api/users/me/devices'), await tess.get(`/api/admin/users/${ann.id}/devices`)]

  const session = await sessionOf(phone)
  for (const { body } of lists) {
    const applications = body.data.map((device: Json) => [device.id === session, device.applications])
    assert.deepEqual(applications.sort(), [
      [false, []],
      [true, expected],
    ])
  }
  assert.deepEqual((await ann.delete(`/api/users/me/devices/${session}`)).body.applications, expected)
  const { body } = await world.nobody.post('/api/auth/sign-in', { email: ann.email, password })
  assert.deepEqual(body.session.device.applications, [])
})

/** Makes a grant as an exchange of a code does, under the lock of its session. @returns its id; undefined if the session has ended */
function grantUnderLock(
  session: string,
  application: string,
  then: () => Promise<void> = async () => {},
): Promise<string | undefined> {
  return world.database.inTenant(world.tenantId, async (sql) => {
    const live = await sql`
      select from sessions where tenant_id = ${sql.tenant} and id = ${session} and ended_at is null for no key update`
    if (live.length === 0) return undefined
    const id = newId('gra')
    await sql`
      insert into grants (tenant_id, id, session_id, application_id, code_hash, scopes)
      values (${sql.tenant}, ${id}, ${session}, ${application}, ${randomBytes(32)}, '{openid}')`
    await then()
    return id
  })
}

test('a sign-out waits for a grant that is being made, ends it and tells its application', async () => {
  const [ann, application] = [await world.person(), await makeApplication()]
  const session = await sessionOf(ann)
  let signedOut: Promise<Answer> | undefined
  const grant = await grantUnderLock(session, application, async () => {
    signedOut = ann.post('/api/auth/sign-out')
    await world.postgres.awaitLine(1)
  })

  assert.equal((await signedOut)?.status, 204)
  assert.deepEqual(await living([grant ?? '']), [])
  assert.deepEqual(await toldOf(application), [[{ sub: ann.id, sid: session }]])
  assert.equal(await grantUnderLock(session, application), undefined)
})

test('an account is not deleted before a grant that is being made, and its application is told', async () => {
  const [ann, application] = [await world.person(), await makeApplication()]
  let deleted: Promise<Answer> | undefined
  await grantUnderLock(await sessionOf(ann), application, async () => {
    deleted = ann.delete('/api/users/me', { password })
    await world.postgres.awaitLine(1)
  })

  assert.equal((await deleted)?.status, 200)
  assert.deepEqual(await query('select from grants where application_id = $1', [application]), [])
  assert.deepEqual(await toldOf(application), [[{ sub: ann.id }]])
})

test('of making grants and signing out at once none is left that is alive and untold', async () => {
  const application = await makeApplication()
  const people = await Promise.all(Array.from({ length: 10 }, () => world.person()))
  const made: string[] = []

  await Promise.all(
    people.map(async (person) => {
      const session = await sessionOf(person)
      const making = Array.from({ length: 4 }, () => grantUnderLock(session, application))
      const [grants] = await Promise.all([Promise.all(making), person.post('/api/auth/sign-out')])
      made.push(...grants.filter((id) => id !== undefined))
    }),
  )

  assert.deepEqual(await living(made), [])
  const [told = []] = await toldOf(application)
  const owners = await query<{ user_id: string }>(
    'select distinct s.user_id from grants g join sessions s on s.id = g.session_id where g.id = any($1)',
    [made],
  )
  assert.deepEqual(told.map(({ sub }) => sub).sort(), owners.map((owner) => owner.user_id).sort())
})
