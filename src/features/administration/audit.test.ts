import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createWorld, type Json, Person, password } from '../../../test/world.ts'

const world = await createWorld({
  settings: { TRUST_PROXY: '127.0.0.1', SMTP_URL: 'smtp://127.0.0.1:1', MAIL_FROM: 'guildhall@example.com' },
})
const { query } = world.postgres
const home = { 'x-forwarded-for': '198.51.100.1', 'user-agent': 'curl/8.5.0' }
const away = { 'x-forwarded-for': '203.0.113.9', 'user-agent': 'Wget/1.21' }

const actionsOf = (entries: Json[]): string[] => entries.map(({ action }) => action)

/** The same person, as if they sat somewhere. */
function at(person: Person, place: Record<string, string>): Person {
  return new Person(world, person.token, person, place)
}

/** A tenant of its own with an admin, who sits at home, and an organization. */
async function tenantWithLog() {
  const { slug } = await world.tenant()
  const tess = at(await world.tenantAdmin(slug), home)
  return { ...(await world.organization({ tenant: slug })), tenant: slug, tess }
}

const tenantLog = async (admin: Person, query = ''): Promise<Json[]> => {
  const { status, body } = await admin.get(`/api/admin/audit${query}`)
  assert.equal(status, 200)
  return body.data
}

test("the tenant's log has every entry of the tenant with its network, and none of another", async () => {
  const { tenant, tess, ann, ben, path } = await tenantWithLog()
  const phone = await world.signIn(ben, { ...home, 'guildhall-tenant': tenant })
  await at(ann, away).patch(path, { name: 'Acme 2' })
  await phone.patch('/api/users/me', { locale: 'cy' })

  const entries = await tenantLog(tess, '?limit=100')

  const [own, updated] = entries
  assert.deepEqual([own.action, own.ip, own.device], ['profile.updated', '198.51.100.1', 'curl'])
  assert.deepEqual([updated.action, updated.ip], ['organization.updated', '203.0.113.9'])
  assert.deepEqual([updated.actor.id, updated.target.name], [ann.id, 'Acme 2'])
  assert.equal(entries.at(-1).action, 'tenant.created')
  const stored = await query(
    'select from audit_entries where tenant_id = (select tenant_id from users where id = $1)',
    [tess.id],
  )
  assert.equal(entries.length, stored.length)
})

test("the tenant's log is filtered by action, time and organization, and by a user as actor or target", async () => {
  const { tess, ann, ben, cleo, id, path, members } = await tenantWithLog()
  await ann.patch(`${path}/members/${members.cleo.id}`, { role: 'admin' })
  await tess.patch(`/api/admin/users/${cleo.id}`, { name: 'Clea' })
  const ofCleo = await tenantLog(tess, `?userId=${cleo.id}`)

  assert.deepEqual(actionsOf(ofCleo).slice(0, 2), ['profile.updated', 'member.role_changed'])
  for (const { actor, target } of ofCleo) assert.ok([actor.id, target.id].includes(cleo.id))
  assert.deepEqual(actionsOf(await tenantLog(tess, `?userId=${ann.id}&action=member.*`)), ['member.role_changed'])
  assert.deepEqual(await tenantLog(tess, `?userId=${ben.id}&action=member.role_changed`), [])
  const ofAcme = await tenantLog(tess, `?organizationId=${id}&limit=100`)
  assert.deepEqual(actionsOf(ofAcme), actionsOf((await ann.get(`${path}/audit?limit=100`)).body.data))
  assert.ok(
    (await tenantLog(tess, `?organizationId=${id}&userId=${cleo.id}`)).every((each) => each.organizationId === id),
  )
  const [{ occurredAt }] = ofAcme as [Json]
  assert.ok((await tenantLog(tess, `?to=${occurredAt}`)).every((each) => each.occurredAt < occurredAt))
  assert.ok((await tenantLog(tess, `?from=${occurredAt}`)).every((each) => each.occurredAt >= occurredAt))
  assert.deepEqual(await tenantLog(tess, `?userId=user_${'0'.repeat(26)}`), [])
  for (const wrong of ['userId=ann', 'organizationId=acme', 'action=nonsense', 'from=yesterday', 'ip=1.2.3.4']) {
    assert.equal((await tess.get(`/api/admin/audit?${wrong}`)).status, 400, wrong)
  }
})

test("pages of the tenant's log have each entry once, with and without a user", async () => {
  const { tess, ann, path } = await tenantWithLog()
  for (const name of ['One', 'Two', 'Three']) await ann.patch(path, { name })
  for (const query of ['', `userId=${ann.id}&`, 'action=organization.*,member.*&']) {
    const whole = (await tenantLog(tess, `?${query}limit=100`)).map(({ id }) => id)
    const found: string[] = []
    let cursor = ''
    do {
      const { body } = await tess.get(`/api/admin/audit?${query}limit=2${cursor && `&cursor=${cursor}`}`)
      found.push(...body.data.map(({ id }: Json) => id))
      cursor = body.nextCursor ?? ''
    } while (cursor)
    assert.deepEqual(found, whole, query)
  }
})

test("the tenant's log shows a deleted user as deleted, without any data of theirs", async () => {
  const { tess, ann, ben, path } = await tenantWithLog()
  await at(ben, away).patch(path, { name: 'Renamed' })
  const [before] = await tenantLog(tess, '?action=organization.updated')
  assert.equal((await ben.delete('/api/users/me', { password })).status, 200)

  const [after] = await tenantLog(tess, '?action=organization.updated')

  assert.deepEqual([before.actor.id, before.ip], [ben.id, '203.0.113.9'])
  assert.deepEqual([after.actor.type, after.actor.name, after.ip, after.device], ['deleted_user', null, null, null])
  assert.deepEqual(await tenantLog(tess, `?userId=${ben.id}`), [])
  assert.ok((await tenantLog(tess, `?userId=${ann.id}`)).length > 0)
})

test("only the tenant's admins can read its log", async () => {
  const { ann } = await tenantWithLog()
  assert.deepEqual((await ann.get('/api/admin/audit')).status, 403)
  assert.deepEqual((await world.nobody.get('/api/admin/audit')).status, 401)
})
