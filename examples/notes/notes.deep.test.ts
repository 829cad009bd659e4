/** Notes in a browser, in which people sign in on Guildhall's pages. It has another origin than Guildhall. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { request } from 'node:http'
import { createRequire } from 'node:module'
import { type AddressInfo, connect } from 'node:net'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { createGuildhall } from '@guildhall/client'
import type { Page } from 'playwright-core'
import { createConsoleWorld } from '../../test/browser.ts'
import { commandsIn, runCommands } from '../../test/commands.ts'
import { readDocument, root } from '../../test/documents.ts'
import { type Person, password } from '../../test/world.ts'
import { eraseDeleted } from './erasure.ts'
import { closeServer, createNotesServer } from './server.ts'
import { registrationOf, startNotes } from './testing.ts'

const world = await createConsoleWorld({ isLocalhost: true, settings: { OUTBOUND_PRIVATE: '127.0.0.1' } })
const running = await startNotes(world)
const { origin, signIn, notes, signInAs, ask } = running
const model = readFileSync(join(import.meta.dirname, 'access.json'), 'utf8')
await (await world.tenantAdmin()).put('/api/admin/access', JSON.parse(model))
const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

test('somebody new signs up at Guildhall and invites somebody, who comes to Notes by the mail', async (t) => {
  const [anns, bobs] = [await openTab(t), await openTab(t)]
  const ann = anns.page
  await ann.goto(origin)
  await check(ann)
  await ann.getByRole('link', { name: 'Create an account' }).click()
  await ann.getByText('to continue to Notes', { exact: true }).waitFor()
  await ann.getByLabel('Email').fill('ann@notes.example')
  await ann.getByLabel('Name').fill('Ann')
  await ann.getByLabel('Password', { exact: true }).fill(password)
  await ann.getByRole('button', { name: 'Create account' }).click()
  await ann.getByRole('heading', { name: 'Verify your email address' }).waitFor()
  const other = await anns.context.newPage()
  await other.goto(`/verify-email#token=${await world.mailedToken('ann@notes.example', 'verify-email')}`)
  await ann.getByRole('heading', { name: 'Start with an organization' }).waitFor()
  await ann.getByLabel('New organization').fill('The Studio')
  await ann.getByRole('button', { name: 'Create' }).click()
  await ann.getByRole('heading', { name: 'The Studio' }).waitFor()
  await write(ann, '<b>Ann</b> was here')
  for (const answer of ['A mail is on its way to bob@notes.example.', 'This address already has a pending invitation.']) {
    await ann.getByLabel('Invite by email').fill('bob@notes.example')
    await ann.getByRole('button', { name: 'Invite' }).click()
    await ann.getByText(answer).waitFor()
  }
  assert.equal(await ann.locator('#invited').textContent(), '')

  const bob = bobs.page
  await bobs.openMailed('bob@notes.example', 'invitation')
  await bob.getByLabel('Name').fill('Bob')
  await bob.getByLabel('Password', { exact: true }).fill(password)
  await bob.getByRole('button', { name: 'Create account and join' }).click()
  await bob.getByRole('link', { name: 'Continue to Notes' }).click()
  await bob.getByText('<b>Ann</b> was here').waitFor()
  assert.equal(new URL(bob.url()).hash, '#the-studio')
})

test('people share the notes of an organization as their roles allow, until they are removed', async (t) => {
  const { ann, dan, id, slug } = await world.organization()
  notes.add(id, ann.id, 'Ann was here')
  assert.equal((await ann.post(`/api/organizations/${id}/invites`, { email: dan.email })).status, 201)
  const [anns, dans] = [await openPage(t, ann), await openPage(t, dan)]
  await dans.getByText('Ann invites you to Acme, as member.').waitFor()
  await dans.getByRole('button', { name: 'Join Acme' }).click()
  await dans.getByText('Ann was here').waitFor()
  await write(dans, 'So was Dan')
  assert.equal(await dans.getByRole('button', { name: 'Delete the note of Dan' }).count(), 1)
  assert.equal(await dans.getByRole('button', { name: 'Delete the note of Ann' }).count(), 0)
  assert.equal(await dans.getByLabel('Invite by email').isVisible(), false)

  await anns.reload()
  const changed = anns.waitForResponse((answer) => answer.request().method() === 'PATCH' && answer.ok())
  await anns.getByLabel('Role of Dan').selectOption('admin')
  await changed
  await dans.reload()
  await dans.getByRole('button', { name: 'Delete the note of Ann' }).click()
  await dans.getByText('Ann was here').waitFor({ state: 'detached' })

  await anns.getByRole('button', { name: 'Remove Dan' }).click()
  await anns.getByLabel('Role of Dan').waitFor({ state: 'detached' })
  await dans.getByLabel('New note').fill('Is Dan still here?')
  await dans.getByRole('button', { name: 'Add note' }).click()
  await dans.getByText(`There is no organization “${slug}”, or you are not in it.`).waitFor()
  assert.equal(await dans.getByText('So was Dan').isVisible(), false)

  const admin = await world.tenantAdmin()
  assert.equal((await admin.delete(`/api/admin/users/${dan.id}/devices`)).status, 200)
  await dans.getByLabel('New organization').fill('Elsewhere')
  await dans.getByRole('button', { name: 'Create' }).click()
  await dans.getByText('Your session has ended. Please sign in again.').waitFor()
  await dans.getByRole('link', { name: 'Sign in' }).click()
  await dans.getByText('to continue to Notes', { exact: true }).waitFor()
})

test('a refusal is shown beside its field, and screen readers announce it', async (t) => {
  const { ann, cleo, slug } = await world.organization()
  const page = await openPage(t, ann)
  const invited = page.getByLabel('Invite by email')
  await invited.fill(cleo.email)
  await page.getByRole('button', { name: 'Invite' }).click()
  await page.locator('#invite').getByRole('alert').getByText('This person is already a member.').waitFor()
  assert.equal(await page.evaluate('document.activeElement.id'), 'invited-email')
  const said = await page.evaluate(
    'document.getElementById(document.activeElement.getAttribute("aria-describedby")).textContent',
  )
  assert.equal(said, 'This person is already a member.')
  await page.getByRole('button', { name: `Leave Acme` }).click()
  const refused = page.locator('#people').getByText('An organization must keep at least one owner.')
  assert.match((await refused.textContent()) ?? '', /First make another member an owner/)
  await page.getByLabel('New note').fill(' ')
  await page.getByRole('button', { name: 'Add note' }).click()
  await page.locator('#write').getByText('A note has 1 to 2000 characters.').waitFor()
  assert.equal(new URL(page.url()).hash, `#${slug}`)
  await check(page)
  await page.setViewportSize({ width: 375, height: 812 })
  await check(page)
})

test('the page is never wider than its window, whatever names it shows', async (t) => {
  const { ann, ben, id, path } = await world.organization()
  const name = 'W'.repeat(100)
  for (const person of [ann, ben]) assert.equal((await person.patch('/api/users/me', { name })).status, 200)
  assert.equal((await ann.patch(path, { name })).status, 200)
  const { body: other } = await ben.post('/api/organizations', { name })
  assert.equal((await ben.post(`/api/organizations/${other.id}/invites`, { email: ann.email })).status, 201)
  notes.add(id, ann.id, name)
  const page = await openPage(t, ann)
  await page.locator('#notes').getByText(name, { exact: true }).first().waitFor()
  await page.getByRole('button', { name: 'Join' }).waitFor()
  for (const width of [320, 375, 1280]) {
    await page.setViewportSize({ width, height: 812 })
    assert.equal(await page.evaluate('document.documentElement.scrollWidth'), width)
  }
})

test('each organization has its own notes, a draft is not carried over, and nothing is left after a sign-out', async (t) => {
  const { ann, id } = await world.organization()
  const home = await ann.post('/api/organizations', { name: 'Home' })
  notes.add(id, ann.id, 'At work')
  notes.add(home.body.id, ann.id, 'At home')
  const page = await openPage(t, ann)
  await page.getByText('At work').waitFor()
  await page.getByLabel('New note').fill('Half a secret')
  await page.getByLabel('Organization', { exact: true }).selectOption('Home')
  await page.getByText('At home').waitFor()
  assert.equal(await page.getByLabel('New note').inputValue(), '')
  assert.equal(await page.getByText('At work').count(), 0)
  await page.goBack()
  await page.getByText('At work').waitFor()
  await page.getByRole('button', { name: 'Sign out' }).click()
  await page.getByRole('link', { name: 'Create an account' }).waitFor()
  assert.equal(page.url(), `${origin}/`)
  assert.ok(!(await page.content()).includes('At work'))
  await page.getByRole('link', { name: 'Sign in' }).click()
  await page.getByLabel('Password', { exact: true }).waitFor() // nobody is signed in at Guildhall either
})

test('an action begun in one organization never affects another', async (t) => {
  const { cleo, ann, id, slug, path, members } = await world.organization()
  const { body: home } = await cleo.post('/api/organizations', { name: 'Home' })
  const page = await openPage(t, cleo)
  const [choice, field] = [page.getByLabel('Organization', { exact: true }), page.getByLabel('New note')]
  const textsOf = (organizationId: string) => notes.list(organizationId).map(({ text }) => text)
  await choice.selectOption('Home')
  await page.getByRole('heading', { name: 'Home' }).waitFor()

  const reading = await hold(page, '**/members*')
  await choice.selectOption(slug)
  await reading.reached
  assert.equal(await choice.inputValue(), slug)
  assert.equal(await field.isVisible(), false, 'while it is not known what there is')
  reading.release()
  await page.getByRole('heading', { name: 'Acme' }).waitFor()

  const sending = await hold(page, `**/${id}/notes`)
  await field.fill('For Acme')
  await page.getByRole('button', { name: 'Add note' }).click()
  await sending.reached
  await field.press('End')
  await field.press('x')
  assert.equal(await field.inputValue(), 'For Acme', 'what is written while one is sent would be lost')
  await choice.selectOption('Home')
  await field.fill('For Home')
  const sent = page.waitForResponse((answer) => answer.request().method() === 'POST' && answer.url().endsWith('/notes'))
  sending.release()
  await (await sent).finished()
  assert.equal(await field.inputValue(), 'For Home')
  assert.equal(await page.getByText('For Acme').count(), 0)

  await page.context().setOffline(true)
  await choice.selectOption(slug)
  await page.getByText('The server of Notes does not answer.').waitFor()
  assert.equal(await field.isVisible(), false)
  await page.context().setOffline(false)
  await page.getByRole('button', { name: 'Try again' }).click()
  await page.getByText('For Acme').waitFor()
  assert.equal(await page.getByText('The server of Notes does not answer.').count(), 0)

  await field.fill('Secret')
  assert.equal((await ann.delete(`${path}/members/${members.cleo.id}`)).status, 200)
  await page.getByRole('button', { name: 'Add note' }).click()
  await page.getByRole('heading', { name: 'Home' }).waitFor()
  assert.equal(await field.inputValue(), '')
  assert.deepEqual([textsOf(id), textsOf(home.id)], [['For Acme'], []])
})

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
  const once = { 'idempotency-key': 'the same' }
  const [one, same] = [
    await ask('POST', '/guildhall/api/organizations', cookie, create, once),
    await ask('POST', '/guildhall/api/organizations', cookie, create, once),
  ]
  assert.deepEqual([one.status, same.body.id], [201, one.body.id])
  const read = await ask('GET', `/guildhall/api/organizations/${one.body.id}`, cookie)
  const stale = { 'if-match': `${read.headers.get('etag')}` }
  assert.equal((await ask('PATCH', `/guildhall/api/organizations/${one.body.id}`, cookie, '{"name":"A"}', stale)).status, 200)
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
  assert.equal((await ask('GET', '/guildhall/api/users/me')).status, 401)

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
  for (const path of ['/main.ts', '/desk.html', '/..%2fserver.ts', '/data/notes.sqlite', '//', '/.env', '/api/organizations'])
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

  await eraseDeleted(createGuildhall({ url: signIn.api, key }), notes)

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
    if (command.output) assert.match(printed, command.output)
    return printed
  }
  const printed = await printedBy('node tools/guildhall.mjs application create')
  const [, id = ''] = /^Id +(app_\w+)$/m.exec(printed) ?? []
  const { body } = await (await world.tenantAdmin()).get(`/api/admin/applications/${id}`)
  // The back channel is an address, because `localhost` may have two.
  const wanted = { ...registrationOf('http://localhost:4000'), backChannelLogoutUri: 'http://127.0.0.1:4000/back-channel' }
  assert.deepEqual(Object.fromEntries(Object.keys(wanted).map((name) => [name, body[name]])), wanted)
  assert.equal(body.kind, 'server')

  await printedBy('node tools/guildhall.mjs access apply')
  const key = await printedBy('node tools/guildhall.mjs key create')
  await eraseDeleted(createGuildhall({ url: signIn.api, key }), notes)
})

/** A tab in a profile of its own. An error on a page fails the test. @param person who is signed in at Guildhall */
async function openTab(t: TestContext, person?: Person) {
  const tab = await world.tab(t, { visits: origin, ...(person && { person }) })
  tab.page.on('dialog', (dialog) => dialog.accept())
  return tab
}

/** @param person who signs in to Notes */
async function openPage(t: TestContext, person: Person): Promise<Page> {
  const { page } = await openTab(t, person)
  await page.goto(origin)
  await page.getByRole('link', { name: 'Sign in' }).click()
  await page.getByRole('button', { name: 'Sign out' }).waitFor()
  return page
}

/** Holds back requests to an address. @returns `reached`, which resolves at the first one, and a function that releases all */
async function hold(page: Page, url: string) {
  const { promise: reached, resolve: reach } = Promise.withResolvers<void>()
  const { promise: released, resolve: release } = Promise.withResolvers<void>()
  await page.route(url, async (route) => {
    reach()
    await released
    await route.continue()
  })
  return { reached, release }
}

async function write(page: Page, text: string): Promise<void> {
  await page.getByLabel('New note').fill(text)
  await page.getByRole('button', { name: 'Add note' }).click()
  await page.locator('#notes').getByText(text).waitFor()
}

/** Checks that nothing prevents people from using the page, in light or dark mode (axe-core). */
async function check(page: Page): Promise<void> {
  await page.evaluate(axe)
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme })
    const violations = await page.evaluate(
      'axe.run().then(({ violations }) => violations.map(({ id, nodes }) => id + ": " + nodes.map(({ html }) => html)))',
    )
    assert.deepEqual(violations, [], colorScheme)
  }
}
