import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createWorld, type Json, Person } from '../../../test/world.ts'

const world = await createWorld({
  settings: { TRUST_PROXY: '127.0.0.1', SMTP_URL: 'smtp://127.0.0.1:1', MAIL_FROM: 'guildhall@example.com' },
})
const { query } = world.postgres
const home = { 'x-forwarded-for': '198.51.100.1', 'user-agent': 'curl/8.5.0' }
const away = { 'x-forwarded-for': '203.0.113.9', 'user-agent': 'Wget/1.21' }

/** The same person, as if they sat somewhere. */
function at(person: Person, place: Record<string, string>): Person {
  return new Person(world, person.token, person, place)
}

const actionsOf = (entries: Json[]): string[] => entries.map(({ action }) => action)

test("an organization's log has no addresses and no devices, not even the reader's", async () => {
  const { ann, ben, path, members } = await world.organization()
  await at(ann, away).patch(`${path}/members/${members.cleo.id}`, { role: 'admin' })
  await at(ben, home).post(`${path}/invites`, { email: 'somebody@example.com' })

  const { body } = await at(ben, home).get(`${path}/audit`)

  assert.ok(body.data.length >= 6)
  for (const { ip, device } of body.data) assert.deepEqual([ip, device], [null, null])
  assert.ok(!JSON.stringify(body).includes('203.0.113.9'))
})

test('an unknown action is reported together with all other faults', async () => {
  const { ann, path } = await world.organization()
  for (const log of ['/api/users/me/audit', `${path}/audit`]) {
    const { body } = await ann.get(`${log}?action=member.joined,nonsense&limit=0&from=yesterday&x=1`)
    assert.deepEqual(body.errors.map(({ pointer }: Json) => pointer).sort(), ['?action', '?from', '?limit', '?x'], log)
    const twice = await ann.get(`${log}?action=member.joined&action=member.left`)
    assert.deepEqual([twice.status, twice.body.errors[0].code], [400, 'wrong_type'], log)
  }
})

test('pages of a log have each entry once, even if many have the same millisecond', async () => {
  const { ann, path, id } = await world.organization()
  for (let each = 0; each < 5; each++) await ann.patch(path, { name: `Acme ${each}` })
  await query(`update audit_entries set occurred_at = '2026-01-01' where organization_id = $1`, [id])
  await query(
    `update audit_details d set occurred_at = '2026-01-01' from audit_entries e
     where e.tenant_id = d.tenant_id and e.id = d.entry_id and e.organization_id = $1`,
    [id],
  )
  for (const list of [`${path}/audit`, '/api/users/me/audit']) {
    const whole = (await ann.get(`${list}?limit=100`)).body.data.map(({ id }: Json) => id)
    for (const limit of [1, 2, 3]) {
      const found: string[] = []
      let cursor = ''
      do {
        const { body } = await ann.get(`${list}?limit=${limit}${cursor && `&cursor=${cursor}`}`)
        found.push(...body.data.map(({ id }: Json) => id))
        cursor = body.nextCursor ?? ''
      } while (cursor)
      assert.deepEqual(found, whole, `${list} by ${limit}`)
    }
  }
})

test('a cursor works for one log, one caller and one filter, for a day', async () => {
  const { ann, ben, path } = await world.organization()
  for (const name of ['One', 'Two', 'Three']) await ann.patch(path, { name })
  const cursor = (await ann.get(`${path}/audit?limit=1`)).body.nextCursor
  assert.equal((await ann.get(`${path}/audit?limit=2&cursor=${cursor}`)).status, 200)
  for (const answer of await Promise.all([
    ben.get(`${path}/audit?cursor=${cursor}`),
    ann.get(`/api/users/me/audit?cursor=${cursor}`),
    ann.get(`${path}/audit?action=member.joined&cursor=${cursor}`),
    ann.get(`${path}/audit?cursor=${cursor.slice(1)}`),
  ])) {
    assert.deepEqual([answer.status, answer.body.code], [400, 'invalid_cursor'])
  }
  const context = JSON.stringify(['GET', `${path}/audit`, []])
  const opened = JSON.parse(world.keyring.open('cursor', cursor, context) ?? '{}')
  const old = world.keyring.seal('cursor', JSON.stringify({ ...opened, expires: Date.now() - 1 }), context)
  assert.equal((await ann.get(`${path}/audit?cursor=${old}`)).body.code, 'invalid_cursor')
  assert.ok(opened.expires > Date.now() + 23 * 3600_000 && opened.expires <= Date.now() + 24 * 3600_000)
})

test("only its admins can read an organization's log, and only that organization's", async () => {
  const { ann, ben, cleo, dan, path, id } = await world.organization()
  const other = await world.organization()

  assert.equal((await ann.get(`${path}/audit`)).status, 200)
  assert.equal((await cleo.get(`${path}/audit`)).body.code, 'forbidden')
  assert.equal((await dan.get(`${path}/audit`)).body.code, 'not_found')
  assert.equal((await other.ann.get(`${path}/audit`)).body.code, 'not_found')
  const { body } = await ben.get(`${path}/audit?limit=100`)
  for (const entry of body.data) assert.equal(entry.organizationId, id)
  assert.deepEqual(actionsOf(body.data).at(-1), 'organization.created')
})

test("a former member no longer learns the organization's new name", async () => {
  const { ann, ben, path, id, members } = await world.organization()
  await ben.patch(path, { logoUrl: 'https://example.com/logo.png' })
  await ann.delete(`${path}/members/${members.ben.id}`)
  await ann.patch(path, { name: 'A new secret name' })

  const { body } = await ben.get(`/api/users/me/audit?organizationId=${id}&action=organization.updated`)

  assert.deepEqual(
    body.data.map((entry: { target: object }) => entry.target),
    [{ type: 'organization', id, name: null }],
  )
})
