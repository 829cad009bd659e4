/** Deletion of tenants: what is left of one, and what callers see of one while it is being deleted. */
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { test } from 'node:test'
import pg from 'pg'
import { dump } from '../../../test/dump.ts'
import { run } from '../../../test/processes.ts'
import { createWorld, type Person, password } from '../../../test/world.ts'
import { makeMailedToken } from '../../domain/access/tokens.ts'
import { runRetention } from '../../tasks.ts'
import { deleteTenant } from './deletion.ts'
import { findTenantBySlug, listTenants, TenantError, type TenantRecord, updateTenant } from './tenants.ts'

const world = await createWorld()
const { ask, awaitLine } = world.postgres

test('a deleted tenant leaves nothing behind, and its sessions end', async () => {
  const { slug, id } = await world.tenant({ domains: [`${randomBytes(5).toString('hex')}.customer.example`] })
  const { ann, ben, path } = await world.organization({ tenant: slug })
  await ann.post(`${path}/invites`, { email: `new-${randomBytes(5).toString('hex')}@example.com` })
  await world.nobody.post('/api/auth/sign-in', { email: ann.email, password: 'wrong' }, { 'guildhall-tenant': slug })
  const jobs = () =>
    ask<{ id: string; tenant: string }>(
      `select id, payload ->> 'tenantId' as tenant from graphile_worker._private_jobs order by id`,
    )
  const others = (await jobs()).filter(({ tenant }) => tenant !== id)
  assert.ok((await jobs()).length > others.length + 2, 'mails and more of the tenant wait in the queue')
  // A mail that a worker is trying.
  await ask(`
    update graphile_worker._private_jobs set locked_at = now(), locked_by = 'worker'
    where id = (select max(id) from graphile_worker._private_jobs)`)

  await deleteTenant(world.database, slug)

  assert.deepEqual(await jobs(), others, 'its jobs are gone, and nobody else’s')

  for (const person of [ann, ben]) {
    assert.equal((await person.get('/api/users/me')).status, 401)
    assert.equal((await person.patch('/api/users/me', { name: 'Ghost' })).status, 401)
    assert.equal((await person.get(path)).status, 401)
  }
  const answer = await world.nobody.post(
    '/api/auth/sign-in',
    { email: ann.email, password },
    { 'guildhall-tenant': slug },
  )
  assert.deepEqual([answer.status, answer.body.code], [400, 'tenant_mismatch'])
  const tables = await ask<{ name: string }>(
    `select table_name as name from information_schema.columns where table_schema = 'public' and column_name = 'tenant_id'`,
  )
  assert.ok(tables.length >= 10)
  for (const { name } of tables) {
    assert.equal((await ask(`select from ${name} where tenant_id = $1`, [id])).length, 0, name)
  }
  assert.ok(!(await dump(ask)).includes(id))
})

/** Kills the command in the middle: it waits for the row of a user when entries and organizations are gone. */
async function killDeletion({ slug, id }: TenantRecord, user: Person): Promise<void> {
  const holder = new pg.Client({ connectionString: world.postgres.url })
  await holder.connect()
  await holder.query(`begin; set local guildhall.tenant = '${id}'`)
  await holder.query('select from users where id = $1 for update', [user.id])
  const command = runDeletion(slug)
  await awaitLine(1)
  command.child.kill('SIGKILL')
  assert.equal(await command.ended, 'SIGKILL')
  await holder.query('rollback')
  await holder.end()
}

function runDeletion(slug: string) {
  const env = { DATABASE_URL: world.postgres.url, GUILDHALL_SECRET: 's'.repeat(32), MAILBOX_KEY: 'k'.repeat(16) }
  return run(['tenant', 'delete', slug, '--yes'], { env })
}

/** What a session, the slug, a link and a page of the tenant get. */
async function checkInvisible({ slug, id }: TenantRecord, user: Person): Promise<void> {
  const headers = { 'guildhall-tenant': slug }
  const row = { tenant: id, id: user.id, generation: 1 }
  const token = makeMailedToken(world.keyring, 'reset_password', row)
  const answers = [
    await user.get('/api/users/me'),
    await user.patch('/api/users/me', { name: 'Ghost' }),
    await user.get('/api/admin/tenant'),
    await user.patch('/api/admin/tenant', { name: 'Ghost' }),
    await world.nobody.get('/api/tenant', headers),
    await world.nobody.post('/api/auth/sign-in', { email: user.email, password }, headers),
    await world.nobody.post('/api/auth/sign-up', { email: `new-${user.email}`, password }, headers),
    await world.nobody.post('/api/auth/reset-password', { token, newPassword: password }),
  ]
  assert.deepEqual(
    answers.map(({ status, body }) => `${status} ${body.code}`),
    [...Array(4).fill('401 unauthenticated'), ...Array(3).fill('400 tenant_mismatch'), '410 token_spent'],
  )
  assert.equal(await findTenantBySlug(world.database, slug), undefined)
  assert.ok(!(await listTenants(world.database)).some((tenant) => tenant.id === id))
  assert.deepEqual(await ask('select from tenant_domains where tenant_id = $1', [id]), [])
  await assert.rejects(updateTenant(world.database, slug, { name: 'Ghost' }), TenantError)
}

/** A tenant with people, whose deletion was killed. */
async function killedTenant() {
  const tenant = await world.tenant({ domains: [`${randomBytes(5).toString('hex')}.customer.example`] })
  await updateTenant(world.database, tenant.slug, { allowedOrigins: ['https://app.customer.example'] })
  const { ann } = await world.organization({ tenant: tenant.slug })
  await ask(`update users set role = 'admin' where id = $1`, [ann.id])
  await killDeletion(tenant, ann)
  assert.equal((await ask('select from users where id = $1', [ann.id])).length, 1, 'the deletion is not over')
  return { tenant, ann }
}

const ways = {
  'the command, run again,': async ({ slug }: TenantRecord) => assert.equal(await runDeletion(slug).ended, 0),
  retention: () => runRetention(world.database),
}
for (const [name, finish] of Object.entries(ways)) {
  test(`if the deletion of a tenant is killed, callers see nothing of the tenant, and ${name} finishes`, async () => {
    const { tenant, ann } = await killedTenant()
    await checkInvisible(tenant, ann)
    await finish(tenant)
    await checkInvisible(tenant, ann)
    assert.ok(!(await dump(ask)).includes(tenant.id))
  })
}
