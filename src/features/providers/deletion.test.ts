/** Deletion of providers that have more identities than one transaction deletes. */
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { test } from 'node:test'
import { holdRow } from '../../../test/holding.ts'
import { startProviderDouble } from '../../../test/provider-double.ts'
import { addProvider, link, visit } from '../../../test/sign-in.ts'
import { codeOf, createWorld, type Json, type Person } from '../../../test/world.ts'

const world = await createWorld({ settings: { OUTBOUND_PRIVATE: '127.0.0.1' } })
const double = await startProviderDouble()
const { query, awaitLine, waiting } = world.postgres
const tess = await world.tenantAdmin()

/** More than twice as many as a transaction deletes. */
const many = 2_500

interface Popular {
  readonly id: string
  readonly path: string
  readonly name: string
  /** Each has begun a session by an account there. The identity of the last one comes last. */
  readonly people: readonly Person[]
}

/** A provider with very many identities of somebody, and those of three others. */
async function makePopular(): Promise<Popular> {
  const id = await addProvider(world, double.origin)
  const path = `/api/admin/providers/${id}`
  const [crowd, ...people] = [await world.person(), await world.person(), await world.person(), await world.person()]
  await query(
    `insert into identities (tenant_id, id, user_id, provider_id, issuer, subject)
     select $1, 'idn_' || gen_random_uuid(), $2, $3, 'a', gen_random_uuid()::text from generate_series(1, ${many})`,
    [world.tenantId, crowd?.id, id],
  )
  for (const person of people) await beginBy(person, id)
  return { id, path, people, name: (await tess.get(path)).body.name }
}

/** Lets a person have begun their session by an account at a provider. */
async function beginBy({ id }: Person, providerId: string): Promise<void> {
  const identity = `idn_${randomBytes(13).toString('hex')}`
  await query(
    `insert into identities (tenant_id, id, user_id, provider_id, issuer, subject) values ($1, $2, $3, $4, 'z', $3)`,
    [world.tenantId, identity, id, providerId],
  )
  await query('update sessions set identity_id = $1 where user_id = $2', [identity, id])
}

const remove = ({ path, name }: Popular, by = tess) => by.delete(path, { confirm: name })
const identitiesOf = async ({ id }: Popular) =>
  (await query('select from identities where provider_id = $1', [id])).length
const statusesOf = async (people: readonly Person[]) =>
  Promise.all(people.map(async (person) => (await person.get('/api/users/me')).status))
const logOf = async ({ id }: Popular) =>
  (await tess.get('/api/admin/audit?action=provider.updated,provider.deleted')).body.data
    .filter(({ target }: Json) => target.id === id)
    .map(({ action, details }: Json) => [action, details])

test('a provider with very many identities is deleted with all of them, and disabled before', async () => {
  const provider = await makePopular()
  const { status, body } = await remove(provider)

  assert.deepEqual([status, body.deleted], [200, true])
  assert.equal(await identitiesOf(provider), 0)
  assert.equal((await tess.get(provider.path)).status, 404)
  assert.deepEqual(await statusesOf(provider.people), [401, 401, 401])
  assert.deepEqual(await logOf(provider), [
    ['provider.deleted', { type: 'oidc', name: provider.name, identityCount: many + 3, endedSessions: 3 }],
    ['provider.updated', { enabled: { from: true, to: false } }],
  ])
})

test('while its identities are being deleted nobody signs in with a provider, and the next deletion finishes one that broke off', async (t) => {
  const provider = await makePopular()
  const { id, path, people } = provider
  const [stranger, linker, sub] = [await world.person(), await world.person(), randomBytes(8).toString('hex')]
  assert.equal((await link(double, stranger, id, { sub })).status, 201)
  const arriving = await visit(world, double, id, { sub })
  const { body: started } = await linker.post('/api/users/me/identities/start', { providerId: id })
  double.claims = { sub: randomBytes(8).toString('hex') }
  const linked = { attempt: started.attempt.token, callback: double.signIn(started.url) }
  const last = people.at(-1)
  const release = await holdRow(t, world.postgres, 'users', last?.id)

  const broken = remove(provider)
  await awaitLine(1) // a batch waits for that person
  assert.ok((await identitiesOf(provider)) < many, 'others are gone')
  assert.equal((await tess.get(path)).body.enabled, false)
  assert.ok((await world.nobody.post('/api/auth/sign-in/continue', arriving)).status >= 400)
  assert.ok((await linker.post('/api/users/me/identities', linked)).status >= 400)
  assert.equal((await tess.patch('/api/admin/tenant', { name: 'Not locked' })).status, 200)
  for (const { pid } of await waiting()) await query(`select pg_cancel_backend(${pid})`)
  assert.equal((await broken).status, 503)
  await release()

  assert.deepEqual(await statusesOf(people.slice(-1)), [200])
  assert.equal((await remove(provider)).status, 200)
  assert.equal(await identitiesOf(provider), 0)
  assert.deepEqual(await statusesOf(people), [401, 401, 401])
  assert.deepEqual(codeOf(await remove(provider)), [404, 'not_found'])
})

test('an admin whose own session a provider has begun deletes it with very many identities', async () => {
  const provider = await makePopular()
  const admin = await world.tenantAdmin()
  await beginBy(admin, provider.id)

  assert.equal((await remove(provider, admin)).status, 200)
  assert.equal((await tess.get(provider.path)).status, 404)
  assert.equal((await admin.get('/api/users/me')).status, 401)
})

test('a provider that is enabled while its identities are being deleted stays', async (t) => {
  const provider = await makePopular()
  const last = provider.people.at(-1)
  const release = await holdRow(t, world.postgres, 'users', last?.id)
  const removed = remove(provider)
  await awaitLine(1) // a batch waits for that person
  assert.equal((await tess.patch(provider.path, { enabled: true })).status, 200)
  await release()

  assert.deepEqual(codeOf(await removed), [412, 'version_mismatch'])
  assert.equal((await tess.get(provider.path)).body.enabled, true)
})
