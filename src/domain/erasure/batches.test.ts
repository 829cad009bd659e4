/** Erasure of much: no statement deletes or changes more than a batch, and one erasure of more than a batch runs at a time. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import pg from 'pg'
import { countDeletions, countUpdates } from '../../../test/changes.ts'
import { connectExplainer, planner, statementsOf } from '../../../test/explain.ts'
import { hold, holdRow } from '../../../test/holding.ts'
import { type Answer, createWorld, type Person, password } from '../../../test/world.ts'
import { invitationJob } from '../mail/queue.ts'
import { purgeLogs } from '../record/log-erasure.ts'
import { batch } from './batches.ts'

const world = await createWorld()
const { query, awaitLine, waiting } = world.postgres
const deletions = await countDeletions(world.postgres, 'sessions', 'invitations', 'memberships')
const updates = await countUpdates(world.postgres, 'memberships', 'role_grants', 'exclusions', 'invitations')

const most = batch * 2 + 100
const id = (prefix: string) => `'${prefix}_' || lpad(n::text, 26, '0')`
const role = `rol_${'0'.repeat(25)}1`
const erase = (person: Person) => person.delete('/api/users/me', { password })

/** Adds rows, without the check of foreign keys for each. */
async function fill(...inserts: readonly string[]): Promise<void> {
  await query(`set session_replication_role = 'replica'`)
  for (const insert of inserts) await query(insert)
  await query(`set session_replication_role = 'origin'`)
}

test('no statement of an account’s deletion deletes more than a batch of its sessions', async () => {
  const ann = await world.person()
  await fill(`
    insert into sessions (tenant_id, id, user_id, token_hash, name, type, network, ended_at)
    select '${world.tenantId}', ${id('dev')}, '${ann.id}', sha256(n::text::bytea), 'Chrome', 'desktop', '203.0.113.7', now()
    from generate_series(1, ${most}) n`)

  assert.equal((await erase(ann)).status, 200)

  const counted = await deletions()
  if (counted) assert.equal(counted.find(({ name }) => name === 'sessions')?.most, batch)
  assert.deepEqual(await query('select from sessions where user_id = $1', [ann.id]), [])
})

test('an account’s deletion locks no ended session before its batch', async (t) => {
  const ann = await world.person()
  const thief = await world.signIn(ann)
  const { body } = await thief.get('/api/users/me/devices')
  const { id: ended } = body.data.find(({ current }: Answer['body']) => current)
  assert.equal((await thief.post('/api/auth/sign-out')).status, 204)
  const release = await holdRow(t, world.postgres, 'sessions', ended)
  const erased = erase(ann)
  await awaitLine(1)
  const deleting = await waiting('delete from sessions')
  await release()

  assert.equal(deleting.length, 1)
  assert.equal((await erased).status, 200)
})

test('no statement of an organization’s deletion deletes more than a batch of its rows', async () => {
  const { ann, id: organization, slug, path } = await world.organization()
  const into = (columns: string, values: string) => `
    insert into ${columns} select '${world.tenantId}', ${values} from generate_series(1, ${most}) n`
  await fill(
    into(
      'users (tenant_id, id, email, email_verified, role, status)',
      `${id('user')}, n || '@example.com', true, 'user', 'active'`,
    ),
    into(
      'memberships (tenant_id, id, organization_id, user_id, role)',
      `${id('mem')}, '${organization}', ${id('user')}, 'member'`,
    ),
    into(
      'invitations (tenant_id, id, organization_id, email, role, status, invited_by, membership_id, expires_at)',
      `${id('inv')}, '${organization}', n || '@example.com', 'member', 'accepted', '${ann.id}', ${id('mem')}, now()`,
    ),
    into('subjects (tenant_id, user_id, organization_id, id)', `${id('user')}, '${organization}', ${id('sub')}`),
    `update organizations set member_count = member_count + ${most} where id = '${organization}'`,
  )
  const tables = ['invitations', 'memberships'] as const

  assert.equal((await ann.delete(path, { confirm: slug })).status, 200)

  const counted = await deletions()
  if (counted)
    assert.deepEqual(
      tables.map((table) => counted.find(({ name }) => name === table)?.most),
      tables.map(() => batch),
    )
  for (const table of [...tables, 'subjects'])
    assert.deepEqual(await query(`select from ${table} where organization_id = $1`, [organization]), [], table)
})

test('no statement of an account’s deletion changes more than a batch of what the person gave', async () => {
  const { ben, id: organization } = await world.organization()
  await query(`insert into roles (tenant_id, id, key, name, permissions) values ($1, $2, 'giver', 'Giver', '{}')`, [
    world.tenantId,
    role,
  ])
  const from = `from generate_series(200001, ${200_001 + batch}) n`
  await fill(
    `insert into users (tenant_id, id, email, email_verified, role, status)
     select '${world.tenantId}', ${id('user')}, n || '@example.com', true, 'user', 'active' ${from}`,
    `insert into memberships (tenant_id, id, organization_id, user_id, role, invited_by)
     select '${world.tenantId}', ${id('mem')}, '${organization}', ${id('user')}, 'member', '${ben.id}' ${from}`,
    `insert into role_grants (tenant_id, membership_id, role_id, granted_by)
     select '${world.tenantId}', ${id('mem')}, '${role}', '${ben.id}' ${from}`,
    `insert into exclusions (tenant_id, organization_id, user_id, excluded_by)
     select '${world.tenantId}', '${organization}', ${id('user')}, '${ben.id}' ${from}`,
  )

  assert.equal((await erase(ben)).status, 200)

  const counted = await updates()
  if (counted)
    assert.deepEqual(
      counted.filter(({ name }) => name !== 'invitations').map(({ name, most }) => [name, most]),
      ['exclusions', 'memberships', 'role_grants'].map((name) => [name, batch]),
    )
  for (const [table, column] of Object.entries({
    memberships: 'invited_by',
    role_grants: 'granted_by',
    exclusions: 'excluded_by',
  }))
    assert.deepEqual(await query(`select from ${table} where ${column} = $1`, [ben.id]), [], table)
})

test('no statement changes more than a batch of the invitations of who is deleted, or removes the jobs of more', async (t) => {
  const { ann, ben, id: organization, slug, path } = await world.organization()
  const inviting = (first: number, count: number, expiry: string) => `
    insert into invitations (tenant_id, id, organization_id, email, role, status, invited_by, expires_at)
    select '${world.tenantId}', ${id('inv')}, '${organization}', n || '@example.com', 'member', 'pending', '${ben.id}', ${expiry}
    from generate_series(${first}, ${first + count - 1}) n`
  await fill(inviting(300_001, batch + 1, 'now()'))
  const driver = t.mock.method(pg.Client.prototype, 'query')
  const keysOf = () =>
    statementsOf(driver)
      .filter(({ text }) => text.includes('remove_job'))
      .map(({ values }) => values.flat())
  const most = () => Math.max(...keysOf().map(({ length }) => length))

  assert.equal((await erase(ben)).status, 200)

  const counted = await updates()
  if (counted) assert.equal(counted.find(({ name }) => name === 'invitations')?.most, batch)
  assert.deepEqual(await query('select from invitations where invited_by = $1', [ben.id]), [])
  assert.equal(most(), batch)

  driver.mock.resetCalls()
  await fill(inviting(400_001, batch + 1, `now() + interval '1 day'`).replace(`'${ben.id}'`, 'null'))
  assert.equal((await ann.delete(path, { confirm: slug })).status, 200)

  assert.equal(most(), batch)
  assert.equal(keysOf().flat().length, batch + 1, 'and of none that has expired')
})

test('the deletion of an account looks for mails of pending invitations, and of none that others have answered', async (t) => {
  const { ann, ben, dan, path } = await world.organization()
  const { body: pending } = await ben.post(`${path}/invites`, { email: 'stranger@example.com' })
  const { body: declined } = await ben.post(`${path}/invites`, { email: dan.email })
  assert.equal((await dan.post(`/api/invites/${declined.id}/decline`)).status, 200)
  const { body: revoked } = await ben.post(`${path}/invites`, { email: 'other-stranger@example.com' })
  assert.equal((await ann.delete(`${path}/invites/${revoked.id}`)).status, 200)
  const driver = t.mock.method(pg.Client.prototype, 'query')

  assert.equal((await erase(ben)).status, 200)

  const keys = statementsOf(driver)
    .filter(({ text }) => text.includes('remove_job'))
    .flatMap(({ values }) => values.flat())
  assert.ok(keys.includes(invitationJob(pending.id)))
  for (const { id } of [declined, revoked]) assert.ok(!keys.includes(invitationJob(id)))
})

test('an account with more than a batch of details waits without a connection while another one is erased', async (t) => {
  const [ann, ben, cleo] = await Promise.all(['Ann', 'Ben', 'Cleo'].map((name) => world.person(name)))
  assert.ok(ann && ben && cleo)
  const entries = 'from generate_series(10001, 11500) n'
  await fill(
    `insert into audit_entries (tenant_id, id, occurred_at, action, actor_type, target_type)
     select '${world.tenantId}', ${id('aud')}, now(), 'session.started', 'system', 'user' ${entries}`,
    ...[ann, ben].map(
      ({ id: user }) => `
        insert into audit_details (tenant_id, entry_id, user_id, subject, action, occurred_at)
        select '${world.tenantId}', ${id('aud')}, '${user}', 'sub', 'session.started', now() ${entries}`,
    ),
  )
  await query(`insert into former_addresses (tenant_id, user_id, email) values ($1, $2, 'former@example.com')`, [
    world.tenantId,
    ann.id,
  ])
  // It goes with the row of the user, after the batches.
  const release = await hold(
    t,
    world.postgres,
    'select from former_addresses where tenant_id = $1 and user_id = $2 for update',
    [world.tenantId, ann.id],
  )
  const erased = [erase(ann)]
  await awaitLine(1)
  erased.push(erase(ben))
  await awaitLine(2)
  assert.equal(world.database.waitingForTurns, 1)
  assert.equal((await erase(cleo)).status, 200, 'a small erasure waits for nobody')
  await release()

  assert.deepEqual(
    (await Promise.all(erased)).map(({ status }) => status),
    [200, 200],
  )
})

test('retention looks at a part of the deletions of a week for what is left of logs, and finds all in the end', async (t) => {
  const { id: organization } = await world.organization()
  await query(
    `insert into audit_entries (tenant_id, id, occurred_at, action, actor_type, target_type, target_id)
     select $1, 'aud_' || lpad(n::text, 26, '0'), now() - make_interval(mins => n), 'organization.deleted', 'system', 'organization',
       case n when 1500 then $2 else 'org_' || n end
     from generate_series(1, 5000) n`,
    [world.tenantId, organization],
  )
  await query('analyze audit_entries')
  const left = async () => (await query('select from audit_entries where organization_id = $1', [organization])).length
  assert.ok((await left()) > 1)
  const purge = () => world.database.inTenant(world.tenantId, (sql) => purgeLogs(sql, 20))
  const driver = t.mock.method(pg.Client.prototype, 'query')
  await purge()
  const [sent] = statementsOf(driver).filter(({ text }) => /delete from audit_entries/.test(text))
  driver.mock.restore()
  assert.ok(sent)

  const { rowsOf } = planner(await connectExplainer(world), new Set(['audit_entries']))
  const read = await rowsOf(sent, 'custom')

  assert.ok(read <= 300, `${read} rows were read`)
  while ((await left()) > 0) await purge()
  assert.deepEqual(await purge(), [])
})
