/** Races of codes and refresh tokens, over two processes: what is handed out once, and what must not outlive its session. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { errorOf, grantsOf, makeProduct, type Product } from '../../../test/grants.ts'
import { type Act, together } from '../../../test/races.ts'
import { type Answer, createWorld, type Json, type Person, password } from '../../../test/world.ts'
import { makeRefreshToken } from '../../domain/applications/grant-tokens.ts'

const world = await createWorld({ processes: 2 })
const { query, awaitLine } = world.postgres
const tess = await world.tenantAdmin()

const many = (act: Act) => together(...Array.from({ length: 50 }, () => act))

/** Sends requests while a person’s sessions and grants are locked, and releases these when all wait: so they meet in the given order. */
async function meet(person: Person, ...acts: readonly Act[]): Promise<Answer[]> {
  const { tenantId } = world
  let answered = 0
  const answers = await world.database.inTenant(tenantId, async (sql) => {
    await sql`select from sessions where tenant_id = ${tenantId} and user_id = ${person.id} for update`
    await sql`
      select from grants g join sessions s on s.tenant_id = ${tenantId} and s.id = g.session_id
      where g.tenant_id = ${tenantId} and s.user_id = ${person.id} for update of g`
    const sent = acts.map(async (act, index) => {
      await awaitLine(index, () => answered)
      const answer = await act()
      answered++
      return answer
    })
    await awaitLine(acts.length, () => answered)
    return sent
  })
  return Promise.all(answers)
}

test('of 50 exchanges of one code one gets a grant, and it ends', async () => {
  const acme = await makeProduct(world)
  const code = await acme.code(await world.person())

  const answers = await many(() => acme.exchange(code))

  const granted = answers.filter(({ status }) => status === 200)
  assert.equal(granted.length, 1)
  const refused = answers.filter(({ status }) => status !== 200).map(errorOf)
  assert.deepEqual(
    refused,
    refused.map(() => [400, 'invalid_grant']),
  )
  const grants = await grantsOf(world, acme)
  assert.deepEqual([grants.length, grants[0]?.ended_at instanceof Date], [1, true])
  assert.deepEqual(errorOf(await acme.userinfo(granted[0]?.body.access_token)), [401, 'invalid_token'])
})

test('50 refreshes with one token get the same successor', async () => {
  const acme = await makeProduct(world)
  const { refresh_token: token } = await acme.signIn(await world.person())

  const answers = await many(() => acme.refresh(token))

  assert.deepEqual(new Set(answers.map(({ status }) => status)), new Set([200]))
  assert.equal(new Set(answers.map(({ body }) => body.refresh_token)).size, 1)
  const [grant] = await grantsOf(world, acme)
  assert.deepEqual([grant?.generation, grant?.ended_at], [1, null])
})

test('a refresh waits for the one before it, and goes on from there', async () => {
  const ann = await world.person()
  const acme = await makeProduct(world)
  const { refresh_token: first } = await acme.signIn(ann)
  const [grant] = await grantsOf(world, acme)
  // What the first one is about to give.
  const next = makeRefreshToken(world.keyring, { tenant: world.tenantId, grantId: `${grant?.id}`, generation: 1 })

  const answers = await meet(
    ann,
    () => acme.refresh(first),
    () => acme.refresh(next),
  )

  assert.deepEqual([answers[0]?.body.refresh_token, answers[1]?.status], [next, 200])
  assert.deepEqual(
    (await grantsOf(world, acme)).map(({ generation }) => generation),
    [2],
  )
})

/** What takes away what an application holds. */
const endings: Readonly<Record<string, (person: Person, acme: Product) => Promise<Answer>>> = {
  'a sign-out': (person) => person.post('/api/auth/sign-out'),
  'a suspension': (person) => tess.patch(`/api/admin/users/${person.id}`, { status: 'suspended' }),
  'a deletion': (person) => person.delete('/api/users/me', { password }),
}

for (const [what, end] of Object.entries(endings)) {
  test(`nothing that is handed out outlives ${what} at the same moment`, async () => {
    const acme = await makeProduct(world)
    for (const isEndFirst of [true, false]) {
      for (const kind of ['exchange', 'refresh'] as const) {
        const ann = await world.person()
        const held = await acme.signIn(ann)
        const code = await acme.code(ann)
        const ask = () => (kind === 'exchange' ? acme.exchange(code) : acme.refresh(held.refresh_token))
        const ending = () => end(ann, acme)

        const answers = await (isEndFirst ? meet(ann, ending, ask) : meet(ann, ask, ending))

        const [asked, ended] = isEndFirst ? answers.toReversed() : answers
        assert.ok([200, 204].includes(ended?.status ?? 0), `${what}: ${ended?.status}`)
        for (const { access_token, refresh_token } of [held, ...(asked?.status === 200 ? [asked.body] : [])]) {
          assert.deepEqual(errorOf(await acme.userinfo(access_token)), [401, 'invalid_token'])
          assert.deepEqual(errorOf(await acme.refresh(refresh_token)), [400, 'invalid_grant'])
        }
        if (asked?.status !== 200) assert.deepEqual(asked && errorOf(asked), [400, 'invalid_grant'])
      }
    }
    const left = await query('select from grants where application_id = $1 and ended_at is null', [acme.id])
    assert.equal(left.length, 0)
  })
}

test('an eleventh grant lives, also if the ten others were used while it waited for the session', async () => {
  const [ann, acme] = [await world.person(), await makeProduct(world)]
  const held: Json[] = []
  for (let count = 0; count < 10; count++) held.push(await acme.signIn(ann))
  const code = await acme.code(ann)
  const { tenantId } = world

  const [exchanging] = await world.database.inTenant(tenantId, async (sql) => {
    await sql`select from sessions where tenant_id = ${tenantId} and user_id = ${ann.id} for update`
    const sent = acme.exchange(code)
    await awaitLine(1)
    for (const { refresh_token } of held) assert.equal((await acme.refresh(refresh_token)).status, 200)
    return [sent]
  })
  const { access_token } = (await exchanging).body

  assert.equal((await acme.userinfo(access_token)).status, 200)
  const living = (await grantsOf(world, acme)).filter(({ ended_at }) => ended_at === null)
  assert.equal(living.length, 10)
})

test('a revocation wins over a refresh at the same moment', async () => {
  const acme = await makeProduct(world)
  for (const isFirst of [true, false]) {
    const ann = await world.person()
    const { refresh_token: token } = await acme.signIn(ann)
    const revoke = () => acme.post('revoke', { token })
    const refresh = () => acme.refresh(token)

    const answers = await (isFirst ? meet(ann, revoke, refresh) : meet(ann, refresh, revoke))

    const newest = answers.find(({ body }) => body.refresh_token)?.body.refresh_token ?? token
    assert.deepEqual(errorOf(await acme.refresh(newest)), [400, 'invalid_grant'])
    assert.equal((await ann.get('/api/users/me')).status, 200, 'the session stays')
  }
})
