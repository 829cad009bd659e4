/** The server of Notes without its page: whom it answers, what it sends on to Guildhall, what it erases; and the commands of the README. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { request } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { test } from 'node:test'
import { createGuildhall } from '@guildhall/client'
import { commandsIn, runCommands } from '../../test/commands.ts'
import { readDocument, root } from '../../test/documents.ts'
import { createPublicWorld } from '../../test/relying-party.ts'
import { timeout } from '../../test/timeout.ts'
import { password } from '../../test/world.ts'
import { eraseDeleted } from './erasure.ts'
import { closeServer, createNotesServer } from './server.ts'
import { registrationOf, startNotes } from './testing.ts'

const world = await createPublicWorld()
const running = await startNotes(world)
const { origin, signIn, notes, signInAs, ask } = running

test('the server ends even if a browser holds an unused connection open', async (t) => {
  const second = createNotesServer(running).listen(0, '127.0.0.1')
  await once(second, 'listening')
  const connection = connect((second.address() as AddressInfo).port, '127.0.0.1') // listens on TCP
  t.after(() => connection.destroy())
  await once(second, 'connection')

  await closeServer(second)

  assert.equal(second.listening, false)
})

test('the server answers only members, and refuses invalid requests', async () => {
  const { id, slug, ann, cleo, dan } = await world.organization()
  const other = await world.organization()
  const [anns, cleos, dans, others] = await Promise.all([ann, cleo, dan, other.ann].map(signInAs))
  const path = `/api/organizations/${id}/notes`
  const post = (body: unknown, cookie = anns) => ask('POST', path, cookie, JSON.stringify(body))

  const { status, body: note } = await post({ text: '  First \n' })
  assert.deepEqual([status, note.text, note.authorId], [201, 'First', ann.id])
  assert.deepEqual((await ask('GET', path, cleos)).body, [note])
  assert.deepEqual((await ask('GET', `/api/organizations/${slug}/notes`, cleos)).body, [note])

  for (const cookie of ['', 'notes=', 'notes=unknown']) {
    const nobody = await ask('GET', path, cookie)
    assert.deepEqual([nobody.status, nobody.body.code], [401, 'unauthenticated'])
  }
  assert.equal((await post({ text: 'x' }, dans)).status, 404)
  assert.equal((await ask('DELETE', `${path}/${note.id}`, dans)).status, 404)
  const elsewhere = await ask('DELETE', `/api/organizations/${other.id}/notes/${note.id}`, others)
  assert.deepEqual([elsewhere.status, elsewhere.body.code], [404, 'not_found'])
  const notHers = await ask('DELETE', `${path}/${note.id}`, cleos)
  assert.deepEqual([notHers.status, notHers.body.code], [403, 'forbidden'])

  for (const [body, pointer] of [
    [{}, '/text'],
    [{ text: 7 }, '/text'],
    [{ text: ' ' }, '/text'],
    [{ text: 'x'.repeat(2001) }, '/text'],
    [{ text: 'x', authorId: cleo.id }, ''],
    [null, '/text'],
    ['text', '/text'],
    [['text'], '/text'],
  ] as const) {
    const { status, body: problem } = await post(body)
    assert.deepEqual([status, problem.code], [400, 'invalid_request'])
    assert.ok(
      problem.errors.some((fault: { pointer: string }) => fault.pointer === pointer),
      JSON.stringify(problem),
    )
  }
  assert.equal((await ask('POST', path, anns, '{')).body.code, 'malformed_json')
  assert.equal((await ask('POST', path, anns, 'text=x', { 'content-type': 'text/plain' })).status, 415)
  assert.equal((await post({ text: 'x'.repeat(1_000_000) })).status, 413)
  const put = await ask('PUT', path, anns)
  assert.deepEqual([put.status, put.headers.get('allow')], [405, 'GET, POST'])

  assert.equal((await ask('DELETE', `${path}/${note.id}`, anns)).status, 204)
  assert.equal((await ask('DELETE', `${path}/${note.id}`, anns)).status, 404)
  assert.deepEqual((await ask('GET', path, anns)).body, [])
})

test('the server sends on to Guildhall only what the page needs, and nothing for pages of other sites', async () => {
  const { id, ann } = await world.organization()
  const cookie = await signInAs(ann)
  const create = JSON.stringify({ name: 'Elsewhere' })
  const key = { 'idempotency-key': 'the-same-key' }
  const [one, same] = [
    await ask('POST', '/guildhall/api/organizations', cookie, create, key),
    await ask('POST', '/guildhall/api/organizations', cookie, create, key),
  ]
  assert.deepEqual([one.status, same.body.id], [201, one.body.id])
  const read = await ask('GET', `/guildhall/api/organizations/${one.body.id}`, cookie)
  const stale = { 'if-match': `${read.headers.get('etag')}` }
  assert.equal(
    (await ask('PATCH', `/guildhall/api/organizations/${one.body.id}`, cookie, '{"name":"A"}', stale)).status,
    200,
  )
  const late = await ask('PATCH', `/guildhall/api/organizations/${one.body.id}`, cookie, '{"name":"B"}', stale)
  assert.equal(late.body.code, 'version_mismatch')

  for (const path of [
    '/guildhall/api/auth/sign-in',
    '/guildhall/api/admin/users',
    '/guildhall/api/users/me/devices',
    '/guildhall/api/organizations/../auth/sign-in',
    '/guildhall/api/organizations/%2e%2e/admin/users',
    '/guildhall/',
    '/guildhall//example.com/api/check',
  ])
    assert.equal((await ask('POST', path, cookie, '{}')).status, 404, path)
  const nobody = createGuildhall({ url: `${origin}/guildhall`, retries: 0, timeout })
  await assert.rejects(nobody.me.get(), { code: 'unauthenticated' }, 'the client understands it')

  for (const site of ['cross-site', 'same-site', 'none'])
    for (const path of ['/sign-out', `/api/organizations/${id}/notes`, '/guildhall/api/organizations']) {
      const refused = await ask('POST', path, cookie, create, { 'sec-fetch-site': site })
      assert.deepEqual([refused.status, refused.body.code], [403, 'cross_site'], `${site} ${path}`)
    }
})

test('a person who is removed while their note is being sent adds none', async () => {
  const { id, path, ann, cleo, members } = await world.organization()
  const cookie = await signInAs(cleo)
  const headers = { cookie, 'content-type': 'application/json', 'sec-fetch-site': 'same-origin' }
  const sent = request(`${origin}/api/organizations/${id}/notes`, { method: 'POST', headers })
  sent.write('{ "text": ')
  assert.equal((await ann.delete(`${path}/members/${members.cleo.id}`)).status, 200)
  sent.end('"late" }')
  const [answer] = await once(sent, 'response')
  assert.equal(answer.statusCode, 404)
  assert.deepEqual(notes.list(id), [])
})

test('only the pages and their files are served, each with a policy', async () => {
  for (const path of ['/', '/?failed', '/main.js', '/style.css', '/icon.svg']) {
    const { status, headers } = await ask('GET', path)
    assert.equal(status, 200)
    assert.match(headers.get('content-security-policy') ?? '', /default-src 'none'.*frame-ancestors 'none'/)
    assert.doesNotMatch(headers.get('content-security-policy') ?? '', /unsafe/)
    assert.deepEqual(
      [headers.get('x-content-type-options'), headers.get('referrer-policy')],
      ['nosniff', 'no-referrer'],
    )
  }
  for (const path of [
    '/main.ts',
    '/desk.html',
    '/..%2fserver.ts',
    '/data/notes.sqlite',
    '//',
    '/.env',
    '/api/organizations',
  ])
    assert.equal((await ask('GET', path)).status, 404, path)
})

test('notes of deleted accounts and organizations are deleted', async () => {
  const { id, slug, ann, cleo } = await world.organization()
  const gone = await world.organization()
  for (const person of [ann, cleo]) notes.add(id, person.id, `of ${person.name}`)
  notes.add(gone.id, gone.ann.id, 'of nobody')
  assert.equal((await gone.ann.delete(gone.path, { confirm: gone.slug })).status, 200)
  assert.equal((await cleo.delete('/api/users/me', { password })).status, 200)
  const { token: key } = await world.key(['users:read', 'organization:read'])

  await eraseDeleted(createGuildhall({ url: signIn.api, key, timeout }), notes)

  assert.deepEqual(
    notes.list(id).map(({ text }) => text),
    ['of Ann'],
  )
  assert.deepEqual(notes.list(gone.id), [])
  assert.equal((await ann.get(`/api/organizations/${slug}`)).status, 200)
})

test('the commands of the README register Notes, and make the key of the erasure', async () => {
  const env = {
    TENANT: 'default',
    DATABASE_URL: world.postgres.url,
    GUILDHALL_SECRET: 'a secret that is only used in tests',
    PUBLIC_URL: world.app.config.publicUrl,
  }
  const commands = readDocument('examples/notes/README.md')
    .blocks.filter(({ language }) => language === 'console')
    .flatMap(({ text }) => commandsIn(text))
  const printedBy = async (beginning: string) => {
    const command = commands.find((each) => each.command.startsWith(beginning)) ?? assert.fail(beginning)
    const [printed = ''] = await runCommands([command], { cwd: root, url: world.url, env })
    return printed
  }
  const printed = await printedBy('node tools/guildhall.mjs application create')
  const [, id = ''] = /^Id +(app_\w+)$/m.exec(printed) ?? []
  const { body } = await (await world.tenantAdmin()).get(`/api/admin/applications/${id}`)
  // The back channel is an address, because `localhost` may have two.
  const wanted = {
    ...registrationOf('http://localhost:4000'),
    backChannelLogoutUri: 'http://127.0.0.1:4000/back-channel',
  }
  assert.deepEqual(Object.fromEntries(Object.keys(wanted).map((name) => [name, body[name]])), wanted)
  assert.equal(body.kind, 'server')

  await printedBy('node tools/guildhall.mjs access apply')
  const key = await printedBy('node tools/guildhall.mjs key create')
  await eraseDeleted(createGuildhall({ url: signIn.api, key, timeout }), notes)
})
