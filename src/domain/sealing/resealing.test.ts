import assert from 'node:assert/strict'
import { test } from 'node:test'
import { partsOf } from '../../../test/jwt.ts'
import { addProvider, enrol, forgetSteps } from '../../../test/sign-in.ts'
import { createWorld } from '../../../test/world.ts'
import { Keyring } from '../../platform/cryptography.ts'
import { reseal } from '../../tasks.ts'
import { spendTotp } from '../credentials/factors.ts'
import { codeAt, openSeed, sealSeed } from '../credentials/totp.ts'
import { findProvider } from '../providers/stored.ts'
import { Signer } from '../signing-keys/signer.ts'
import { addWebhookSecret, openWebhookSecret, type SealedSecret, selectSecrets } from '../webhooks/secrets.ts'
import { countSealedBefore } from './resealing.ts'

const old = 'a secret that is only used in tests' // of each world
const world = await createWorld({ settings: { OUTBOUND_PRIVATE: '127.0.0.1' } })
const { database, postgres } = world
const { query } = postgres
const nothingLost = { seeds: 0, clientSecrets: 0, signingKeys: 0, webhookSecrets: 0 }
const seed = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'

const countIn = (tenant: string, keyring: Keyring) =>
  database.inTenant(tenant, (sql) => countSealedBefore(sql, keyring))

/** A tenant with authenticator apps, whose seeds `sealWith` seals. @returns its id */
async function tenantWithApps(count: number, sealWith: (tenant: string, id: string) => string, sealedUnder: string) {
  const { id: tenant } = await world.tenant()
  const numbers = Array.from({ length: count }, (_, n) => `${n}`.padStart(6, '0'))
  const factors = numbers.map((n) => `fac_${n}`)
  await query(
    `insert into users (tenant_id, id, email, email_verified, role)
     select $1, 'user_' || n, n || '@example.com', true, 'user' from unnest($2::text[]) n`,
    [tenant, numbers],
  )
  await query(
    `insert into factors (tenant_id, id, user_id, type, name, seed, sealed_under, last_step)
     select $1, 'fac_' || n, 'user_' || n, 'totp', 'App', seed, $4, 7
     from unnest($2::text[], $3::text[]) as r (n, seed)`,
    [tenant, numbers, factors.map((id) => sealWith(tenant, id)), sealedUnder],
  )
  return tenant
}

async function addWebhook(tenant: string, keyring: Keyring, secret: string): Promise<void> {
  await query(
    `insert into webhooks (tenant_id, id, name, url, place) values ($1, 'whk_1', 'Billing', 'https://billing.example.com', 0)`,
    [tenant],
  )
  await database.inTenant(tenant, (sql) => addWebhookSecret(sql, keyring, 'whk_1', secret, 0))
}

async function secretsOf(tenant: string, keyring: Keyring) {
  const { sealed } = await database.read(tenant, { sealed: selectSecrets(tenant, 'whk_1') })
  return (sealed as unknown as SealedSecret[]).map(({ id, secret }) => openWebhookSecret(keyring, tenant, id, secret))
}

test('seeds, client secrets, signing keys and secrets of webhooks are sealed again under the newest secret, and then the older one can go', async () => {
  const { person, secret } = await enrol(world)
  const providerId = await addProvider(world, 'https://login.example.com', { clientSecret: 'of-the-client' })
  const publicId = await addProvider(world, 'https://login.example.com')
  const { tenantId } = world
  const { body } = await person.post('/api/tokens')
  const { kid } = partsOf(body.token).header
  await addWebhook(tenantId, world.keyring, 'whsec_b2YgdGhlIHdlYmhvb2s=')
  const [rotated, fresh] = [new Keyring(['f'.repeat(32), old]), new Keyring(['f'.repeat(32)])]
  assert.deepEqual(await countIn(tenantId, world.keyring), { older: 0, lost: nothingLost })
  assert.deepEqual(await countIn(tenantId, rotated), { older: 4, lost: nothingLost })
  assert.deepEqual(await countIn(tenantId, fresh), {
    older: 0,
    lost: { seeds: 1, clientSecrets: 1, signingKeys: 1, webhookSecrets: 1 },
  })

  assert.deepEqual(await reseal({ database, keyring: fresh }), {}, 'what is lost stays: its secret may be put back')
  assert.deepEqual(await reseal({ database, keyring: rotated }), {
    seeds: 1,
    clientSecrets: 1,
    signingKeys: 1,
    webhookSecrets: 1,
  })
  assert.deepEqual(await reseal({ database, keyring: rotated }), {})

  assert.deepEqual(await countIn(tenantId, rotated), { older: 0, lost: nothingLost })
  assert.deepEqual(await countIn(tenantId, fresh), { older: 0, lost: nothingLost })
  await database.inTenant(tenantId, async (sql) => {
    assert.equal((await findProvider(sql, fresh, providerId))?.clientSecret, 'of-the-client')
    assert.equal((await findProvider(sql, world.keyring, providerId))?.isSecretLost, true)
    const { clientSecret, isSecretLost } = (await findProvider(sql, fresh, publicId)) ?? {}
    assert.deepEqual([clientSecret, isSecretLost], [null, false])
  })
  const signWith = (keyring: Keyring) => new Signer({ database, keyring }).sign(tenantId, kid, 'at+jwt', {})
  await assert.rejects(signWith(world.keyring), /No secret of GUILDHALL_SECRET opens the signing key/)
  assert.equal(partsOf(await signWith(fresh)).header.kid, kid)
  assert.deepEqual(await secretsOf(tenantId, fresh), ['whsec_b2YgdGhlIHdlYmhvb2s='])
  assert.deepEqual(await secretsOf(tenantId, world.keyring), [undefined])
  await forgetSteps(world)
  const code = codeAt(secret, Math.floor(Date.now() / 30_000))
  const spend = (keyring: Keyring) => database.inTenant(tenantId, (sql) => spendTotp(sql, keyring, person.id, code))
  assert.equal(await spend(world.keyring), undefined)
  assert.ok(await spend(fresh))

  await reseal({ database, keyring: new Keyring([old, 'f'.repeat(32)]) })
  assert.deepEqual(await countIn(tenantId, world.keyring), { older: 0, lost: nothingLost })
})

test('two processes that seal a large tenant again at once leave nothing, and change nothing else', async () => {
  const [before, after] = [new Keyring(['b'.repeat(32)]), new Keyring(['c'.repeat(32), 'b'.repeat(32)])]
  const tenant = await tenantWithApps(2_500, (id, factor) => sealSeed(before, id, factor, seed), before.name)
  const rest = () =>
    query('select id, user_id, name, last_step, created_at from factors where tenant_id = $1 order by id', [tenant])
  const untouched = await rest()

  const counts = await Promise.all([reseal({ database, keyring: after }), reseal({ database, keyring: after })])
  const { seeds = 0 } = await reseal({ database, keyring: after }) // what one passed over while the other held it

  assert.equal(
    counts.reduce((sum, { seeds: each = 0 }) => sum + each, seeds),
    2_500,
  )
  const rows = await query<{ id: string; seed: string }>('select id, seed from factors where tenant_id = $1', [tenant])
  const newest = new Keyring(['c'.repeat(32)])
  assert.ok(rows.every((row) => openSeed(newest, tenant, row.id, row.seed) === seed))
  assert.deepEqual(await rest(), untouched)
})

test('a factor that is removed or replaced meanwhile stays as that change left it', async () => {
  const [before, after] = [new Keyring(['b'.repeat(32)]), new Keyring(['c'.repeat(32), 'b'.repeat(32)])]
  const tenant = await tenantWithApps(3, (id, factor) => sealSeed(before, id, factor, seed), before.name)
  const replaced = sealSeed(before, tenant, 'fac_000001', 'A'.repeat(32))

  await database.inTenant(tenant, async (sql) => {
    await sql`delete from factors where tenant_id = ${tenant} and id = 'fac_000000'`
    await sql`update factors set seed = ${replaced} where tenant_id = ${tenant} and id = 'fac_000001'`
    assert.deepEqual(await reseal({ database, keyring: after }), { seeds: 1 })
  })
  assert.deepEqual(await reseal({ database, keyring: after }), { seeds: 1 })

  const rows = await query<{ id: string; seed: string }>(
    'select id, seed from factors where tenant_id = $1 order by id',
    [tenant],
  )
  const newest = new Keyring(['c'.repeat(32)])
  assert.deepEqual(
    rows.map((row) => [row.id, openSeed(newest, tenant, row.id, row.seed)]),
    [
      ['fac_000001', 'A'.repeat(32)],
      ['fac_000002', seed],
    ],
  )
})

test('seeds that no secret opens do not hold up the others, and are counted', async () => {
  const [before, after] = [new Keyring(['b'.repeat(32)]), new Keyring(['c'.repeat(32), 'b'.repeat(32)])]
  const tenant = await tenantWithApps(
    1_200,
    (_, factor) => sealSeed(before, 'another tenant', factor, seed),
    before.name,
  )
  await query(`update factors set seed = $2 where tenant_id = $1 and id = 'fac_001199'`, [
    tenant,
    sealSeed(before, tenant, 'fac_001199', seed),
  ])

  assert.deepEqual(await reseal({ database, keyring: after }), { seeds: 1_200 })

  assert.deepEqual(await countIn(tenant, after), {
    older: 0,
    lost: { seeds: 1_199, clientSecrets: 0, signingKeys: 0, webhookSecrets: 0 },
  })
  const [row] = await query<{ seed: string }>(`select seed from factors where tenant_id = $1 and id = 'fac_001199'`, [
    tenant,
  ])
  assert.equal(openSeed(after, tenant, 'fac_001199', row?.seed ?? ''), seed)
})
