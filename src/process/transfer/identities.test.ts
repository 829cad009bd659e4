/** Import of identities: accounts at providers that sign imported people in. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startProviderDouble } from '../../../test/provider-double.ts'
import { bring, counts, file, foreign, quiet, signIn } from '../../../test/transfers.ts'
import { createWorld, type Json, type Person } from '../../../test/world.ts'
import type { Sql } from '../../platform/database/database.ts'
import { importIdentities } from './identities.ts'
import { importFiles } from './import.ts'

const world = await createWorld({ settings: { OUTBOUND_PRIVATE: '127.0.0.1' } })
const double = await startProviderDouble()
const { query } = world.postgres

/** A tenant with a provider of each name. */
async function tenantWith(...providers: Json[]) {
  const tenant = await world.tenant()
  const tess = await world.tenantAdmin(tenant.slug)
  const ids: string[] = []
  for (const provider of providers) {
    const { status, body } = await tess.post('/api/admin/providers', { clientId: 'guildhall', ...provider })
    assert.equal(status, 201, JSON.stringify(body))
    ids.push(body.id)
  }
  return { tenant, tess, ids }
}

const login = { type: 'oidc', name: 'Acme Login', issuer: double.origin }
const user = (externalId: string, more: object = {}) => ({
  externalId,
  email: `${externalId}@example.com`,
  emailVerified: true,
  ...more,
})
const skippedIn = (report: readonly Json[]) =>
  report.filter((line) => 'row' in line).map(({ row, reason, faults }) => [row, reason, ...(faults ? [faults] : [])])
const identitiesIn = (tenant: string) =>
  query<{ email: string; subject: string; issuer: string }>(
    `select u.email, i.subject, i.issuer from identities i
     join users u on u.tenant_id = i.tenant_id and u.id = i.user_id
     where i.tenant_id = $1 order by i.id`,
    [tenant],
  )

test('an imported person signs in with the account at the provider that was imported, and without a password', async () => {
  const { tenant, ids } = await tenantWith(login)
  const [providerId = ''] = ids
  const paths = {
    users: await file('externalId,email,emailVerified', '1,ann@example.com,true', '2,ben@example.com,false'),
    identities: await file(
      'user,provider,subject,email,createdAt',
      '1,Acme Login,ann-at-acme,Ann@Acme.Example.COM,2020-02-03T04:05:06Z',
      `2,${providerId},ben-at-acme,,`,
    ),
  }
  assert.deepEqual(counts(await bring(world, tenant, paths)), [
    ['users', 2, 0, 0],
    ['identities', 2, 0, 0],
  ])
  assert.deepEqual(counts(await bring(world, tenant, paths)), [
    ['users', 0, 2, 0],
    ['identities', 0, 2, 0],
  ])
  const [stored] = await query(
    'select email, created_at, last_used_at from identities where tenant_id = $1 order by id',
    [tenant.id],
  )
  assert.deepEqual(stored, {
    email: 'ann@acme.example.com',
    created_at: new Date('2020-02-03T04:05:06Z'),
    last_used_at: null,
  })

  for (const [sub, email] of [
    ['ann-at-acme', 'ann@example.com'],
    ['ben-at-acme', 'ben@example.com'],
  ]) {
    const headers = { 'guildhall-tenant': tenant.slug }
    const { body: begun } = await world.nobody.post('/api/auth/sign-in/provider', { providerId }, headers)
    double.claims = { sub, email: 'another@example.com', email_verified: true }
    const { code, state } = double.signIn(begun.url)
    const answer = await world.nobody.post('/api/auth/sign-in/continue', {
      attempt: begun.attempt.token,
      callback: { code, state },
    })
    assert.deepEqual([answer.status, answer.body.user?.email], [200, email])
  }
  const [entry] = await query(
    `select details from audit_entries where tenant_id = $1 and details ? 'identities' and action = 'tenant.imported'`,
    [tenant.id],
  )
  assert.deepEqual(entry, { details: { identities: 2 } })
})

test('the issuer is that of the provider; Microsoft has one for each of its tenants', async () => {
  const own = '11111111-2222-3333-4444-555555555555'
  const personal = '9188040d-6c67-4c5b-b112-36a304b66dad'
  const at = (id: string) => `https://login.microsoftonline.com/${id}/v2.0`
  const { tenant } = await tenantWith(
    { type: 'google', name: 'Google' },
    { type: 'github', name: 'GitHub' },
    { type: 'microsoft', name: 'Any' },
    { type: 'microsoft', name: 'Work', microsoftTenant: 'organizations' },
    { type: 'microsoft', name: 'Own', microsoftTenant: own },
  )
  const row = (provider: string, subject: string, issuer?: string) => ({ user: 'ann', provider, subject, issuer })
  const report = await bring(world, tenant, {
    users: await file(user('ann')),
    identities: await file(
      row('Google', 'a'),
      row('Google', 'b', 'https://evil.example.com'),
      row('GitHub', '4711', 'https://github.com'),
      row('GitHub', 'ann'),
      row('Any', 'a'),
      row('Any', 'a', at(personal)),
      row('Any', 'b', at('common')),
      row('Any', 'b', `https://evil.example.com/${own}/v2.0`),
      row('Work', 'a', at(own)),
      row('Work', 'b', at(personal)),
      row('Own', 'a'),
      row('Own', 'b', at(personal)),
    ),
  })
  const wrong = [{ column: 'issuer', code: 'not_allowed' }]
  assert.deepEqual(skippedIn(report), [
    [2, 'invalid', wrong],
    [4, 'invalid', [{ column: 'subject', code: 'invalid_format' }]],
    [5, 'invalid', [{ column: 'issuer', code: 'required' }]],
    [7, 'invalid', wrong],
    [8, 'invalid', wrong],
    [10, 'invalid', wrong],
    [12, 'invalid', wrong],
  ])
  assert.deepEqual(
    (await identitiesIn(tenant.id)).map(({ subject, issuer }) => [subject, issuer]),
    [
      ['a', 'https://accounts.google.com'],
      ['4711', 'https://github.com'],
      ['a', at(personal)],
      ['a', at(own)],
      ['a', at(own)],
    ],
  )
})

test('an identity never moves to another user, and nobody gets more than ten', async () => {
  const { tenant } = await tenantWith(login, { ...login, name: 'Other Login' })
  const row = (name: string, subject: string, provider = 'Acme Login') => ({ user: name, provider, subject })
  const many = Array.from({ length: 9 }, (_, n) => row('ben', `${n}`))
  const report = await bring(world, tenant, {
    users: await file(user('ann'), user('ben')),
    identities: await file(
      row('ann', 'one'),
      row('ben', 'one'),
      row('ann', 'one'),
      row('ben', 'one', 'Other Login'),
      row('nobody', 'two'),
      row('ann', 'two', 'No Login'),
      ...many,
      row('ben', 'eleventh'),
    ),
  })
  assert.deepEqual(skippedIn(report), [
    [2, 'identity_taken'],
    [5, 'unknown_user'],
    [6, 'unknown_provider'],
    [16, 'too_many_identities'],
  ])
  const again = await bring(world, tenant, {
    identities: await file(row('ben', 'one'), row('ben', '0'), row('ann', '0')),
  })
  assert.deepEqual(counts(again), [['identities', 0, 1, 2]])
  assert.deepEqual(skippedIn(again), [
    [1, 'identity_taken'],
    [3, 'identity_taken'],
  ])
})

test('an account that somebody made here gets no identity before its address is verified', async () => {
  const { tenant } = await tenantWith(login)
  const people = await Promise.all(
    [true, false].map((verified) => world.person('Ann', { verified, tenant: tenant.slug })),
  )
  const row = ({ id }: Person) => ({ user: id, provider: 'Acme Login', subject: id })
  assert.deepEqual(skippedIn(await bring(world, tenant, { identities: await file(...people.map(row)) })), [
    [2, 'email_not_verified'],
  ])
})

test('an unverified account that was imported gets identities until somebody uses it, and one with an external id of the product none', async () => {
  const { tenant, tess } = await tenantWith(login)
  const stranger = await world.person('Stranger', { verified: false, tenant: tenant.slug })
  const made = await tess.post('/api/admin/keys', { name: 'Product', scopes: ['users:read', 'users:write'] })
  const changed = await world.nobody.patch(
    `/api/admin/users/${stranger.id}`,
    { externalId: 'victim' },
    { authorization: `Bearer ${made.body.secret}` },
  )
  assert.deepEqual([changed.status, changed.body.externalId], [200, 'victim'])
  const unverified = { emailVerified: false, passwordHash: foreign.hash }
  await bring(world, tenant, { users: await file(user('fresh', unverified), user('used', unverified)) })
  assert.equal((await signIn(world, tenant, 'used@example.com')).status, 200)

  const row = (name: string) => ({ user: name, provider: 'Acme Login', subject: name })
  const identities = await file(row('victim'), row('fresh'), row('used'))
  assert.deepEqual(skippedIn(await bring(world, tenant, { identities })), [
    [1, 'email_not_verified'],
    [3, 'email_not_verified'],
  ])
  assert.deepEqual(
    (await identitiesIn(tenant.id)).map(({ email }) => email),
    ['fresh@example.com'],
  )
})

test('identities of other tenants and their users are neither found nor linked', async () => {
  const [home, abroad] = [await tenantWith(login), await tenantWith()]
  const ann = await world.person('Ann', { tenant: home.tenant.slug })
  const row = { provider: home.ids[0], subject: 'ann' }
  await bring(world, abroad.tenant, { users: await file(user('1')) })
  const report = await bring(world, abroad.tenant, {
    identities: await file({ ...row, user: ann.id }, { ...row, user: '1' }),
  })
  assert.deepEqual(skippedIn(report), [
    [1, 'unknown_user'],
    [2, 'unknown_provider'],
  ])
})

for (const [what, remove, outcomes] of [
  [
    'user',
    (sql: Sql) => sql`delete from users where tenant_id = ${sql.tenant} and email = 'gone@example.com'`,
    ['made', 'unknown_user', 'made'],
  ],
  [
    'provider',
    (sql: Sql) => sql`delete from providers where tenant_id = ${sql.tenant} and name = 'Gone Login'`,
    ['made', 'made', 'unknown_provider'],
  ],
] as const) {
  test(`a ${what} that is deleted during a batch is left out, and the batch is not begun again`, async () => {
    const { tenant } = await tenantWith(login, { ...login, name: 'Gone Login' })
    await bring(world, tenant, { users: await file(user('ann'), user('gone')) })
    const row = (name: string, provider: string) => ({ user: name, provider, subject: name + provider })
    const rows = [row('ann', 'Acme Login'), row('gone', 'Acme Login'), row('ann', 'Gone Login')]
    let tries = 0
    const underWay = await world.database.inTenant(tenant.id, async (deleting) => {
      await remove(deleting)
      const importing = world.database.inTenant(tenant.id, (sql) => {
        tries++
        return importIdentities(
          sql,
          rows.map((content, at) => ({ number: at + 1, content })),
          false,
        )
      })
      await world.postgres.awaitLine(1)
      return [importing]
    })
    const imported = (await underWay[0]) ?? []
    assert.deepEqual(
      imported.map((outcome) => (typeof outcome === 'string' ? outcome : outcome.reason)),
      outcomes,
    )
    assert.equal(tries, 1)
  })
}

test('a trial leaves nothing, and holds up no sign-in', async () => {
  const { tenant } = await tenantWith(login)
  await bring(world, tenant, { users: await file(user('ann')) })
  const identities = await file({ user: 'ann', provider: 'Acme Login', subject: 'in a trial' })
  const [reached, over] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const report = {
    tallies: new Map(),
    begin: () => {},
    note: () => {},
    settle: () => {
      reached.resolve()
      return over.promise
    },
    close: async () => {},
  }
  const options = { report, progress: quiet, isTrial: true, signal: new AbortController().signal }
  const trial = importFiles(world.app, tenant.id, { identities }, options)
  await reached.promise
  try {
    await world.database.inTenant(tenant.id, async (sql) => {
      await sql`select from users where tenant_id = ${sql.tenant} and email = 'ann@example.com' for no key update nowait`
      await sql`update providers set failed_at = now(), failure = 'denied' where tenant_id = ${sql.tenant}`
    })
  } finally {
    over.resolve()
    await trial
  }
  assert.deepEqual(await identitiesIn(tenant.id), [])
})
