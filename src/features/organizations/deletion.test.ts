import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { test } from 'node:test'
import { countDeletions } from '../../../test/changes.ts'
import { dump } from '../../../test/dump.ts'
import { hold } from '../../../test/holding.ts'
import { makeFolder, start, stop } from '../../../test/processes.ts'
import { queueIsDone } from '../../../test/queue.ts'
import { until } from '../../../test/smtp.ts'
import { codeOf, createWorld, type Json, type Person, password } from '../../../test/world.ts'
import { runRetention } from '../../tasks.ts'

const world = await createWorld()
const { query, awaitLine } = world.postgres
const tess = await world.tenantAdmin()

/** What one statement erases of a log at most. */
const batch = 1_000
const deletionsOfLog = await countDeletions(world.postgres, 'audit_entries', 'audit_details')

/** Adds entries to the log of an organization, as acts of somebody in it. @returns how many entries the log has then */
async function lengthen(organizationId: string, { id }: Person, count: number): Promise<number> {
  const entry = `aud_0${String(Math.floor(Math.random() * 1e9)).padStart(9, '0')}`
  await query(
    `insert into audit_entries (tenant_id, id, action, actor_type, actor_subject, target_type, target_id, organization_id)
    select s.tenant_id, '${entry}' || lpad(n::text, 16, '0'), 'organization.updated', 'user', s.id, 'organization', $2, $2
    from subjects s, generate_series(1, $3::integer) n
    where s.user_id = $1 and s.organization_id = $2`,
    [id, organizationId, count],
  )
  await query(
    `insert into audit_details (tenant_id, entry_id, user_id, subject, action, name, details)
    select tenant_id, id, $1, actor_subject, action, 'Ann', '{"name": {"from": "a", "to": "b"}}' from audit_entries
    where organization_id = $2 and id like '${entry}%'`,
    [id, organizationId],
  )
  return lengthOf(organizationId)
}

async function lengthOf(organizationId: string): Promise<number> {
  return (await query('select from audit_entries where organization_id = $1', [organizationId])).length
}

/** Lets a worker do what the queue holds, and stops it again. */
async function work(): Promise<void> {
  const worker = await world.startWorker()
  try {
    await queueIsDone(world.postgres)
  } finally {
    await worker.stop()
  }
}

const deletions: Readonly<Record<string, (owner: Person, path: string, slug: string) => Promise<{ status: number }>>> =
  {
    'by its owner': (owner, path, slug) => owner.delete(path, { confirm: slug }),
    'by a tenant admin': (_, path, slug) => tess.delete(path.replace('/api/', '/api/admin/'), { confirm: slug }),
    'with the account of its only member': async (owner, path) => {
      for (const { id, role } of (await owner.get(`${path}/members`)).body.data)
        if (role !== 'owner') await owner.delete(`${path}/members/${id}`)
      return owner.delete('/api/users/me', { password })
    },
  }

for (const [way, destroy] of Object.entries(deletions)) {
  test(`an organization that is deleted ${way} is gone at once, and its long log is erased in batches`, async () => {
    const { ann, ben, id, slug, path } = await world.organization()
    await ben.patch(path, { name: 'Renamed by Ben' })
    await ann.post(`${path}/invites`, { email: `${randomBytes(5).toString('hex')}@example.com` })
    const removed = way.startsWith('with') ? 2 : 0 // an entry each
    const length = removed + (await lengthen(id, ann, 3.5 * batch))

    assert.equal((await destroy(ann, path, slug)).status, 200)

    assert.equal(await lengthOf(id), length - batch, 'the request erased a batch')
    for (const table of ['organizations', 'memberships', 'invitations', 'mails'])
      assert.ok(!JSON.stringify(await query(`select to_jsonb(t) as row from ${table} t`)).includes(id), table)
    for (const person of [ann, ben, tess]) await knowsNothing(person, id, path)
    assert.equal((await ben.post('/api/organizations', { name: 'Successor', slug })).status, 201)
    if (removed) assert.ok(!(await dump(query)).includes(ann.id), 'nothing of the person waits for the log')

    await work()

    const left = (await dump(query)).split('\n').filter((line) => line.includes(id))
    assert.deepEqual(
      left.map((line) => /"action":"([^"]*)"/.exec(line)?.[1]),
      ['organization.deleted'],
    )
    assert.deepEqual(await query(`select from audit_details where details -> 'name' ->> 'from' = 'a'`), [])
    const counted = await deletionsOfLog()
    for (const { name, most } of counted ?? []) {
      const limit = name === 'audit_details' ? 2 * batch : batch // an entry has two details at most
      assert.ok(most <= limit, `a statement deleted ${most} rows of ${name}`)
    }
    assert.deepEqual(counted?.map(({ name }) => name) ?? ['audit_details', 'audit_entries'], [
      'audit_details',
      'audit_entries',
    ])
  })
}

/** Whatever somebody reads, nothing of the organization is in it but that it was deleted. */
async function knowsNothing(person: Person, id: string, path: string): Promise<void> {
  if ((await person.get('/api/users/me')).status === 401) return // gone with it
  for (const each of [path, `${path}/members`, `${path}/audit`])
    assert.equal((await person.get(each)).status, 404, each)
  const lists = ['/api/organizations', '/api/users/me/audit', `/api/users/me/audit?organizationId=${id}`]
  const adminLists = [
    '/api/admin/organizations',
    '/api/admin/audit',
    `/api/admin/audit?organizationId=${id}`,
    `/api/admin/audit?action=organization.updated`,
  ]
  if (person === tess) assert.equal((await tess.get(path.replace('/api/', '/api/admin/'))).status, 404)
  for (const list of person === tess ? [...lists, ...adminLists] : lists) {
    const { status, body } = await person.get(`${list}${list.includes('?') ? '&' : '?'}limit=100`)
    assert.equal(status, 200, list)
    const told = body.data.filter((each: Json) => JSON.stringify(each).includes(id))
    assert.deepEqual(
      told.filter(({ action }: Json) => action !== 'organization.deleted'),
      [],
      list,
    )
  }
}

test('the next process continues erasing a log that a killed process had begun', async (t) => {
  const { ann, id, slug, path } = await world.organization()
  const length = await lengthen(id, ann, 3 * batch + 500)
  assert.equal((await ann.delete(path, { confirm: slug })).status, 200)
  // The oldest entry is in the last batch: there the process waits.
  const ofLog = 'tenant_id = $1 and organization_id = $2'
  const oldest = `select from audit_entries where ${ofLog} order by occurred_at, id limit 1 for update`
  const release = await hold(t, world.postgres, oldest, [world.tenantId, id])
  const env = { DATABASE_URL: world.postgres.url, GUILDHALL_SECRET: 'a secret that is only used in tests' }
  const service = await start({ folder: await makeFolder(), env })
  try {
    await until(async () => (await lengthOf(id)) <= batch, 'the last batch')
    await awaitLine(1)
  } finally {
    await stop(service, 'SIGKILL')
    await release()
  }

  const left = await lengthOf(id)
  assert.ok(left > 0 && left <= batch, `${left} of ${length}`)
  await query(`update graphile_worker._private_jobs set locked_at = locked_at - interval '5 minutes'`)
  await work()

  assert.equal(await lengthOf(id), 0)
  assert.deepEqual(await query('select from subjects where organization_id = $1', [id]), [])
})

test('retention erases a log whose job was lost', async () => {
  const { ann, id, slug, path } = await world.organization()
  await lengthen(id, ann, batch)
  await ann.delete(path, { confirm: slug })
  await query('delete from graphile_worker._private_jobs')
  assert.ok((await lengthOf(id)) > 0)

  await runRetention(world.database)

  assert.equal(await lengthOf(id), 0)
})

test('an owner deletes an organization, confirmed by its slug', async () => {
  const { id, slug, path, ann, ben, cleo } = await world.organization()
  for (const confirm of [`${slug}x`, slug.toUpperCase(), id, slug.slice(0, -1), '', ' ', slug.repeat(10)]) {
    assert.deepEqual(codeOf(await ann.delete(path, { confirm })), [400, 'confirmation_mismatch'])
  }
  const [fault] = (await ann.delete(path, {})).body.errors
  assert.deepEqual([fault.pointer, fault.code], ['/confirm', 'required'])
  assert.equal((await ann.delete(path)).status, 400)
  assert.deepEqual(codeOf(await ben.delete(path, { confirm: slug })), [403, 'forbidden'])
  assert.deepEqual(codeOf(await cleo.delete(path, { confirm: slug })), [403, 'forbidden'])
  assert.equal((await ann.get(path)).body.memberCount, 3, 'a refusal changes nothing')

  const { status, body } = await ann.delete(path, { confirm: slug })

  assert.deepEqual([status, body.deleted], [200, true])
  assert.ok(Math.abs(Date.parse(body.deletedAt) - Date.now()) < 60_000)
})

test('a deleted organization vanishes from every response', async () => {
  const { id, slug, path, ann, ben, cleo, dan } = await world.organization()
  const { body: invitation } = await ann.post(`${path}/invites`, { email: dan.email })

  await ann.delete(path, { confirm: slug })

  for (const person of [ann, ben, cleo]) {
    for (const way of [path, `/api/organizations/${slug}`, `${path}/members`, `${path}/invites`, `${path}/audit`]) {
      assert.deepEqual(codeOf(await person.get(way)), [404, 'not_found'], way)
    }
    assert.deepEqual((await person.get('/api/organizations')).body.data, [])
  }
  assert.deepEqual(codeOf(await ann.delete(path, { confirm: slug })), [404, 'not_found'])
  assert.deepEqual(codeOf(await dan.post(`/api/invites/${invitation.id}/accept`)), [404, 'not_found'])
  assert.deepEqual(codeOf(await dan.post(`/api/invites/${invitation.id}/decline`)), [404, 'not_found'])
  for (const table of ['memberships', 'invitations', 'audit_entries', 'subjects']) {
    assert.deepEqual(await query(`select organization_id from ${table} where organization_id = $1`, [id]), [], table)
  }
  assert.deepEqual(await query('select id from organizations where id = $1', [id]), [])
})

test('deleting an organization deletes the queued jobs of its invitations', async () => {
  const { ann, path, slug } = await world.organization()
  const { body } = await ann.post(`${path}/invites`, { email: 'somebody@example.com' })
  const jobs = () => world.postgres.query('select from graphile_worker.jobs where key = $1', [`invitation:${body.id}`])
  assert.equal((await jobs()).length, 1)
  await ann.delete(path, { confirm: slug })
  assert.equal((await jobs()).length, 0)
})
