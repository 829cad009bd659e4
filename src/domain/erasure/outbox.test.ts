/** Erasure of what is in the outbox, before the relay has it, while the relay has it, and afterwards. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { dump, traces } from '../../../test/dump.ts'
import { hold, holdRelay } from '../../../test/holding.ts'
import { outboxIsEmpty } from '../../../test/queue.ts'
import { until } from '../../../test/smtp.ts'
import { createWorld, type Person, password } from '../../../test/world.ts'
import { newId } from '../../platform/http/schemas.ts'
import { addJob } from '../../platform/jobs/queue.ts'
import { openTombstone } from '../record/tombstones.ts'

const world = await createWorld({ processes: 2 })
const { query } = world.postgres

const erase = (person: Person) => person.delete('/api/users/me', { password })

/** The jobs in the outbox. While the relay is locked out, a statement on the queue would wait in vain. */
const waiting = async () =>
  (
    await query<{ payload: Record<string, string> }>(
      `select job -> 'payload' as payload from outbox, jsonb_array_elements(jobs) job order by written_at, id`,
    )
  ).map(({ payload }) => payload)

test('a person who is erased leaves the outbox, and the mails of others stay there', async (t) => {
  const { ann, ben, cleo, path, members } = await world.organization()
  await outboxIsEmpty(world)
  const release = await holdRelay(t, world)
  await ann.patch(`${path}/members/${members.ben.id}`, { role: 'member' })
  await ann.patch(`${path}/members/${members.cleo.id}`, { role: 'admin' })
  assert.deepEqual(
    (await waiting()).map(({ userId }) => userId),
    [ben.id, cleo.id],
  )

  assert.equal((await erase(ben)).status, 200)

  assert.deepEqual(
    (await waiting()).map(({ kind, userId }) => [kind, userId]),
    [
      ['member_role_changed', cleo.id],
      ['account_deleted', undefined],
    ],
  )
  await release()
  assert.deepEqual(traces(await dump(query), { email: ben.email, id: ben.id }), [])
})

test('the mail of an invitation leaves the outbox with the person whom it invites, or who has sent it', async (t) => {
  const { ann, ben, dan, path } = await world.organization()
  await outboxIsEmpty(world)
  const release = await holdRelay(t, world)
  await ann.post(`${path}/invites`, { email: dan.email })
  await ben.post(`${path}/invites`, { email: 'stranger@example.com' })
  assert.deepEqual(
    (await waiting()).map(({ kind }) => kind),
    ['invitation', 'invitation'],
  )

  for (const person of [ben, dan]) assert.equal((await erase(person)).status, 200)

  assert.deepEqual(
    (await waiting()).map(({ kind }) => kind),
    ['account_deleted', 'account_deleted'],
  )
  await release()
})

test('an organization that is deleted leaves the outbox, but for the mails about its deletion', async (t) => {
  const { ann, id, slug, path, members } = await world.organization()
  const other = await world.organization()
  await outboxIsEmpty(world)
  const release = await holdRelay(t, world)
  await ann.patch(`${path}/members/${members.cleo.id}`, { role: 'admin' })
  await ann.post(`${path}/invites`, { email: 'stranger@example.com' })
  await other.ann.patch(`${other.path}/members/${other.members.cleo.id}`, { role: 'admin' })

  assert.equal((await ann.delete(path, { confirm: slug })).status, 200)

  const left = await waiting()
  assert.deepEqual(
    left.map(({ kind }) => kind),
    ['member_role_changed', 'organization_deleted', 'organization_deleted', 'organization_deleted'],
  )
  assert.ok(!JSON.stringify(left).includes(id))
  assert.deepEqual(await query('select from outbox where organization_id = $1', [id]), [])
  await release()
})

test('the mails about a deletion are in few rows of the outbox, and none goes to an admin whose membership has ended', async (t) => {
  const { ann, ben, id, slug, path } = await world.organization()
  const admins = 2_000
  await query(
    `insert into users (tenant_id, id, email, email_verified)
     select $1, 'user_' || lpad(n::text, 26, '0'), n || '@example.org', true from generate_series(1, ${admins}) n`,
    [world.tenantId],
  )
  await query(
    `insert into memberships (tenant_id, id, organization_id, user_id, role)
     select $1, 'mem_' || lpad(n::text, 26, '0'), $2, 'user_' || lpad(n::text, 26, '0'), 'admin'
     from generate_series(1, ${admins}) n`,
    [world.tenantId, id],
  )
  await query('update organizations set member_count = member_count + $1 where id = $2', [admins, id])
  await query('update memberships set expires_at = now() where organization_id = $1 and user_id = $2', [id, ben.id])
  await outboxIsEmpty(world)
  const release = await holdRelay(t, world)

  assert.equal((await ann.delete(path, { confirm: slug })).status, 200)

  const mailed = (await waiting()).filter(({ kind }) => kind === 'organization_deleted').map(({ userId }) => userId)
  assert.deepEqual([mailed.length, new Set(mailed).size], [admins + 1, admins + 1])
  assert.ok(mailed.includes(ann.id) && !mailed.includes(ben.id))
  const rows = await query(`select from outbox where jobs @? '$[*] ? (@.payload.kind == "organization_deleted")'`)
  assert.ok(rows.length <= 5, `${rows.length} rows`)
  // These mails need not be sent.
  await query(`delete from outbox where jobs @? '$[*] ? (@.payload.kind == "organization_deleted")'`)
  await query(`delete from users where email like '%@example.org'`)
  await release()
})

test('thirty organizations that are deleted while their events are relayed leave none, but for their deletion', async () => {
  const organizations = await Promise.all(Array.from({ length: 30 }, () => world.organization()))

  const answers = await Promise.all(
    organizations.map(async ({ ann, ben, path, slug }) => {
      const changed = ben.patch(path, { name: 'Soon gone' })
      const deleted = await ann.delete(path, { confirm: slug })
      return [deleted.status, (await changed).status]
    }),
  )

  for (const [deleted, changed = 0] of answers) {
    assert.equal(deleted, 200)
    assert.ok([200, 404].includes(changed), `the change answered ${changed}`)
  }
  await outboxIsEmpty(world)
  const ids = organizations.map(({ id }) => id)
  assert.deepEqual(await query('select from feed where organization_id = any($1)', [ids]), [])
  const told = await query(
    `select from feed f join audit_entries e on e.id = f.entry_id
     where f.action = 'organization.deleted' and e.target_id = any($1)`,
    [ids],
  )
  assert.equal(told.length, 30)
})

for (const [what, held] of [
  ['an organization', 'feed where tenant_id = $1 and organization_id = $2'],
  ['an account', 'audit_details where tenant_id = $1 and user_id = $2'],
] as const)
  test(`while ${what} is deleted, mails to others get into the queue, and nothing of it stays in the outbox`, async (t) => {
    const { ann, ben, id, slug, path, members } = await world.organization()
    await outboxIsEmpty(world)
    const [erased, remove] =
      what === 'an account' ? [ben.id, () => erase(ben)] : [id, () => ann.delete(path, { confirm: slug })]
    const { release, removing } = await world.database.inTenant(world.tenantId, async (sql) => {
      await sql`select from feeds where tenant_id = ${sql.tenant} for update` // so that all of this waits in the outbox
      await ann.patch(`${path}/members/${members.ben.id}`, { role: 'member' })
      await ann.post(`${path}/invites`, { email: 'stranger@example.com' })
      const release = await hold(t, world.postgres, `select from ${held} for update`, [world.tenantId, erased])
      const removing = remove()
      await world.postgres.awaitLine(1)
      return { release, removing }
    })

    const key = newId('mail')
    const payload = { kind: 'sign_in_code', attemptId: 'att_none', generation: 1, mailId: newId('mail') } as const
    await world.database.inTenant(world.tenantId, (sql) =>
      addJob(sql, 'send_mail', { ...payload, tenantId: sql.tenant }, key),
    )
    await until(async () => (await query('select from outbox')).length === 0, 'the outbox to be empty')
    await release()

    assert.equal((await removing).status, 200)
    await outboxIsEmpty(world)
    assert.equal((await query('select from graphile_worker.jobs where key = $1', [key])).length, 1)
    const left = await query('select key from graphile_worker._private_jobs where payload::text like $1', [
      `%${erased}%`,
    ])
    assert.deepEqual(left, [])
    if (what === 'an account') assert.deepEqual(traces(await dump(query), { email: ben.email, id: ben.id }), [])
    else assert.deepEqual(await query('select from feed where organization_id = $1', [id]), [])
  })

test('a tenant that is deleted leaves the outbox and the queue', async () => {
  const { slug, id } = await world.tenant()
  const { ann, path } = await world.organization({ tenant: slug })
  await ann.post(`${path}/invites`, { email: 'stranger@example.com' })

  await world.deleteTenant(slug)

  assert.ok(!(await dump(query)).includes(id))
})

test('fifty people who are erased while mails to them are relayed leave no trace', async () => {
  const { ann, id, path } = await world.organization()
  const people = await Promise.all(
    Array.from({ length: 50 }, async () => {
      const person = await world.person('Fay')
      return { person, member: await world.join(ann, id, person) }
    }),
  )

  const answers = await Promise.all(
    people.map(async ({ person, member }) => {
      const told = ann.patch(`${path}/members/${member.id}`, { role: 'admin' })
      return [(await erase(person)).status, (await told).status]
    }),
  )

  for (const [erased, told = 0] of answers) {
    assert.equal(erased, 200)
    assert.ok([200, 404].includes(told), `the change of the role answered ${told}`)
  }
  const text = await dump(query)
  for (const { person } of people) assert.deepEqual(traces(text, { email: person.email, id: person.id }), [])

  // Products still learn whose accounts are gone.
  await outboxIsEmpty(world)
  const sealed = await query<{ id: string; tombstone: string }>(
    `select entry_id as id, tombstone from feed where action = 'user.deleted'`,
  )
  const told = sealed.map(({ id, tombstone }) => openTombstone(world.keyring, world.tenantId, id, tombstone))
  for (const { person } of people) assert.ok(told.includes(person.id))
})
