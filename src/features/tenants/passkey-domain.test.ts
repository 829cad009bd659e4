import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { test } from 'node:test'
import { newAuthenticator } from '../../../test/authenticator.ts'
import { hold } from '../../../test/holding.ts'
import { warningsOf } from '../../../test/mail-jobs.ts'
import { addPasskey, enrol } from '../../../test/sign-in.ts'
import { createWorld, type Json } from '../../../test/world.ts'
import { checkUnlocated, describeLost, findLostPasskeys, keepPasskeys } from './passkey-domain.ts'
import { getTenantBySlug, type OperatorSettings, updateTenant } from './tenants.ts'

const world = await createWorld({
  settings: {
    PUBLIC_URL: 'https://guildhall.example',
    SMTP_URL: 'smtp://127.0.0.1:9',
    MAIL_FROM: 'Guildhall <no-reply@guildhall.example>',
  },
})
const { query, awaitLine } = world.postgres

/** A tenant with two domains, of which one has its sign-in pages. */
async function makeTenant() {
  const shop = `shop-${randomBytes(4).toString('hex')}.example`
  const domains = [`accounts.${shop}`, `login.${shop}`]
  const { slug } = await world.tenant({ domains })
  const change = (settings: OperatorSettings, isForced = false) =>
    updateTenant(world.database, slug, settings, (sql, before, after) =>
      keepPasskeys(sql, world.app, before, after, isForced),
    )
  await change({ signInDomain: `accounts.${shop}` })
  return { shop, slug, domains, change }
}

test('the operator chooses the domain of sign-in pages among the tenant’s, and that of passkeys above it', async () => {
  const { shop, slug, change } = await makeTenant()
  const signIn = async () => (await world.nobody.get('/api/tenant', { 'guildhall-tenant': slug })).body.signIn as Json
  assert.equal((await signIn()).passkeyDomain, `accounts.${shop}`)

  const { signInDomain, passkeyDomain } = await change({ passkeyDomain: shop })
  assert.deepEqual([signInDomain, passkeyDomain], [`accounts.${shop}`, shop])
  const { passkeyDomain: shown, url } = await signIn()
  assert.deepEqual([shown, url], [shop, `https://accounts.${shop}`])

  for (const refused of [
    { signInDomain: `other.${shop}` },
    { domains: [`login.${shop}`] },
    { passkeyDomain: `login.${shop}` },
    { passkeyDomain: 'example' },
    { passkeyDomain: 'elsewhere.example' },
  ])
    await assert.rejects(change(refused), { name: 'TenantError' }, JSON.stringify(refused))
  assert.equal((await signIn()).passkeyDomain, shop, 'a refusal changes nothing')

  const cleared = await change({ passkeyDomain: null, signInDomain: null })
  assert.deepEqual([cleared.signInDomain, cleared.passkeyDomain], [null, null])
})

test('the passkey domain does not change while there are passkeys, unless the operator lets them go', async () => {
  const { shop, slug, change } = await makeTenant()
  const key = () => newAuthenticator(-7, { origin: `https://accounts.${shop}` })
  const [ann, ben] = [await world.person('Ann', { tenant: slug }), await world.person('Ben', { tenant: slug })]
  for (const person of [ann, ben]) assert.equal((await addPasskey(person, key())).answer.status, 201)
  await enrol(world, ben)
  const factors = async (id: string) =>
    (await query<{ type: string }>('select type from factors where user_id = $1', [id])).map(({ type }) => type)

  for (const changed of [{ passkeyDomain: shop }, { signInDomain: `login.${shop}` }, { signInDomain: null }])
    await assert.rejects(change(changed), /^TenantError: The tenant has 2 passkeys of the domain "accounts\..*--force/)
  await change({ name: 'The Shop', domains: [`accounts.${shop}`] })
  assert.deepEqual([await factors(ann.id), (await factors(ben.id)).sort()], [['passkey'], ['passkey', 'totp']])

  await change({ passkeyDomain: shop }, true)

  assert.deepEqual([await factors(ann.id), await factors(ben.id)], [[], ['totp']])
  for (const person of [ann, ben]) assert.equal((await person.get('/api/users/me')).status, 401)
  const codes = await query('select from recovery_codes where user_id = any($1)', [[ann.id, ben.id]])
  assert.equal(codes.length, 10, 'Ben still has an authenticator app')
  const entries = await query(`select from audit_entries where action = 'factor.removed' and actor_type = 'operator'`)
  assert.equal(entries.length, 2)
  for (const { id, email } of [ann, ben]) {
    const warnings = await warningsOf(world, id)
    assert.deepEqual(warnings.at(-1), { to: email, change: 'passkey_removed', namesDevice: false })
  }
})

test('passkeys that a change of PUBLIC_URL made useless are found, and deleted on demand', async () => {
  const { id, slug } = await world.tenant()
  const add = async (rpId: string) => {
    const { id: userId } = await world.person('Ann', { tenant: slug })
    await query(
      `insert into factors (tenant_id, id, user_id, type, name, credential_id, public_key, sign_count, is_synced, rp_id)
       values ($1, $2, $3, 'passkey', 'Key', $4, '', 0, false, $5)`,
      [id, `fac_${userId}`, userId, randomBytes(8), rpId],
    )
  }
  for (const domain of ['guildhall.example', 'id.before.example', 'id.before.example', 'before.example'])
    await add(domain)
  const now = { database: world.database, config: world.app.config }
  const lostAt = async (publicUrl: string) => {
    const at = { ...now, config: { ...now.config, publicUrl } }
    const lost = await findLostPasskeys(at, [await getTenantBySlug(world.database, slug)])
    return lost.map(({ domain, count }) => `${domain} ${count}`)
  }
  assert.deepEqual(await lostAt('https://guildhall.example'), ['before.example 1', 'id.before.example 2'])
  assert.deepEqual(await lostAt('https://id.before.example'), ['before.example 1', 'guildhall.example 1'])
  assert.equal((await lostAt('http://guildhall.example')).length, 3, 'there are no passkeys over plain http')

  const change = (publicUrl: string, settings: OperatorSettings, isForced: boolean) =>
    updateTenant(world.database, slug, settings, async (sql, before, after) => {
      const context = { ...world.app, config: { ...now.config, publicUrl }, keyring: world.keyring }
      await keepPasskeys(sql, context, before, after, isForced)
    })
  await assert.rejects(
    change('https://id.before.example', { passkeyDomain: 'before.example' }, false),
    /has 2 passkeys/,
  )
  // At another host below the same domain, a parent domain is the way to keep its passkeys.
  const parent = await change('https://www.before.example', { passkeyDomain: 'before.example' }, false)
  assert.deepEqual(await lostAt('https://www.before.example'), ['guildhall.example 1', 'id.before.example 2'])
  assert.match(
    describeLost(
      { ...now.config, publicUrl: 'https://www.before.example' },
      { tenant: parent, domain: 'x', count: 1 },
      true,
    ),
    / --passkey-domain before\.example --force$/,
  )
  assert.equal((await lostAt('https://guildhall.example')).length, 3, 'the domain is none of the pages')

  await change('https://guildhall.example', { passkeyDomain: null }, true)
  assert.deepEqual(await query('select rp_id from factors where tenant_id = $1', [id]), [
    { rp_id: 'guildhall.example' },
  ])
})

test('while it is not known where the service is, nothing that decides which passkeys work is changed', async () => {
  const { shop, slug } = await makeTenant()
  const change = (settings: OperatorSettings, isForced = false) =>
    updateTenant(world.database, slug, settings, (sql, before, after) => checkUnlocated(sql, before, after, isForced))
  const refused = { name: 'TenantError', message: / Set PUBLIC_URL / }
  await change({ signInDomain: `login.${shop}` })
  await change({ signInDomain: `accounts.${shop}` }, true)
  await assert.rejects(change({ passkeyDomain: shop }), refused, 'it is none that could be checked')

  const ann = await world.person('Ann', { tenant: slug })
  const key = newAuthenticator(-7, { origin: `https://accounts.${shop}` })
  assert.equal((await addPasskey(ann, key)).answer.status, 201)
  for (const settings of [
    { domains: [`accounts.${shop}`] },
    { signInDomain: `login.${shop}` },
    { signInDomain: null },
    { passkeyDomain: shop },
  ])
    await assert.rejects(change(settings), refused, JSON.stringify(settings))
  await assert.rejects(change({ passkeyDomain: null }, true), refused, 'nothing is deleted')
  const { name, signInDomain } = await change({ name: 'The Shop', signInDomain: `accounts.${shop}` })
  assert.deepEqual([name, signInDomain], ['The Shop', `accounts.${shop}`])
})

/** Somebody who has just touched the authenticator for the tenant's present domain. */
async function registering() {
  const { shop, slug, change } = await makeTenant()
  const person = await world.person('Ann', { tenant: slug })
  const { body } = await person.post('/api/users/me/factors/setup', { type: 'passkey' })
  const credential = newAuthenticator(-7, { origin: `https://accounts.${shop}` }).create(body.options)
  const add = () => person.post('/api/users/me/factors', { type: 'passkey', credential })
  return { shop, slug, change, add }
}

test('a passkey that is added while its domain changes is refused', async () => {
  const { shop, slug, add } = await registering()
  let added: ReturnType<typeof add> | undefined
  await updateTenant(world.database, slug, { passkeyDomain: shop }, async (sql, before, after) => {
    await keepPasskeys(sql, world.app, before, after, false)
    added = add()
    await awaitLine(1)
  })
  const answer = await added
  assert.deepEqual([answer?.status, answer?.body.code], [403, 'wrong_proof'])
})

test('a domain does not change while a passkey of it is being added', async (t) => {
  const { shop, change, add } = await registering()
  const release = await hold(t, world.postgres, 'lock table factors in share row exclusive mode')
  const added = add()
  await awaitLine(1)
  let done = 0
  const changed = change({ passkeyDomain: shop }).finally(() => done++)
  changed.catch(() => {}) // awaited below
  await awaitLine(2, () => done)
  await release()
  assert.equal((await added).status, 201)
  await assert.rejects(changed, /^TenantError: The tenant has 1 passkeys/)
})

test('on the machine itself passkeys are of localhost, and no other domain is accepted', async () => {
  const { slug } = await world.tenant()
  const config = { ...world.app.config, publicUrl: 'http://127.0.0.1:3000' }
  const change = (passkeyDomain: string) =>
    updateTenant(world.database, slug, { passkeyDomain }, (sql, before, after) =>
      keepPasskeys(sql, { ...world.app, config, keyring: world.keyring }, before, after, false),
    )
  for (const domain of ['example.com', 'my.localhost', '127.0.0.1'])
    await assert.rejects(change(domain), /The passkey domain is "localhost"/, domain)
  assert.equal((await change('localhost')).passkeyDomain, 'localhost')
})
