/** New accounts: every way to make one, after somebody guessed at its address. */
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { test } from 'node:test'
import { createAdmin, renewSetUpLink } from '../src/features/tenants/set-up.ts'
import type { TenantRecord } from '../src/features/tenants/tenants.ts'
import { bring, file, foreign } from './transfers.ts'
import { createWorld, password } from './world.ts'

const world = await createWorld({
  worker: true,
  settings: { GUILDHALL_SECRET: 'a secret that is used in this file alone' },
})
const { query } = world.postgres

/** Makes an account with the address in the tenant, by which somebody can sign in with `password`. */
const ways: Readonly<Record<string, (tenant: TenantRecord, email: string) => Promise<unknown>>> = {
  'sign-up': async ({ slug }, email) => world.person('Ann', { tenant: slug, email }),
  'set-up': async (tenant, email) => {
    const link = await renewSetUpLink(world.database, world.app.config, tenant)
    const answer = await world.nobody.post('/api/setup', { token: link?.split('#token=')[1], email, password })
    assert.equal(answer.status, 201)
  },
  'the operator’s command': (tenant, email) => createAdmin(world, tenant, { email, password }),
  'an import': async (tenant, email) => {
    assert.equal(foreign.password, password)
    const users = await file({ externalId: email, email, passwordHash: foreign.hash })
    await bring(world, tenant, { users })
  },
}

for (const [way, make] of Object.entries(ways)) {
  test(`earlier guesses at an address do not lock out a person whom ${way} creates`, async () => {
    const tenant = await world.tenant()
    const email = `new-${randomBytes(5).toString('hex')}@example.com`
    const signIn = (typed: string) =>
      world.nobody.post('/api/auth/sign-in', { email, password: typed }, { 'guildhall-tenant': tenant.slug })
    for (let each = 0; each < 5; each++) assert.equal((await signIn('a guess')).status, 401)
    await query(
      `update password_attempts set failures = 100, next_at = now() + interval '15 minutes' where tenant_id = $1`,
      [tenant.id],
    )

    await make(tenant, email)

    assert.equal((await signIn(password)).status, 200)
  })
}

test('guesses at an address are forgotten when an admin creates a user with it', async () => {
  const tenant = await world.tenant()
  const tess = await world.tenantAdmin(tenant.slug)
  const email = `new-${randomBytes(5).toString('hex')}@example.com`
  const headers = { 'guildhall-tenant': tenant.slug }
  await world.nobody.post('/api/auth/sign-in', { email, password: 'a guess' }, headers)
  const counted = () => query('select from password_attempts where tenant_id = $1', [tenant.id])
  assert.equal((await counted()).length, 2)

  assert.equal((await tess.post('/api/admin/users', { email })).status, 201)

  assert.deepEqual(await counted(), [])
})
