/** Turns over HTTP: a row that many requests want keeps nobody else waiting, and they are answered in order. */
import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { until } from '../../../test/smtp.ts'
import { type Answer, createWorld, type Json, type Person, password } from '../../../test/world.ts'
import { type Statement, statement } from '../../platform/database/database.ts'

const world = await createWorld({
  settings: { TRUST_PROXY: '127.0.0.1', SMTP_URL: 'smtp://127.0.0.1:9', MAIL_FROM: 'a@example.com' },
})
const { query, awaitLine } = world.postgres
const { database, tenantId: tenant } = world

/** More than the pool has connections. */
const many = 24
/** Who holds the row, and who waits at it. */
const mostUsed = 2

type Act = (turn: number) => Promise<Answer>

/** Locks rows, as requests do, until it is called. The relay may place events meanwhile. */
async function hold(t: TestContext, rows: Statement): Promise<() => Promise<void>> {
  const free = Promise.withResolvers<void>()
  const locked = Promise.withResolvers<void>()
  const held = database.inTenant(tenant, async (sql) => {
    await sql`${rows} for no key update`
    locked.resolve()
    await free.promise
  })
  const release = async () => {
    free.resolve()
    await held
  }
  t.after(release)
  await Promise.race([locked.promise, held])
  return release
}

const organization = (id: string) => statement`select from organizations where tenant_id = ${tenant} and id = ${id}`
const account = ({ id }: Person) => statement`select from users where tenant_id = ${tenant} and id = ${id}`

/**
 * Sends requests that all wait for the rows, each once the one before waits.
 *
 * @param meanwhile what is answered while all of them wait
 * @returns the answers, by the order of the requests, and the order in which they came
 */
async function storm(t: TestContext, rows: Statement, acts: readonly Act[], meanwhile: () => Promise<Answer[]>) {
  const release = await hold(t, rows)
  const order: number[] = []
  const sent: Promise<Answer>[] = []
  for (const [turn, act] of acts.entries()) {
    const answer = act(turn)
    sent.push(
      answer.finally(() => {
        order.push(turn)
      }),
    )
    await awaitLine(turn + 1)
  }
  await until(() => database.connections.used <= mostUsed, 'those that wait in memory to give their connections back')
  const others = await meanwhile()
  assert.deepEqual(
    others.map(({ status }) => status),
    others.map(() => 200),
  )
  assert.deepEqual(order, [], 'nobody was answered while the row was locked')
  await release()
  const answers = await Promise.all(sent)
  assert.equal(database.waitingForTurns, 0)
  return { answers, order }
}

const crowd = (act: Act) => Array.from({ length: many }, () => act)
const inOrder = Array.from({ length: many }, (_, turn) => turn)
const said = (answers: readonly Answer[]) => [...new Set(answers.map(({ status, body }) => body.code ?? status))]

test('while an organization’s row is locked, invitations to it wait without a connection, and are answered in order', async (t) => {
  const { id, path, ann, ben, dan } = await world.organization()
  const invite: Act = (turn) => (turn % 2 ? ann : ben).post(`${path}/invites`, { email: `hot-${turn}@example.com` })

  const { answers, order } = await storm(t, organization(id), crowd(invite), async () => {
    // Somebody who may not change the organization is refused at once.
    const refused = await Promise.all([
      dan.patch(path, { name: 'Mine' }),
      world.nobody.patch(
        path,
        { name: 'Mine' },
        { authorization: ann.headers.authorization?.replace(/.$/, '_') ?? '' },
      ),
    ])
    assert.deepEqual(said(refused), ['not_found', 'unauthenticated'])
    return Promise.all([dan, ann].map((person) => person.get('/api/users/me')))
  })

  assert.deepEqual([said(answers), order], [[201], inOrder])
})

test('an organization’s id and its slug have turns of their own', async (t) => {
  const { id, path, slug, ann } = await world.organization()
  const release = await hold(t, organization(id))
  const rename = (at: string) => ann.patch(at, { name: 'Renamed' })
  const sent = [...Array(6).fill(path), ...Array(6).fill(`/api/organizations/${slug}`)].map(rename)
  await until(() => database.waitingForTurns === 10, 'all but two to wait in memory')
  await awaitLine(12)
  await release()
  assert.deepEqual(said(await Promise.all(sent)), [200])
})

test('while an organization’s row is locked, people who accept invitations to it wait without a connection', async (t) => {
  const { id, path, ann } = await world.organization()
  const people = await Promise.all(inOrder.map((turn) => world.person(`Guest ${turn}`.replace(' ', '-'))))
  const invitations: Json[] = []
  for (const { email } of people) invitations.push((await ann.post(`${path}/invites`, { email })).body)
  const accept: Act = (turn) => {
    const [person, invitation] = [people[turn] as Person, invitations[turn]] // one of each for every turn
    return person.post(`/api/invites/${invitation.id}/accept`)
  }

  const { answers, order } = await storm(t, organization(id), crowd(accept), async () => [
    await ann.get('/api/users/me'),
  ])

  assert.deepEqual([said(answers), order], [[200], inOrder])
  const [row] = await query('select member_count from organizations where id = $1', [id])
  assert.deepEqual(row, { member_count: 3 + many })
})

test('while an organization’s row is locked, keys of the tenant that change it wait without a connection', async (t) => {
  const { id, ann, members } = await world.organization()
  const path = `/api/admin/organizations/${id}`
  const key = await world.key([
    'invitations:write',
    'organization:update',
    'organization:delete',
    'ownership:transfer',
    'members:remove',
  ])
  const added = await Promise.all(inOrder.map((turn) => world.person(`Added-${turn}`)))
  const acts: Act[] = [
    (turn) => key.post(`${path}/members`, { userId: added[turn]?.id }),
    (turn) => key.patch(path, { name: `Acme ${turn}` }),
    () => key.delete(path, { confirm: 'another' }),
    (turn) => key.post(`${path}/transfer`, { memberId: members[turn % 8 < 4 ? 'ben' : 'ann'].id }),
  ]
  const act: Act = (turn) => (acts[turn % acts.length] as Act)(turn) // there are four

  const { answers, order } = await storm(t, organization(id), crowd(act), async () => [await ann.get('/api/users/me')])

  assert.deepEqual([said(answers), order], [[201, 200, 'confirmation_mismatch'], inOrder])
})

test('while an organization’s row is locked, keys of the tenant that delete or suspend its members wait without a connection', async (t) => {
  const { id, ann } = await world.organization()
  const key = await world.key(['users:write', 'users:delete'])
  const people = await Promise.all(inOrder.map((turn) => world.person(`Leaving-${turn}`)))
  for (const person of people) await world.join(ann, id, person)
  const act: Act = (turn) => {
    const path = `/api/admin/users/${people[turn]?.id}`
    return turn % 2 === 0 ? key.delete(path) : key.patch(path, { status: 'suspended' })
  }

  const { answers, order } = await storm(t, organization(id), crowd(act), async () => [await ann.get('/api/users/me')])

  assert.deepEqual([said(answers), order], [[200], inOrder])
})

test('while an account’s row is locked, changes and sign-ins of it wait without a connection', async (t) => {
  const [ann, ben] = await Promise.all([world.person('Ann'), world.person('Ben')])
  const sessions = await Promise.all([ann, ann, ann].map((person) => world.signIn(person)))
  const change: Act = (turn) => (sessions[turn % 3] as Person).patch('/api/users/me', { locale: 'fr' }) // there are three
  const meanwhile = async () => [await ben.get('/api/users/me'), await ann.get('/api/users/me')]

  const changes = await storm(t, account(ann), crowd(change), meanwhile)
  assert.deepEqual([said(changes.answers), changes.order], [[200], inOrder])

  const signIn: Act = (turn) =>
    world.nobody.post('/api/auth/sign-in', { email: ann.email, password }, { 'x-forwarded-for': `203.0.113.${turn}` })
  const signIns = await storm(t, account(ann), crowd(signIn), meanwhile)
  assert.deepEqual([said(signIns.answers), signIns.order], [[200], inOrder])
})

test('guesses at one account from many networks wait without a connection, and its owner’s device does not wait for them', async (t) => {
  const [ann, ben] = await Promise.all([world.person('Ann'), world.person('Ben')])
  const { body } = await world.nobody.post('/api/auth/sign-in', { email: ann.email, password })
  const guess: Act = (turn) =>
    world.nobody.post(
      '/api/auth/sign-in',
      { email: ann.email, password: 'not the password' },
      { 'x-forwarded-for': `198.51.100.${turn}` },
    )
  await guess(99) // now there is a row that all guesses count in
  const counter = statement`select from password_attempts where tenant_id = ${tenant} and source = ''`

  const { answers } = await storm(t, counter, crowd(guess), () =>
    Promise.all([
      ben.get('/api/users/me'),
      world.nobody.post('/api/auth/sign-in', { email: ann.email, password, deviceToken: body.session.deviceToken }),
    ]),
  )

  assert.deepEqual(said(answers), ['invalid_credentials'])
})

test('while a tenant’s row is locked, its admins wait without a connection', async (t) => {
  const [tess, ann] = await Promise.all([world.tenantAdmin(), world.person()])
  const change: Act = (turn) => tess.patch('/api/admin/tenant', { name: `Tenant ${turn}` })
  const tenants = statement`select from tenants where id = ${tenant}`

  const { answers, order } = await storm(t, tenants, crowd(change), async () => [await ann.get('/api/users/me')])

  assert.deepEqual([said(answers), order], [[200], inOrder])
})

test('links with the same row wait without a connection', async (t) => {
  const [ann, ben] = await Promise.all([world.person('Ann'), world.person('Ben')])
  const row = ann.id.replace('user_', '')
  const token = `ghm_${tenantPart(ann)}.${row}.${'x'.repeat(42)}0`
  const newPassword = 'another long passphrase'
  const reset: Act = () => world.nobody.post('/api/auth/reset-password', { token, newPassword })

  const { answers, order } = await storm(t, account(ann), crowd(reset), async () => [await ben.get('/api/users/me')])

  assert.deepEqual([said(answers), order], [['token_spent'], inOrder])
})

/** The tenant as tokens name it. */
function tenantPart({ headers }: Person): string {
  return /ghs_([0-9a-z]+)\./.exec(headers.authorization ?? '')?.[1] ?? ''
}
