/** Erasure of those whom keys belong to: people, organizations and tenants. */
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { test } from 'node:test'
import { dump, traces } from '../../../test/dump.ts'
import { offerKeys, requestKey } from '../../../test/key-requests.ts'
import { finishJobs } from '../../../test/queue.ts'
import { onStoredKeys } from '../../../test/stored-keys.ts'
import { Client, createWorld, type Json, password } from '../../../test/world.ts'
import { runEverywhere } from '../../tasks.ts'

const world = await createWorld()
const { query } = world.postgres
const { stateOf } = onStoredKeys(world)
await offerKeys(world)

const program = ({ secret }: { secret: string }) => new Client(world, { authorization: `Bearer ${secret}` })
const count = async (table: string, condition = 'true', values: unknown[] = []) =>
  (await query(`select from ${table} where ${condition}`, values)).length

test('after deleting an account, the database has no data of the person as owner, holder or user of keys', async () => {
  const canary = randomBytes(5).toString('hex')
  const { ann, id, path } = await world.organization()
  const zeb = await world.person('Zebulon', { email: `zebulon-${canary}@example.com` })
  await world.join(ann, id, zeb, 'owner')
  await query(`update users set role = 'admin' where id = $1`, [zeb.id])
  const tess = await world.tenantAdmin()
  const scopes = ['members:read', 'invitations:write', 'me:read', 'me:update']
  const own = await requestKey(zeb, '/api/users/me/keys', { name: `Kite ${canary}`, scopes })
  const limited = await requestKey(zeb, '/api/users/me/keys', { name: `Falcon ${canary}`, organizationId: id })
  const held = await requestKey(zeb, `${path}/keys`, { scopes: ['invitations:write'] })
  const backEnd = await requestKey(zeb, '/api/admin/keys')
  assert.equal((await program(own).patch('/api/users/me', { name: `Zeb ${canary}` })).status, 200)
  const invite = { email: 'guest@example.com', memberExpiresAt: new Date(Date.now() + 86_400_000).toISOString() }
  const sent = await program(own).post(`${path}/invites`, invite, { 'idempotency-key': canary })
  assert.equal(sent.status, 201)
  const bySession = await zeb.post(`${path}/links`, {}, { 'idempotency-key': canary })
  assert.equal(bySession.status, 201)
  assert.equal((await zeb.delete(`/api/users/me/keys/${limited.key.id}`)).status, 200)
  const revoked = await requestKey(zeb, '/api/users/me/keys', { name: `Swift ${canary}` })
  const expired = await requestKey(zeb, '/api/users/me/keys', { name: `Heron ${canary}` })
  assert.equal((await tess.delete(`/api/admin/users/${zeb.id}/keys/${revoked.key.id}`)).status, 200)
  await query('update api_keys set expires_at = now() where id = $1', [expired.key.id])
  await runEverywhere(world, 'settle_keys')
  await finishJobs(world)
  const keys = [own.key.id, limited.key.id, revoked.key.id, expired.key.id]
  const words = { email: zeb.email, id: zeb.id, name: canary, 'suffix of the id': zeb.id.slice(5) }
  const before = traces(await dump(query), words)
  for (const table of ['api_keys', 'audit_details', 'mails', 'idempotency_keys'])
    assert.ok(
      before.some((line) => line.includes(`${table} `)),
      `the proof needs a trace in ${table}`,
    )
  assert.equal(await count('idempotency_keys', 'user_id = any($1)', [[zeb.id, ...keys]]), 2)

  assert.equal((await zeb.delete('/api/users/me', { password })).status, 200)

  assert.deepEqual(traces(await dump(query), words), [])
  assert.equal(await count('api_keys', 'id = any($1)', [keys]), 0)
  assert.equal(await count('api_key_secrets', 'key_id = any($1)', [keys]), 0)
  assert.equal(await count('idempotency_keys', 'user_id = any($1)', [[zeb.id, ...keys]]), 0)
  assert.equal((await program(own).get('/api/users/me')).status, 401)
  for (const { key } of [held, backEnd]) {
    const { holder_id, is_left, is_ended, secrets } = await stateOf(key)
    assert.deepEqual([holder_id, is_left, is_ended, secrets], [null, true, false, 1])
  }
  const { data: ends } = (await tess.get('/api/admin/audit?action=key.ended')).body
  assert.deepEqual(
    ends
      .filter(({ target }: Json) => [revoked.key.id, expired.key.id].includes(target.id))
      .map(({ actor, target, details }: Json) => [actor.id, target.name, details]),
    [
      [null, null, { reason: 'expired' }],
      [tess.id, null, { reason: 'revoked' }],
    ],
    'the tenant’s log still says what an admin and the service did',
  )
  const { body } = await ann.get(`${path}/keys/${held.key.id}`)
  assert.deepEqual([body.holder, body.status, body.holderLeftAt !== null], [null, 'active', true])
  await finishJobs(world)
  assert.deepEqual(traces(await dump(query), words), [], 'what the queue still did left nothing either')
})

test('an organization takes its keys with it, and those of people that are limited to it', async () => {
  const { ann, cleo, id, path, slug } = await world.organization()
  const own = await requestKey(ann, `${path}/keys`)
  const limited = await requestKey(cleo, '/api/users/me/keys', { organizationId: id })
  const free = await requestKey(cleo, '/api/users/me/keys')
  const name = `Owl ${randomBytes(5).toString('hex')}`
  await requestKey(ann, `${path}/keys`, { name })
  await finishJobs(world)
  assert.ok((await dump(query)).includes(name))

  assert.equal((await ann.delete(path, { confirm: slug })).status, 200)

  const left = await query<{ id: string }>('select id from api_keys where id = any($1)', [
    [own.key.id, limited.key.id, free.key.id],
  ])
  assert.deepEqual(left, [{ id: free.key.id }])
  assert.equal((await program(own).get(path)).status, 401)
  assert.deepEqual(traces(await dump(query), { name }), [], 'mails about its keys are gone, too')
})

test('a tenant takes all its keys with it', async () => {
  const { slug, id } = await world.tenant()
  const admin = await world.tenantAdmin(slug)
  await offerKeys(world, slug)
  await requestKey(admin, '/api/admin/keys')
  await requestKey(admin, '/api/users/me/keys')
  const { path } = await world.organization({ tenant: slug })
  assert.match(path, /organizations/)
  assert.deepEqual(
    [await count('api_keys', 'tenant_id = $1', [id]), await count('api_key_secrets', 'tenant_id = $1', [id])],
    [2, 2],
  )

  await world.deleteTenant(slug)

  assert.deepEqual(
    [await count('api_keys', 'tenant_id = $1', [id]), await count('api_key_secrets', 'tenant_id = $1', [id])],
    [0, 0],
  )
})
