/** Enumeration: no answer to a request with an address reveals whether it has an account. bench/ measures its time. */
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { test } from 'node:test'
import { makeMailedToken, type UserPurpose } from '../src/domain/access/tokens.ts'
import { newId } from '../src/platform/http/schemas.ts'
import { type Answer, createWorld, type Json, password } from './world.ts'

// Without a worker, so that the queued jobs can be read.
const world = await createWorld()
const { query } = world.postgres
const { tenantId: tenant } = world

/** Addresses of the same length: without an account, and of accounts in every state. */
async function addresses(): Promise<Record<string, string>> {
  const made: Record<string, string> = { nobody: newAddress() }
  for (const [state, change] of Object.entries({
    active: 'email_verified = true',
    unverified: 'email_verified = false',
    suspended: `status = 'suspended'`,
    'without a password': 'password_hash = null',
    'about to change': `pending_email = 'elsewhere@example.com'`,
  })) {
    const { id, email } = await world.person('Ann', { email: newAddress() })
    await query(`update users set ${change} where id = $1`, [id])
    made[state] = email
  }
  return made
}

function newAddress(): string {
  return `somebody-${randomBytes(6).toString('hex')}@example.com`
}

/** Everything in an answer that a caller sees, without values that are new each time. */
function shown({ status, body, headers }: Answer): Json {
  const { requestId: _, ...rest } = body
  return { status, rest, headers: [...headers].filter(([name]) => !['date', 'x-request-id', 'etag'].includes(name)) }
}

/** The new jobs in the queue: tasks, and the lengths of encrypted texts. */
async function queued(): Promise<Json> {
  const jobs = await query<{ task: string; key: string; payload: Record<string, unknown> }>(`
    select t.identifier as task, j.key, j.payload
    from graphile_worker._private_jobs j
    join graphile_worker._private_tasks t on t.id = j.task_id
    order by j.id`)
  await query('delete from graphile_worker._private_jobs')
  return jobs.map(({ task, key, payload }) => ({
    task,
    key: key.length,
    payload: Object.entries(payload).map(([name, value]) => [name, name === 'kind' ? value : String(value).length]),
  }))
}

test('a reset request is answered the same for any address (Logto 4e968ae7a1)', async () => {
  const seen: Record<string, Json> = {}
  for (const [state, email] of Object.entries(await addresses())) {
    await queued()
    const answer = await world.nobody.post('/api/auth/forgot-password', { email })
    seen[state] = { answer: shown(answer), jobs: await queued() }
  }

  const { nobody, ...others } = seen
  assert.deepEqual([nobody.answer.status, nobody.answer.rest, nobody.jobs.length], [202, {}, 1])
  for (const [state, each] of Object.entries(others)) assert.deepEqual(each, nobody, state)
})

test('the queue reveals neither who requested a reset nor from where', async () => {
  const ann = await world.person()
  await queued()
  await world.nobody.post('/api/auth/forgot-password', { email: ann.email }, { 'user-agent': 'curl/8.5.0' })

  const [job] = await query<{ text: string }>('select j::text as text from graphile_worker._private_jobs j')
  for (const word of [ann.email, ann.email.split('@')[0] ?? '', ann.id, '127.0.0.1', 'curl']) {
    assert.ok(!job?.text.includes(word), word)
  }
})

test('the link is made after the answer, and repeated requests do not delay it', async () => {
  const { email } = await world.person()
  await queued()
  const due = async () => {
    assert.equal((await world.nobody.post('/api/auth/forgot-password', { email })).status, 202)
    const jobs = await query<{ runAt: Date; delay: number }>(
      'select run_at as "runAt", extract(epoch from run_at - created_at)::float8 as delay from graphile_worker._private_jobs',
    )
    assert.equal(jobs.length, 1)
    return jobs[0]
  }

  const first = await due()
  assert.ok((first?.delay ?? 0) > 0)
  assert.deepEqual((await due())?.runAt, first?.runAt)
})

test('a change of address is answered the same for any address (Logto 8eeba717c0, better-auth PR#8097)', async () => {
  const seen: Record<string, Json> = {}
  for (const [state, email] of Object.entries(await addresses())) {
    const asker = await world.person()
    await queued()
    const answer = await asker.patch('/api/users/me', { email, currentPassword: password })
    const {
      id: _id,
      email: _email,
      pendingEmail,
      createdAt: _c,
      updatedAt: _u,
      lastActiveAt: _l,
      ...rest
    } = answer.body
    assert.equal(pendingEmail, email)
    seen[state] = { answer: shown({ ...answer, body: rest }), jobs: await queued() }
  }

  const { nobody, ...others } = seen
  assert.deepEqual([nobody.answer.status, nobody.jobs.length], [200, 2])
  for (const [state, each] of Object.entries(others)) assert.deepEqual(each, nobody, state)
})

test('a wrong password is refused in the same way for any address', async () => {
  const seen: Record<string, Json> = {}
  for (const [state, email] of Object.entries(await addresses())) {
    await queued()
    const answer = await world.nobody.post('/api/auth/sign-in', { email, password: 'not the password' })
    seen[state] = { answer: shown(answer), jobs: await queued() }
  }

  const { nobody, ...others } = seen
  assert.deepEqual([nobody.answer.status, nobody.jobs.length], [401, 1])
  for (const [state, each] of Object.entries(others)) assert.deepEqual(each, nobody, state)
})

test('an invalid token is refused in the same way, whether its person or session exists or not', async () => {
  const ann = await world.person()
  const [session] = await query<{ id: string }>('select id from sessions where user_id = $1', [ann.id])
  const requests: [string, UserPurpose | 'end_session', string[], object?][] = [
    ['reset-password', 'reset_password', [ann.id, newId('user')], { newPassword: password }],
    ['undo-email-change', 'undo_email_change', [ann.id, newId('user')]],
    ['end-session', 'end_session', [session?.id ?? '', newId('dev')]],
    ['end-session/preview', 'end_session', [session?.id ?? '', newId('dev')]],
  ]
  for (const [path, purpose, ids, more = {}] of requests) {
    const answers: Json[] = []
    for (const id of ids) {
      const token = makeMailedToken(world.keyring, purpose, { tenant, id, generation: 7 })
      answers.push(shown(await world.nobody.post(`/api/auth/${path}`, { token, ...more })))
    }
    assert.equal(answers[0].status, 410, path)
    assert.deepEqual(answers[0], answers[1], path)
  }
})
