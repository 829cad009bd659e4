import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { test } from 'node:test'
import { createWorld, type Person } from '../../../test/world.ts'
import type { Sql } from '../../platform/database/database.ts'
import { toProblem } from '../../platform/http/problems.ts'
import { newId } from '../../platform/http/schemas.ts'
import { problemOfConstraint } from '../problems.ts'
import { creationOptions, requestOptions } from './passkey-options.ts'
import { findPasskey, insertPasskey, listPasskeys, type NewPasskey, notePasskeyUse } from './passkeys.ts'

const world = await createWorld({ processes: 2 })
const { query } = world.postgres
const tenant = await world.tenant()
const other = await world.tenant()
const site = { rpId: 'example.com', origins: ['https://example.com'] }

const inTenant = <T>(work: (sql: Sql) => Promise<T>) => world.database.inTenant(tenant.id, work)
const outcomeOf = (work: Promise<unknown>) =>
  work.then(
    () => 'done',
    (error: unknown) => toProblem(error, problemOfConstraint).code,
  )

function person(): Promise<Person> {
  return world.person('Ann', { tenant: tenant.slug })
}

function newPasskey(changes: Partial<NewPasskey> = {}): NewPasskey {
  return {
    credentialId: randomBytes(32),
    publicKey: randomBytes(77),
    signCount: 0,
    transports: ['internal'],
    isSynced: false,
    canSignIn: true,
    rpId: 'localhost',
    ...changes,
  }
}

test('a passkey is stored, found by its credential and listed, in its tenant alone', async () => {
  const ann = await person()
  const passkey = newPasskey({ signCount: 2 ** 32 - 1, isSynced: true })
  const id = await inTenant((sql) => insertPasskey(sql, ann.id, 'Laptop', passkey))

  const stored = { id, userId: ann.id, ...passkey }
  const named = passkey.credentialId.toString('base64url')
  assert.deepEqual(await inTenant((sql) => findPasskey(sql, named)), stored)
  assert.deepEqual(await inTenant((sql) => listPasskeys(sql, ann.id)), [stored])
  assert.equal(await world.database.inTenant(other.id, (sql) => findPasskey(sql, named)), undefined)
  const [row] = await query('select name, type, last_used_at from factors where id = $1', [id])
  assert.deepEqual(row, { name: 'Laptop', type: 'passkey', last_used_at: null })
})

test('a credential is registered once in a tenant', async () => {
  const [ann, ben] = [await person(), await person()]
  const passkey = newPasskey()
  await inTenant((sql) => insertPasskey(sql, ann.id, 'Laptop', passkey))
  for (const { id } of [ann, ben])
    assert.equal(await outcomeOf(inTenant((sql) => insertPasskey(sql, id, 'Laptop', passkey))), 'passkey_taken')
})

test('a person has at most twenty factors, even if several are added at once', async () => {
  const ann = await person()
  const add = () => outcomeOf(inTenant((sql) => insertPasskey(sql, ann.id, 'Key', newPasskey())))
  for (let each = 0; each < 18; each++) assert.equal(await add(), 'done')
  const outcomes = await Promise.all([add(), add(), add(), add()])
  assert.deepEqual(outcomes.sort(), ['done', 'done', 'limit_reached', 'limit_reached'])
})

test('of two uses with the same counter one is noted; authenticators without a counter are always noted', async () => {
  const ann = await person()
  const note = (id: string, count: number) => inTenant((sql) => notePasskeyUse(sql, id, count))
  const counting = await inTenant((sql) => insertPasskey(sql, ann.id, 'Key', newPasskey({ signCount: 5 })))
  const outcomes = await Promise.all([note(counting, 6), note(counting, 6)])
  assert.deepEqual(outcomes.sort(), [false, true])
  assert.deepEqual(
    [await note(counting, 6), await note(counting, 0), await note(counting, 2 ** 32 - 1)],
    [false, false, true],
  )

  const silent = await inTenant((sql) => insertPasskey(sql, ann.id, 'Key', newPasskey()))
  assert.deepEqual([await note(silent, 0), await note(silent, 0)], [true, true])
  const used = await query('select from factors where user_id = $1 and last_used_at is not null', [ann.id])
  assert.equal(used.length, 2)
  assert.equal(await note(newId('fac'), 1), false)
})

test('passkeys go with their person', async () => {
  const ann = await person()
  await inTenant((sql) => insertPasskey(sql, ann.id, 'Key', newPasskey()))
  await query('delete from users where id = $1', [ann.id])
  assert.deepEqual(await query('select from factors where user_id = $1', [ann.id]), [])
})

test('options name the site, the person and the passkeys that fit the purpose', async () => {
  const ann = await person()
  const [full, bare] = [newPasskey(), newPasskey({ canSignIn: false, transports: [] })]
  for (const each of [full, bare]) await inTenant((sql) => insertPasskey(sql, ann.id, 'Key', each))
  const passkeys = await inTenant((sql) => listPasskeys(sql, ann.id))
  const [fullOne, bareOne] = [full, bare].map(({ credentialId, transports }) => ({
    type: 'public-key',
    id: credentialId.toString('base64url'),
    transports,
  }))

  const created = creationOptions(site, 'AAAA', tenant, { id: ann.id, email: ann.email, name: null }, passkeys)
  assert.deepEqual(created.rp, { id: 'example.com', name: 'Another Tenant' })
  assert.equal(Buffer.from(created.user.id, 'base64url').length, 16)
  assert.deepEqual([created.user.name, created.user.displayName], [ann.email, ann.email])
  assert.deepEqual(
    created.pubKeyCredParams.map(({ alg }) => alg),
    [-8, -7, -257],
  )
  assert.deepEqual(created.excludeCredentials, [fullOne, bareOne])
  const asked = { rpId: 'example.com', challenge: 'AAAA', timeout: 600_000 }
  for (const purpose of ['sign_in', 'link'] as const)
    assert.deepEqual(requestOptions(site, 'AAAA', purpose, passkeys), { ...asked, userVerification: 'required' })
  const second = { ...asked, allowCredentials: [fullOne, bareOne], userVerification: 'discouraged' }
  assert.deepEqual(requestOptions(site, 'AAAA', 'second_factor', passkeys), second)
  const confirming = { ...asked, allowCredentials: [fullOne], userVerification: 'required' }
  assert.deepEqual(requestOptions(site, 'AAAA', 'confirm', passkeys), confirming)
})
