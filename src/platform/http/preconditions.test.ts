/** Preconditions: nothing of what somebody else has changed meanwhile is overwritten. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createWorld, type Person, password } from '../../../test/world.ts'

const world = await createWorld({ processes: 2 })
const { ann, ben, path: acme } = await world.organization()
const admin = await world.tenantAdmin()
const { tenantId: tenant } = world

async function tagOf(person: Person, path: string): Promise<string> {
  const { status, headers } = await person.get(path)
  assert.equal(status, 200)
  return headers.get('etag') ?? assert.fail(`${path} has no tag`)
}

/** What can be edited, by whom, and an edit that differs with each number. */
const editable: [what: string, editor: Person, path: string, edit: (number: number) => object][] = [
  ['an organization', ben, acme, (number) => ({ name: `Acme ${number}` })],
  ['one’s own profile', ann, '/api/users/me', (number) => ({ name: `Ann ${number}` })],
  ['a user', admin, `/api/admin/users/${ben.id}`, (number) => ({ name: `Ben ${number}` })],
  ['the tenant’s settings', admin, '/api/admin/tenant', (number) => ({ name: `Tenant ${number}` })],
]

for (const [what, editor, path, edit] of editable) {
  test(`${what}: a change with the present tag succeeds, and one with an older tag is refused`, async () => {
    const seen = await tagOf(editor, path)
    assert.match(seen, /^"[\x21\x23-\x7e]+"$/)

    const changed = await editor.patch(path, edit(1), { 'if-match': seen })
    const now = changed.headers.get('etag')
    assert.equal(changed.status, 200)
    assert.notEqual(now, seen)
    assert.equal(await tagOf(editor, path), now)

    const late = await editor.patch(path, edit(2), { 'if-match': seen })
    assert.deepEqual([late.status, late.body.code, late.headers.get('etag')], [412, 'version_mismatch', now])
    assert.equal(await tagOf(editor, path), now)
  })

  test(`${what}: if ten requests change the same version at once, one succeeds`, async () => {
    for (let round = 0; round < 3; round++) {
      const seen = await tagOf(editor, path)
      const answers = await Promise.all(
        Array.from({ length: 10 }, (_, writer) =>
          editor.patch(path, edit(100 * round + writer + 10), { 'if-match': seen }),
        ),
      )
      assert.deepEqual(answers.map(({ status }) => status).sort(), [200, ...Array(9).fill(412)])
      const [winner] = answers.filter(({ status }) => status === 200)
      assert.equal((await editor.get(path)).body.name, winner?.body.name)
    }
  })

  test(`${what}: any tag of a list matches, and so does the star`, async () => {
    const seen = await tagOf(editor, path)
    assert.equal((await editor.patch(path, edit(4), { 'if-match': `"other", ${seen}` })).status, 200)
    assert.equal((await editor.patch(path, edit(5), { 'if-match': '*' })).status, 200)
    for (const malformed of ['7', '"7', '"7" "8"', '', ',', 'w/"7"', '"7"gzip', '"7"-lzma']) {
      const { status, body } = await editor.patch(path, edit(6), { 'if-match': malformed })
      assert.deepEqual([status, body.code], [400, 'invalid_request'], malformed)
      assert.match(body.detail, /If-Match/)
      assert.deepEqual(body.errors, [{ pointer: '', code: 'invalid_format', detail: body.detail }])
    }
  })
}

test('a list of a thousand marked tags with a fault at its end is refused at once', async () => {
  // A pattern that reads a marked tag in two ways tries two to the power of their number.
  for (const end of ['x', ',', ',"']) {
    const { status, body } = await ann.patch(
      '/api/users/me',
      { name: 'Ann' },
      {
        'if-match': Array(1_000).fill('"7-gzip"').join(',') + end,
      },
    )
    assert.deepEqual([status, body.code], [400, 'invalid_request'], end)
  }
})

const byProxies: Readonly<Record<string, (tag: string) => string>> = {
  'made weak': (tag) => `W/${tag}`,
  'marked inside the quotes': (tag) => tag.replace(/"$/, '-gzip"'),
  'marked inside the quotes by a semicolon': (tag) => tag.replace(/"$/, ';br"'),
  'marked by two hyphens': (tag) => tag.replace(/"$/, '--zstd"'),
  'marked after the quotes': (tag) => `${tag}-gzip`,
  'marked after the quotes by a semicolon': (tag) => `${tag};br`,
  'made weak and marked': (tag) => `W/${tag.replace(/"$/, '-br"')}`,
  'marked by two proxies': (tag) => tag.replace(/"$/, '-br-gzip"'),
  'marked by two proxies after the quotes': (tag) => `${tag}-gzip;br`,
  'made weak, in a list': (tag) => `"other", W/${tag}`,
}
for (const [what, change] of Object.entries(byProxies)) {
  test(`behind a proxy that compresses, changes are saved: a tag that was ${what} names the version`, async () => {
    const seen = await tagOf(ann, '/api/users/me')
    const saved = await ann.patch('/api/users/me', { name: `Ann ${what}` }, { 'if-match': change(seen) })
    assert.equal(saved.status, 200, JSON.stringify(saved.body))
    const late = await ann.patch('/api/users/me', { name: 'Late' }, { 'if-match': change(seen) })
    assert.deepEqual([late.status, late.body.code], [412, 'version_mismatch'])
  })
}

test('a request that changes nothing keeps the tag', async () => {
  const seen = await tagOf(ben, acme)
  const { body, headers } = await ben.patch(acme, { name: (await ben.get(acme)).body.name })
  assert.equal(headers.get('etag'), seen)
  assert.ok(body.id)
})

test("an invitation's tag changes with its state, and an outdated tag does not revoke it", async () => {
  const invited = await ben.post(`${acme}/invites`, { email: 'new@example.com' })
  const path = `${acme}/invites/${invited.body.id}`
  const sent = invited.headers.get('etag') ?? ''
  assert.equal(await tagOf(ben, path), sent)
  const resent = await ann.post(`${path}/resend`)
  assert.notEqual(resent.headers.get('etag'), sent)

  const late = await ben.delete(path, undefined, { 'if-match': sent })
  assert.deepEqual([late.status, late.body.code], [412, 'version_mismatch'])
  const revoked = await ben.delete(path, undefined, { 'if-match': await tagOf(ben, path) })
  assert.equal(revoked.status, 200)
  assert.equal(await tagOf(ben, path), revoked.headers.get('etag'))
  assert.notEqual(revoked.headers.get('etag'), resent.headers.get('etag'))

  // The version is compared before the state.
  const again = await ben.delete(path, undefined, { 'if-match': sent })
  assert.deepEqual([again.status, again.body.code], [412, 'version_mismatch'])
})

test('a resource that has changed since its tag was read is not deleted', async () => {
  const person = await world.person('Paul')
  const organization = await person.post('/api/organizations', { name: 'Paul’s' })
  const path = `/api/organizations/${organization.body.id}`
  const seen = organization.headers.get('etag') ?? ''
  await person.patch(path, { name: 'Paul’s own' })
  const confirm = organization.body.slug

  for (const [deleter, at] of [
    [person, path],
    [admin, `/api/admin/organizations/${organization.body.id}`],
  ] as const) {
    const { status, body } = await deleter.delete(at, { confirm }, { 'if-match': seen })
    assert.deepEqual([status, body.code], [412, 'version_mismatch'])
  }
  assert.equal((await person.delete(path, { confirm }, { 'if-match': await tagOf(person, path) })).status, 200)

  const before = await tagOf(person, '/api/users/me')
  await person.patch('/api/users/me', { name: 'Paul again' })
  const mine = await person.delete('/api/users/me', { password }, { 'if-match': before })
  assert.deepEqual([mine.status, mine.body.code], [412, 'version_mismatch'])
  const theirs = await admin.delete(`/api/admin/users/${person.id}`, undefined, { 'if-match': before })
  assert.deepEqual([theirs.status, theirs.body.code], [412, 'version_mismatch'])
  const tag = await tagOf(admin, `/api/admin/users/${person.id}`)
  assert.equal((await admin.delete(`/api/admin/users/${person.id}`, undefined, { 'if-match': tag })).status, 200)
})

test('an account that changes while its deletion waits is not deleted', async () => {
  const person = await world.person('Paul')
  const seen = await tagOf(person, '/api/users/me')
  const answers = await world.database.inTenant(tenant, async (sql) => {
    await sql`
      update users set name = 'Paula', version = version + 1 where tenant_id = ${tenant} and id = ${person.id}`
    const sent = [
      person.delete('/api/users/me', { password }, { 'if-match': seen }),
      admin.delete(`/api/admin/users/${person.id}`, undefined, { 'if-match': seen }),
    ]
    await world.postgres.awaitLine(2)
    return sent
  })
  for (const { status, body } of await Promise.all(answers))
    assert.deepEqual([status, body.code], [412, 'version_mismatch'])
  assert.equal((await person.get('/api/users/me')).body.name, 'Paula')
})

test('a caller who may not change a resource does not learn its version', async () => {
  const stranger = await world.person('Dora')
  const hidden = await stranger.patch(acme, { name: 'Mine' }, { 'if-match': '"0"' })
  assert.deepEqual([hidden.status, hidden.headers.get('etag')], [404, null])
  const { status, headers } = await ann.patch(`/api/admin/users/${ben.id}`, { name: 'Mine' }, { 'if-match': '"0"' })
  assert.deepEqual([status, headers.get('etag')], [403, null])
})

test("one person's tag does not match another's, even if both are at their first version", async () => {
  const [mine, theirs] = [await world.person(), await world.person()]
  const seen = await tagOf(mine, '/api/users/me')
  const late = await theirs.patch('/api/users/me', { name: 'Mine' }, { 'if-match': seen })
  assert.deepEqual([late.status, late.body.code], [412, 'version_mismatch'])
  assert.equal(
    await tagOf(await world.tenantAdmin(), `/api/admin/users/${mine.id}`),
    seen,
    'and the same wherever they are',
  )
})
