import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Answer, createWorld, type Json } from '../../../test/world.ts'

const world = await createWorld()
const tess = await world.tenantAdmin()
const { ann, id: organizationId, path } = await world.organization()

/** Everything that has metadata: how it is changed, under which name, and in which log that stands. */
const places: Readonly<Record<string, { name: string; patch(metadata: Json): Promise<Answer>; log: string }>> = {
  'a user’s own': {
    name: 'metadata',
    patch: (metadata) => ann.patch('/api/users/me', { metadata }),
    log: `/api/admin/audit?action=profile.updated&userId=${ann.id}`,
  },
  'what an application stores of a user': {
    name: 'appMetadata',
    patch: (appMetadata) => tess.patch(`/api/admin/users/${ann.id}`, { appMetadata }),
    log: `/api/admin/audit?action=profile.updated&userId=${ann.id}`,
  },
  'an organization’s': {
    name: 'metadata',
    patch: (metadata) => ann.patch(path, { metadata }),
    log: `/api/admin/audit?action=organization.updated&organizationId=${organizationId}`,
  },
}

/** Changes the metadata of a place twice, and clears it. @returns the details of the second entry */
async function change(place: string, before: Json, patch: Json): Promise<Json> {
  const { name, patch: send, log } = places[place] ?? assert.fail(place)
  for (const metadata of [before, patch]) {
    const { status, body } = await send(metadata)
    assert.equal(status, 200, JSON.stringify(body))
  }
  const { body } = await tess.get(`${log}&limit=1`)
  const { [name]: changed, ...rest } = body.data[0].details
  await send(Object.fromEntries(Object.keys({ ...before, ...patch }).map((key) => [key, null])))
  return { ...rest, metadata: changed }
}

for (const place of Object.keys(places)) {
  test(`the log has only the changed keys of metadata (${place})`, async () => {
    const before = { kept: 'same', number: 1, gone: ['x'], nested: { kept: true, deep: { changed: 1 } } }
    const patch = { number: 2, gone: null, added: { a: 1 }, nested: { deep: { changed: 2, added: null } } }

    assert.deepEqual(await change(place, before, patch), {
      metadata: {
        from: { number: 1, gone: ['x'], nested: { deep: { changed: 1 } } },
        to: { number: 2, nested: { deep: { changed: 2 } }, added: { a: 1 } },
      },
    })
  })

  test(`a long value of metadata (${place}) is cut in the log, with its length`, async () => {
    const [text, list] = ['🦉'.repeat(1_500), Array.from({ length: 400 }, (_, index) => index)]

    const { metadata } = await change(place, { text: 'short' }, { text, list })

    assert.deepEqual(metadata.from, { text: 'short' })
    for (const [value, whole] of [
      [metadata.to.text, text],
      [metadata.to.list, JSON.stringify(list)],
    ]) {
      const [, beginning, length] = /^(.*)… \((\d+) characters\)$/u.exec(value) ?? assert.fail(value)
      assert.ok([...value].length <= 256 && [...value].length > 250)
      assert.ok(beginning && whole.startsWith(beginning))
      assert.equal(Number(length), [...whole].length)
    }
  })

  test(`a large change of metadata (${place}) takes 4 KiB in the log, with the number of omitted keys`, async () => {
    const of = (value: string) =>
      Object.fromEntries(Array.from({ length: 100 }, (_, n) => [`key ${n}`, value.repeat(20)]))
    const long = { [`${'long'.repeat(500)}`]: 1 }

    const { omittedKeys, metadata } = await change(place, of('x'), { ...long, ...of('ä') })

    const kept = Object.keys(metadata.to)
    assert.deepEqual(kept, Object.keys(metadata.from))
    assert.ok(kept.length > 20)
    assert.equal(kept.length + omittedKeys, 101)
    assert.ok(Buffer.byteLength(JSON.stringify({ omittedKeys, metadata })) <= 4_096)
    const sizes = await world.postgres.query<{ size: number }>(
      'select max(octet_length(details::text)) as size from audit_details',
    )
    assert.ok((sizes[0]?.size ?? 0) <= 4_096)
  })
}

test('other long values are cut in the log too', async () => {
  const avatarUrl = `https://example.com/${'a'.repeat(1_500)}`
  await ann.patch('/api/users/me', { avatarUrl })

  const { body } = await ann.get('/api/users/me/audit?action=profile.updated&limit=1')

  assert.match(body.data[0].details.avatarUrl.to, /^https:\/\/example\.com\/a+… \(1520 characters\)$/)
  assert.equal(body.data[0].details.avatarUrl.to.length, 256)
})

test('the log names every role that a change of a member gives and takes', async () => {
  const { ann: owner, path: acme, members } = await world.organization()
  const keyOf = (name: string) => name.padEnd(48, 'x')
  const [old, now] = [0, 10].map((first) => Array.from({ length: 10 }, (_, n) => keyOf(`role-${first + n}-`)))
  const roles = [...(old ?? []), ...(now ?? [])].map((key) => ({ key, name: key, permissions: ['notes:write'] }))
  const permissions = [{ key: 'notes:write', name: 'Write' }]
  assert.equal((await tess.put('/api/admin/access', { permissions, roles })).status, 200)
  const expiresAt = new Date(Date.now() + 7 * 86_400_000).toISOString()

  for (const keys of [old, now]) {
    const grants = keys?.map((role) => ({ role, expiresAt }))
    assert.equal((await owner.patch(`${acme}/members/${members.cleo.id}`, { grants })).status, 200)
  }

  const { body } = await owner.get(`${acme}/audit?action=member.grants_changed&limit=1`)
  const withEnds = (keys: readonly string[] = []) => keys.map((key) => `${key} until ${expiresAt}`).sort()
  const { added, removed, ...rest } = body.data[0].details
  assert.deepEqual([added.sort(), removed.sort(), rest], [withEnds(now), withEnds(old), {}])
})

test('a list that takes more than a kibibyte is cut in the log, and the other lists of the entry stay', async () => {
  const { slug } = await world.tenant()
  const admin = await world.tenantAdmin(slug)
  const permissions = Array.from({ length: 100 }, (_, n) => ({ key: `notes:write-${n}`, name: 'Write' }))
  await admin.put('/api/admin/access', { permissions, roles: [] })
  await admin.put('/api/admin/access?drop=notes:write-1', {
    permissions: permissions.filter((_, n) => n !== 1),
    roles: [],
  })

  const { body } = await admin.get('/api/admin/audit?action=access.updated&limit=2')
  const [second, first] = body.data.map(({ details }: Json) => details)

  assert.match(first.added, /^\["notes:write-0","notes:write-1",.*… \(\d+ characters\)$/)
  assert.equal(first.added.length, 256)
  assert.deepEqual(second, { added: [], removed: ['notes:write-1'], changed: [] })
})
