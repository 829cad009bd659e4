import assert from 'node:assert/strict'
import { test } from 'node:test'
import { earlier } from '../../../test/earlier.ts'
import { partsOf } from '../../../test/jwt.ts'
import { createWorld, type Json, type Person } from '../../../test/world.ts'
import { uuidToTenantId } from '../../platform/http/schemas.ts'
import { runEverywhere, runRetention } from '../../tasks.ts'
import { system } from '../access/actors.ts'
import { rotateKeys } from './rotation.ts'

const world = await createWorld({ processes: 2 })
const { database, keyring } = world
const { query } = world.postgres
const store = { database, keyring }

/** A tenant that has signed a token. */
async function signingTenant() {
  const { slug, id } = await world.tenant()
  const ann = await world.person('Ann', { tenant: slug })
  const first = await signerOf(ann)
  return {
    id,
    ann,
    first,
    /** The ids of the published keys, the oldest first. */
    published: async () => {
      const { body } = await world.nobody.get(`/api/tenants/${uuidToTenantId(id)}/jwks.json`)
      return body.keys.map(({ kid }: Json) => kid as string)
    },
    /** Lets time pass for the tenant's keys. */
    pass: (time: string) =>
      query(`update signing_keys set signs_from = ${earlier('signs_from', '$2::interval')} where tenant_id = $1`, [
        id,
        time,
      ]),
    beginnings: () =>
      query<{ at: Date }>('select signs_from as at from signing_keys where tenant_id = $1 order by signs_from', [id]),
  }
}

/** @returns the id of the key that signs now */
async function signerOf(person: Person): Promise<string> {
  const { body } = await person.post('/api/tokens')
  return partsOf(body.token).header.kid
}

test('the next key is published a day before it signs, and the one before until its last session is over', async () => {
  const { ann, first, published, pass, beginnings } = await signingTenant()
  await pass('88 days 23 hours')
  assert.equal(await runEverywhere(store, 'rotate_keys'), 0)
  assert.deepEqual(await published(), [first])

  await pass('2 hours')
  assert.equal(await runEverywhere(store, 'rotate_keys'), 1)
  assert.equal(await runEverywhere(store, 'rotate_keys'), 0)

  const [, second = ''] = await published()
  assert.deepEqual([await published(), await signerOf(ann)], [[first, second], first])
  const [begun, next] = await beginnings()
  const wait = (next?.at.getTime() ?? 0) - (begun?.at.getTime() ?? 0)
  assert.ok(wait >= 90 * 86_400_000 && wait < 90 * 86_400_000 + 3_600_000 * 2, `${wait} ms`)

  await pass('23 hours')
  assert.equal(await signerOf(ann), first)
  await pass('2 hours')
  assert.deepEqual([await published(), await signerOf(ann)], [[first, second], second])
  assert.equal((await runRetention(database)).signingKeys, undefined)
  await pass('29 days')
  assert.deepEqual(await published(), [first, second])
  assert.equal((await runRetention(database)).signingKeys, undefined)
  await pass('1 day')
  assert.deepEqual(await published(), [second])
  assert.equal((await runRetention(database)).signingKeys, 1)
  assert.equal((await beginnings()).length, 1)
})

test('a task that is late leaves a day before the next key signs, and processes at once make one key', async () => {
  const { ann, first, published, pass, beginnings } = await signingTenant()
  await pass('200 days')

  const counts = await Promise.all([
    runEverywhere(store, 'rotate_keys'),
    runEverywhere(store, 'rotate_keys'),
    runEverywhere(store, 'rotate_keys'),
  ])

  assert.equal(
    counts.reduce((sum, count) => sum + count),
    1,
  )
  assert.deepEqual([(await published()).length, await signerOf(ann)], [2, first])
  const [, next] = await beginnings()
  const hours = ((next?.at.getTime() ?? 0) - Date.now()) / 3_600_000
  assert.ok(hours > 23 && hours < 25, `${hours} hours`)
})

test('a tenant that has signed nothing gets no key', async () => {
  const { id } = await world.tenant()
  await runEverywhere(store, 'rotate_keys')
  assert.deepEqual(await query('select from signing_keys where tenant_id = $1', [id]), [])
})

test('the operator replaces the key after a day, or at once and withdraws all others', async () => {
  const { id, ann, first, published } = await signingTenant()
  const later = await rotateKeys(store, id, system, { isNow: false })
  assert.equal(await rotateKeys(store, id, system, { isNow: false }), later, 'the next key is there already')
  assert.deepEqual([(await published()).length, await signerOf(ann)], [2, first])

  await rotateKeys(store, id, system, { isNow: true })

  const kids = await published()
  assert.ok(kids.length === 1 && !kids.includes(first))
  for (const _ of [1, 2]) assert.deepEqual([await signerOf(ann)], kids, 'of each process')
  const recorded = await query<{ details: Json }>(
    `select details from audit_entries where tenant_id = $1 and action = 'tenant.keys_rotated' order by id`,
    [id],
  )
  const [soon, atOnce, ...more] = recorded.map(({ details }) => details)
  assert.deepEqual([soon, atOnce.othersWithdrawn, more], [{ signsFrom: later, othersWithdrawn: false }, true, []])
})

test('a key that is withdrawn while a token is made is replaced by the one that signs', async () => {
  const { id, published } = await signingTenant()
  await rotateKeys(store, id, system, { isNow: true })
  const token = await world.app.signer.sign(id, 'withdrawn', 'at+jwt', {})
  assert.deepEqual([partsOf(token).header.kid], await published())
})
