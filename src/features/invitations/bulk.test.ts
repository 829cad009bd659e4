import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { mock, test } from 'node:test'
import pg from 'pg'
import { statuses, together } from '../../../test/races.ts'
import { createWorld, type Json, password } from '../../../test/world.ts'

const world = await createWorld({ processes: 2, settings: { MAX_PENDING_INVITES: '150' } })
const limited = await createWorld({ settings: { LIMITS: 'on', LIMIT_INVITES: '10/3600' } })
const address = () => `guest-${randomBytes(6).toString('hex')}@example.com`
const tally = (results: Json[]) =>
  Object.fromEntries(
    [...new Set(results.map(({ outcome }) => outcome))].map((outcome) => [
      outcome,
      results.filter((each) => each.outcome === outcome).length,
    ]),
  )

test('each row of a bulk is judged by itself, in the order in which it was sent', async () => {
  const { ann, cleo, ben, path } = await world.organization()
  const pending = (await ann.post(`${path}/invites`, { email: address() })).body
  const fresh = address()

  const { status, body } = await ben.post(`${path}/invites/bulk`, {
    invites: [
      { email: cleo.email },
      { email: pending.email },
      { email: address(), role: 'owner' },
      { email: fresh, mail: false },
    ],
  })

  assert.equal(status, 200)
  const [member, invited, above, sent] = body.results
  assert.deepEqual(member, { email: cleo.email, outcome: 'already_a_member' })
  assert.deepEqual(invited, { email: pending.email, outcome: 'already_invited', invitationId: pending.id })
  assert.deepEqual(
    [above.outcome, above.missing, above.until],
    ['role_above_yours', ['organization:delete', 'ownership:transfer'], null],
  )
  assert.deepEqual([sent.outcome, sent.invitation.email, sent.invitation.mailed], ['sent', fresh, false])
})

test('a row that gives something for too long says until when it could, as a single invitation does', async () => {
  const { ann, ben, path, members } = await world.organization()
  const expiresAt = new Date(Date.now() + 7 * 86_400_000).toISOString()
  await ann.patch(`${path}/members/${members.ben.id}`, { expiresAt })
  const invite = { email: address() }

  const { body: single } = await ben.post(`${path}/invites`, invite)
  const { results } = (await ben.post(`${path}/invites/bulk`, { invites: [invite] })).body

  assert.deepEqual(results, [{ email: invite.email, outcome: 'role_above_yours', missing: [], until: expiresAt }])
  assert.deepEqual([single.code, single.missing, single.until], ['role_above_yours', [], expiresAt])
})

test('nobody is invited as an owner whose membership ends, since an owner has no end', async () => {
  const { ann, ben, path } = await world.organization()
  const memberExpiresAt = new Date(Date.now() + 7 * 86_400_000).toISOString()
  const invite = { email: address(), role: 'owner', memberExpiresAt }
  const codesOf = async (who: typeof ann) => [
    (await who.post(`${path}/invites`, invite)).body.code,
    (await who.post(`${path}/invites/bulk`, { invites: [invite] })).body.results[0].outcome,
  ]
  assert.deepEqual(await codesOf(ann), ['owner_cannot_end', 'owner_cannot_end'])
  assert.deepEqual(await codesOf(ben), ['role_above_yours', 'role_above_yours'], 'a 403 comes before a 409')
  assert.equal((await ann.post(`${path}/invites`, { ...invite, memberExpiresAt: null })).status, 201)
})

test('an address that is given twice is refused with its place, and nothing is sent', async () => {
  const { ann, path } = await world.organization()
  const { status, body } = await ann.post(`${path}/invites/bulk`, {
    invites: [{ email: 'One@example.com' }, { email: 'two@example.com' }, { email: 'one@EXAMPLE.com' }],
  })
  assert.deepEqual([status, body.errors.map(({ pointer }: Json) => pointer)], [400, ['/invites/2/email']])
  assert.deepEqual((await ann.get(`${path}/invites?status=pending`)).body.data, [])
})

test('a hundred fit, a hundred and one do not, and the limit of pending ones counts each', async () => {
  const { ann, path } = await world.organization()
  const send = (count: number) =>
    ann.post(`${path}/invites/bulk`, { invites: Array.from({ length: count }, () => ({ email: address() })) })
  assert.equal((await send(101)).status, 400)
  assert.deepEqual(tally((await send(100)).body.results), { sent: 100 })
  assert.deepEqual(tally((await send(100)).body.results), { sent: 50, limit_reached: 50 })
})

test('the same bulk fifty times at once with one key is sent once', async () => {
  const { ann, path } = await world.organization()
  const invites = Array.from({ length: 20 }, () => ({ email: address() }))
  const send = () => ann.post(`${path}/invites/bulk`, { invites }, { 'idempotency-key': '"bulk"' })
  const answers = await together(...Array.from({ length: 50 }, () => send))
  // A duplicate waits two seconds for the first at most.
  const allowed = ['200', '409 request_in_progress']
  assert.deepEqual(
    [...new Set(statuses(answers))].filter((each) => !allowed.includes(each)),
    [],
  )
  for (const answer of answers.filter(({ status }) => status === 200))
    assert.deepEqual(tally(answer.body.results), { sent: 20 })
  assert.deepEqual(tally((await send()).body.results), { sent: 20 })
  assert.equal((await ann.get(`${path}/invites?status=pending&limit=100`)).body.data.length, 20)
})

test('what is kept of a bulk has no address of a member, and the same answer comes again', async () => {
  const { ann, cleo, id, path } = await world.organization()
  const key = await world.key(['invitations:write'], { organization: id })
  await world.postgres.query('update tenants set organization_keys = true')
  const send = (by: typeof key | typeof ann) =>
    by.post(`${path}/invites/bulk`, { invites: [{ email: cleo.email }] }, { 'idempotency-key': '"again"' })
  for (const by of [ann, key]) {
    const first = await send(by)
    assert.deepEqual(first.body.results, [{ email: cleo.email, outcome: 'already_a_member' }])
    const again = await send(by)
    assert.deepEqual([again.body, again.headers.get('idempotent-replayed')], [first.body, 'true'])
  }
  assert.equal((await cleo.delete('/api/users/me', { password })).status, 200)
  const kept = await world.postgres.query('select result from idempotency_keys where result::text like $1', [
    `%${cleo.email}%`,
  ])
  assert.deepEqual(kept, [])
})

test('rows beyond a rate are not sent, and the rate is counted once for all rows', async () => {
  const { ann, path } = await limited.organization()
  const spent = 2 // the members of the organization were invited
  const bulk = (count: number) =>
    ann.post(`${path}/invites/bulk`, { invites: Array.from({ length: count }, () => ({ email: address() })) })
  assert.deepEqual(tally((await bulk(12)).body.results), { sent: 10 - spent, rate_limited: 2 + spent })
  assert.deepEqual(tally((await bulk(1)).body.results), { rate_limited: 1 })
})

test('all rows are counted in two trips, and those that a rate refuses are taken back in another', async (t) => {
  const driver = mock.method(pg.Client.prototype, 'query')
  t.after(() => driver.mock.restore())
  const trips = () => {
    const sent = driver.mock.calls.map((call) => (call.arguments as unknown[])[0] as { text?: string }) // a statement, or a pipeline
    driver.mock.resetCalls()
    return sent.filter(({ text }) => /^\s*(insert into|update) rates\b/.test(text ?? '')).length
  }
  const { ann, path } = await limited.organization()
  const bulk = async (count: number) => {
    trips()
    const invites = Array.from({ length: count }, () => ({ email: address() }))
    const { body } = await ann.post(`${path}/invites/bulk`, { invites })
    return { ...tally(body.results), trips: trips() }
  }
  assert.deepEqual(await bulk(3), { sent: 3, trips: 2 })
  assert.deepEqual(await bulk(50), { sent: 5, rate_limited: 45, trips: 3 })
})

test('who is over their own rate takes nothing from the rates that they share, not even for a moment', async (t) => {
  const { ann, path } = await founded()
  const send = (count: number) =>
    ann.post(`${path}/invites/bulk`, { invites: Array.from({ length: count }, () => ({ email: address() })) })
  assert.deepEqual(tally((await send(11)).body.results), { sent: 10, rate_limited: 1 })
  const shared = async () =>
    (await limited.postgres.query(`select points from rates where key ~ '^(organization|network):'`)).map(
      ({ points }) => points,
    )
  assert.deepEqual(await shared(), [10, 10])

  const driver = t.mock.method(pg.Client.prototype, 'query')
  assert.deepEqual(tally((await send(5)).body.results), { rate_limited: 5 })
  const touched = driver.mock.calls
    .map((call) => (call.arguments as unknown[])[0] as { text?: string; values?: unknown[] })
    .filter(({ text }) => /^\s*insert into rates\b/.test(text ?? ''))
    .flatMap(({ values }) => (values ?? []).flat())
  assert.ok(touched.some((value) => String(value).startsWith('inviter:')))
  assert.ok(!touched.some((value) => /^(organization|network):/.test(String(value))))
  assert.deepEqual(await shared(), [10, 10])
})

/** An organization whose owner has invited nobody, nor has anybody else. */
async function founded() {
  await limited.postgres.query('delete from rates')
  const ann = await limited.person()
  const { body } = await ann.post('/api/organizations', { name: 'Acme' })
  return { ann, path: `/api/organizations/${body.id}` }
}

test('an address that was invited often is refused alone, and its row counts for nobody', async () => {
  const often = address()
  const organizations = await Promise.all(Array.from({ length: 6 }, founded))
  const answers = []
  for (const { ann, path } of organizations)
    answers.push(await ann.post(`${path}/invites/bulk`, { invites: [{ email: often }, { email: address() }] }))
  const last = answers.pop()
  for (const { body } of answers) assert.deepEqual(tally(body.results), { sent: 2 })
  assert.deepEqual(
    last?.body.results.map(({ outcome }: Json) => outcome),
    ['rate_limited', 'sent'],
  )
  assert.match(last?.headers.get('ratelimit') ?? '', /"inviter";r=9;/)
})

test('bulks to the same addresses at once, in opposite orders, get exactly what the rate allows', async () => {
  const shared = Array.from({ length: 4 }, address)
  const organizations = await Promise.all(Array.from({ length: 6 }, founded))
  const answers = await together(
    ...organizations.map(({ ann, path }, index) => () => {
      const emails = index % 2 === 0 ? shared : shared.toReversed()
      return ann.post(`${path}/invites/bulk`, { invites: emails.map((email) => ({ email })) })
    }),
  )
  assert.deepEqual([...new Set(statuses(answers))], ['200'])
  for (const email of shared) {
    const rows = answers.flatMap(({ body }) => body.results.filter((each: Json) => each.email === email))
    assert.deepEqual(tally(rows), { sent: 5, rate_limited: 1 })
  }
})
