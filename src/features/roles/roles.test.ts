import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { test } from 'node:test'
import { codeOf, createWorld, type Json, type Person } from '../../../test/world.ts'

const world = await createWorld()
const tess = await world.tenantAdmin()
const inDays = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString()
const address = () => `guest-${randomBytes(6).toString('hex')}@example.com`

const role = (key: string, ...permissions: string[]) => ({ key, name: key, permissions })
const done = await tess.put('/api/admin/access', {
  permissions: [
    { key: 'notes:read', name: 'Read', minimumRole: 'member' },
    { key: 'notes:write', name: 'Write', minimumRole: 'admin' },
    { key: 'notes:void', name: 'Void', minimumRole: 'owner' },
  ],
  roles: [
    role('reader', 'notes:read'),
    role('writer', 'notes:write'),
    role('voider', 'notes:void'),
    role('recruiter', 'invitations:write'),
    role('manager', 'members:update'),
  ],
})
assert.equal(done.status, 200)

/** The roles that somebody may give, with the latest end; null: they need none. */
async function givenBy(person: Person, path: string): Promise<Record<string, string | null>> {
  const { data } = (await person.get(`${path}/roles`)).body
  const may = data.filter(({ mayGrant }: Json) => mayGrant)
  assert.ok(data.every((each: Json) => each.mayGrant || (each.mayGrantUntil === null && !each.mayShare)))
  return Object.fromEntries(may.map(({ key, mayGrantUntil }: Json) => [key, mayGrantUntil]))
}

test('every member reads the names of what roles contain', async () => {
  const { cleo, path } = await world.organization()
  const { permissions, data } = (await cleo.get(`${path}/roles`)).body
  const names = new Map(permissions.map(({ key, name }: Json) => [key, name]))
  assert.deepEqual([names.get('notes:void'), names.get('audit:read')], ['Void', 'See the activity'])
  const contained = data.flatMap((each: Json) => each.permissions)
  assert.deepEqual(
    contained.filter((key: string) => !names.has(key)),
    [],
  )
})

test('what somebody holds only for a time is theirs to give until then, and no longer', async () => {
  const { ann, cleo, path, members } = await world.organization()
  const [soon, later] = [inDays(10), inDays(20)]
  const grants = [
    { role: 'recruiter', expiresAt: null },
    { role: 'writer', expiresAt: soon },
    { role: 'voider', expiresAt: later },
  ]
  await ann.patch(`${path}/members/${members.cleo.id}`, { grants })

  const given = await givenBy(cleo, path)

  assert.deepEqual(given, { member: null, reader: null, recruiter: null, voider: later, writer: soon })
  for (const [key, until] of Object.entries(given)) {
    const invite = (expiresAt: string | null) => {
      const isOwn = key === 'member'
      return cleo.post(`${path}/invites`, { email: address(), ...(!isOwn && { grants: [{ role: key, expiresAt }] }) })
    }
    assert.equal((await invite(until)).status, 201, `${key} until ${until}`)
    if (until === null) continue
    const { status, body } = await invite(new Date(Date.parse(until) + 1).toISOString())
    assert.deepEqual([status, body.code, body.missing, body.until], [403, 'role_above_yours', [], until], key)
    assert.deepEqual(codeOf(await invite(null)), [403, 'role_above_yours'], key)
  }
  assert.deepEqual(codeOf(await cleo.post(`${path}/invites`, { email: address(), grants: [{ role: 'manager' }] })), [
    403,
    'role_above_yours',
  ])
  const link = await cleo.post(`${path}/links`, { grants: [{ role: 'writer', expiresAt: soon }] })
  assert.equal(link.status, 201, 'a link gives it until then, too')
})

test('who is a member for a time gives every role until their own end', async () => {
  const { ann, ben, path, members } = await world.organization()
  const expiresAt = inDays(10)
  await ann.patch(`${path}/members/${members.ben.id}`, { expiresAt })

  const given = await givenBy(ben, path)

  assert.deepEqual(given, {
    admin: expiresAt,
    manager: expiresAt,
    member: expiresAt,
    reader: expiresAt,
    recruiter: expiresAt,
    writer: expiresAt,
  })
  const invite = (memberExpiresAt: string | null) =>
    ben.post(`${path}/invites`, { email: address(), role: 'admin', memberExpiresAt })
  assert.equal((await invite(expiresAt)).status, 201)
  assert.equal((await invite(null)).body.until, expiresAt)
})

test('who may neither invite nor change members gives no role', async () => {
  const { ann, cleo, path, members } = await world.organization()
  await ann.patch(`${path}/members/${members.cleo.id}`, { grants: [{ role: 'writer' }] })
  assert.deepEqual(await givenBy(cleo, path), {})
})
