/**
 * Races of codes and refresh tokens, over two processes: what is handed out once, and what must not outlive its session.
 *
 * Broken by hand, they fail: if an exchange does not lock its session, tokens outlive a sign-out and the end of a device; if a refresh looks at
 * the generation without a lock and then writes the next one, it does not wait for the one before it, and outlives a revocation.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { checkOver, checkRefused, endingsBy } from '../../../test/grant-endings.ts'
import { errorOf, grantsOf, makeProduct, type Product } from '../../../test/grants.ts'
import { type Act, meetAt, together } from '../../../test/races.ts'
import { type Answer, createWorld, type Json, type Person } from '../../../test/world.ts'
import { makeRefreshToken } from '../../domain/applications/grant-tokens.ts'
import type { Sql } from '../../platform/database/database.ts'

const world = await createWorld({ processes: 2 })
const { awaitLine } = world.postgres
const tess = await world.tenantAdmin()
await makeProduct(world) // a tenant without applications answers 404

/** The grants of an application that have not ended. */
async function livingOf(acme: Product): Promise<unknown[]> {
  return (await grantsOf(world, acme)).filter(({ ended_at }) => ended_at === null)
}

const many = (act: Act) => together(...Array.from({ length: 50 }, () => act))

/** Sends requests that meet at a person’s sessions and grants. */
function meet(person: Person, ...acts: readonly Act[]): Promise<Answer[]> {
  const { tenantId } = world
  const lock = async (sql: Sql) => {
    await sql`select from sessions where tenant_id = ${tenantId} and user_id = ${person.id} for update`
    await sql`
      select from grants g join sessions s on s.tenant_id = ${tenantId} and s.id = g.session_id
      where g.tenant_id = ${tenantId} and s.user_id = ${person.id} for update of g`
  }
  return meetAt(world, lock, acts)
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

test('of 50 exchanges of as many codes of one session ten grants are left', async () => {
  const [acme, ann] = [await makeProduct(world), await world.person()]
  const codes = await Promise.all(Array.from({ length: 50 }, () => acme.code(ann)))

  const answers = await together(...codes.map((code) => () => acme.exchange(code)))

  assert.deepEqual(new Set(answers.map(({ status }) => status)), new Set([200]))
  assert.equal((await livingOf(acme)).length, 10)
  const shown = await together(
    ...answers.map(
      ({ body }) =>
        () =>
          acme.userinfo(body.access_token),
    ),
  )
  assert.equal(shown.filter(({ status }) => status === 200).length, 10)
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

for (const [what, ending] of Object.entries(endingsBy(tess))) {
  test(`nothing that is handed out outlives ${what} at the same moment`, async () => {
    for (const isEndFirst of [true, false]) {
      for (const kind of ['exchange', 'refresh'] as const) {
        const [acme, ann] = [await makeProduct(world), await world.person()]
        const held = await acme.signIn(ann)
        const [code, other] = [await acme.code(ann), await world.signIn(ann)]
        const ask = () => (kind === 'exchange' ? acme.exchange(code) : acme.refresh(held.refresh_token))
        const end = () => ending.end({ person: ann, other }, acme)

        const answers = await (isEndFirst ? meet(ann, end, ask) : meet(ann, ask, end))

        const [asked, ended] = isEndFirst ? answers.toReversed() : answers
        assert.ok([200, 204].includes(ended?.status ?? 0), `the end answered ${ended?.status}`)
        if (asked?.status !== 200) checkRefused(asked, ending)
        const granted = asked?.status === 200 ? [held, asked.body] : [held]
        for (const tokens of granted) await checkOver(acme, ending, tokens)
        if (ending.told) assert.deepEqual(await livingOf(acme), [])
      }
    }
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

test('after a revocation and a refresh at the same moment no token of the grant works', async () => {
  const acme = await makeProduct(world)
  for (const isFirst of [true, false]) {
    for (const by of ['refresh_token', 'access_token']) {
      const ann = await world.person()
      const held = await acme.signIn(ann)
      const revoke = () => acme.post('revoke', { token: held[by] })
      const refresh = () => acme.refresh(held.refresh_token)

      const answers = await (isFirst ? meet(ann, revoke, refresh) : meet(ann, refresh, revoke))

      const [revoked, refreshed] = isFirst ? answers : answers.toReversed()
      assert.deepEqual([revoked?.status, refreshed?.status], [200, isFirst ? 400 : 200])
      for (const tokens of [held, ...(refreshed?.status === 200 ? [refreshed.body] : [])]) {
        assert.deepEqual(errorOf(await acme.userinfo(tokens.access_token)), [401, 'invalid_token'])
        assert.deepEqual(errorOf(await acme.refresh(tokens.refresh_token)), [400, 'invalid_grant'])
      }
      assert.equal((await ann.get('/api/users/me')).status, 200, 'the session stays')
    }
  }
})

test('50 refreshes and revocations at once end with a grant that is over', async () => {
  const [acme, ann] = [await makeProduct(world), await world.person()]
  const held = await acme.signIn(ann)
  const [refresh, revoke] = [
    () => acme.refresh(held.refresh_token),
    () => acme.post('revoke', { token: held.access_token }),
  ]

  const answers = await together(...Array.from({ length: 50 }, (_, index) => (index % 10 === 9 ? revoke : refresh)))

  for (const answer of answers) assert.ok(['200', '400 invalid_grant'].includes(errorOf(answer).join(' ')))
  for (const { body } of answers.filter(({ body }) => body.access_token)) {
    assert.deepEqual(errorOf(await acme.userinfo(body.access_token)), [401, 'invalid_token'])
    assert.deepEqual(errorOf(await acme.refresh(body.refresh_token)), [400, 'invalid_grant'])
  }
  assert.deepEqual(await livingOf(acme), [])
})
