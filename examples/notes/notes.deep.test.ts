/** Notes in a browser. Its real server has a port of its own, so its page has another origin than Guildhall. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { request } from 'node:http'
import { createRequire } from 'node:module'
import { type AddressInfo, connect } from 'node:net'
import { join } from 'node:path'
import { after, type TestContext, test } from 'node:test'
import { createGuildhall } from '@guildhall/client'
import type { Page } from 'playwright-core'
import { updateTenant } from '../../src/features/tenants/tenants.ts'
import { createConsoleWorld } from '../../test/browser.ts'
import { type Person, password } from '../../test/world.ts'
import { eraseDeleted } from './erasure.ts'
import { bundlePage } from './files.ts'
import { openNotes } from './notes.ts'
import { closeServer, createNotesServer } from './server.ts'

const world = await createConsoleWorld()
const guildhall = createGuildhall({ url: world.url, retries: 0 })
const notes = openNotes(':memory:')
const files = await bundlePage(world.url)
const parts = { guildhall, accounts: world.url, notes, files }
const server = createNotesServer(parts)
server.listen(0, '127.0.0.1')
await once(server, 'listening')
const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}` // listens on TCP
await updateTenant(world.database, 'default', { allowedOrigins: [origin] })
const model = readFileSync(join(import.meta.dirname, 'access.json'), 'utf8')
await (await world.tenantAdmin()).put('/api/admin/access', JSON.parse(model))
after(() => {
  server.closeAllConnections()
  server.close()
  notes.close()
})
const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

test('people share the notes of an organization as their roles allow, until they are removed', async (t) => {
  const bob = await world.person('Bob')
  const [anns, bobs] = [await openPage(t), await openPage(t)]
  const signUp = anns.locator('#sign-up')
  await signUp.getByLabel('Name').fill('Ann')
  await signUp.getByLabel('Email').fill('ann@notes.example')
  await signUp.getByLabel('Password').fill(password)
  await signUp.getByRole('button').click()
  await anns.getByLabel('New organization').fill('The Studio')
  await anns.getByRole('button', { name: 'Create' }).click()
  await anns.getByRole('heading', { name: 'The Studio' }).waitFor()
  await write(anns, '<b>Ann</b> was here')
  await anns.getByLabel('Invite by email').fill(bob.email)
  await anns.getByRole('button', { name: 'Invite' }).click()
  await anns.getByText(`A mail is on its way to ${bob.email}.`).waitFor()
  await anns.getByLabel('Invite by email').fill(bob.email)
  await anns.getByRole('button', { name: 'Invite' }).click()
  await anns.getByText('This address already has a pending invitation.').waitFor()
  assert.equal(await anns.locator('#invited').textContent(), '')

  await signIn(bobs, bob)
  await bobs.getByText('Ann invites you to The Studio, as member.').waitFor()
  await bobs.getByRole('button', { name: 'Join The Studio' }).click()
  await bobs.getByText('<b>Ann</b> was here').waitFor()
  await write(bobs, 'So was Bob')
  assert.equal(await bobs.getByRole('button', { name: 'Delete the note of Bob' }).count(), 1)
  assert.equal(await bobs.getByRole('button', { name: 'Delete the note of Ann' }).count(), 0)
  assert.equal(await bobs.getByLabel('Invite by email').isVisible(), false)

  await anns.reload()
  const changed = anns.waitForResponse((answer) => answer.request().method() === 'PATCH' && answer.ok())
  await anns.getByLabel('Role of Bob').selectOption('admin')
  await changed
  await bobs.reload()
  await bobs.getByRole('button', { name: 'Delete the note of Ann' }).click()
  await bobs.getByText('<b>Ann</b> was here').waitFor({ state: 'detached' })

  await anns.getByRole('button', { name: 'Remove Bob' }).click()
  await anns.getByLabel('Role of Bob').waitFor({ state: 'detached' })
  await bobs.getByLabel('New note').fill('Is Bob still here?')
  await bobs.getByRole('button', { name: 'Add note' }).click()
  await bobs.getByText('There is no organization “the-studio”, or you are not in it.').waitFor()
  assert.equal(await bobs.getByText('So was Bob').isVisible(), false)

  await bob.delete('/api/users/me/devices')
  await bobs.getByLabel('New organization').fill('Elsewhere')
  await bobs.getByRole('button', { name: 'Create' }).click()
  await bobs.getByText('Your session has ended.').waitFor()
  assert.equal(await bobs.evaluate('sessionStorage.length'), 0)
})

test('a refusal is shown beside its field, and screen readers announce it', async (t) => {
  const { ann, slug } = await world.organization()
  const page = await openPage(t)
  const form = page.locator('#sign-in')
  await form.getByLabel('Email').fill(ann.email)
  await form.getByLabel('Password').fill('not the password')
  await form.getByRole('button').click()
  await form.getByRole('alert').getByText('The email address or the password is wrong.').waitFor()
  const signUp = page.locator('#sign-up')
  await signUp.getByLabel('Name').fill('Ann')
  await signUp.getByLabel('Email').fill(ann.email)
  await signUp.getByLabel('Password').fill('short')
  await signUp.getByRole('button').click()
  await signUp.getByText('At least 8 characters are needed.').waitFor()
  assert.equal(await page.evaluate('document.activeElement.id'), 'new-password')
  const said = await page.evaluate(
    'document.getElementById(document.activeElement.getAttribute("aria-describedby")).textContent',
  )
  assert.equal(said, 'At least 8 characters are needed.')
  await check(page)

  await signIn(page, ann)
  await page.getByRole('button', { name: `Leave Acme` }).click()
  const refused = page.locator('#people').getByText('An organization must keep at least one owner.')
  assert.match((await refused.textContent()) ?? '', /First make another member an owner/)
  await page.getByLabel('New note').fill(' ')
  await page.getByRole('button', { name: 'Add note' }).click()
  await page.locator('#write').getByText('A note has 1 to 2000 characters.').waitFor()
  assert.equal(new URL(page.url()).hash, `#${slug}`)
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
  const page = await openPage(t)
  await signIn(page, ann)
  await page.locator('#notes').getByText(name, { exact: true }).first().waitFor()
  await page.getByRole('button', { name: 'Join' }).waitFor()
  for (const width of [320, 375, 1280]) {
    await page.setViewportSize({ width, height: 812 })
    assert.equal(await page.evaluate('document.documentElement.scrollWidth'), width)
  }
})

test('each organization has its own notes, and a draft is not carried from one to another', async (t) => {
  const { ann, id } = await world.organization()
  const home = await ann.post('/api/organizations', { name: 'Home' })
  notes.add(id, ann.id, 'At work')
  notes.add(home.body.id, ann.id, 'At home')
  const page = await openPage(t)
  await signIn(page, ann)
  await page.getByText('At work').waitFor()
  await page.getByLabel('New note').fill('Half a secret')
  await page.getByLabel('Organization', { exact: true }).selectOption('Home')
  await page.getByText('At home').waitFor()
  assert.equal(await page.getByLabel('New note').inputValue(), '')
  assert.equal(await page.getByText('At work').count(), 0)
  await page.goBack()
  await page.getByText('At work').waitFor()
  await page.getByRole('button', { name: 'Sign out' }).click()
  await page.getByText('You are signed out.').waitFor()
  assert.ok(!(await page.content()).includes('At work'))
})

test('an action begun in one organization never affects another', async (t) => {
  const { cleo, ann, id, slug, path, members } = await world.organization()
  const { body: home } = await cleo.post('/api/organizations', { name: 'Home' })
  const page = await openPage(t)
  const [choice, field] = [page.getByLabel('Organization', { exact: true }), page.getByLabel('New note')]
  const textsOf = (organizationId: string) => notes.list(organizationId).map(({ text }) => text)
  await signIn(page, cleo)
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
  const sent = page.waitForResponse((answer) => answer.request().method() === 'POST')
  sending.release()
  await (await sent).finished()
  assert.equal(await field.inputValue(), 'For Home')
  assert.equal(await page.getByText('For Acme').count(), 0)

  await page.context().setOffline(true)
  await choice.selectOption(slug)
  await page.getByText('Guildhall cannot be reached').waitFor()
  assert.equal(await field.isVisible(), false)
  await page.context().setOffline(false)
  await page.getByRole('button', { name: 'Try again' }).click()
  await page.getByText('For Acme').waitFor()
  assert.equal(await page.getByText('Guildhall cannot be reached').count(), 0)

  await field.fill('Secret')
  assert.equal((await ann.delete(`${path}/members/${members.cleo.id}`)).status, 200)
  await page.getByRole('button', { name: 'Add note' }).click()
  await page.getByRole('heading', { name: 'Home' }).waitFor()
  assert.equal(await field.inputValue(), '')
  assert.deepEqual([textsOf(id), textsOf(home.id)], [['For Acme'], []])
})

test('a page whose origin Guildhall does not allow says so', async (t) => {
  const page = await openPage(t)
  const elsewhere = origin.replace('127.0.0.1', 'localhost')
  await page.goto(elsewhere)
  await page.locator('#sign-in').getByLabel('Email').fill('ann@notes.example')
  await page.locator('#sign-in').getByLabel('Password').fill(password)
  await page.locator('#sign-in').getByRole('button').click()
  await page.getByText(`Guildhall cannot be reached, or does not allow requests from ${elsewhere}.`).waitFor()
})

test('the server ends even if a browser holds an unused connection open', async (t) => {
  const second = createNotesServer(parts).listen(0, '127.0.0.1')
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
  const path = `/api/organizations/${id}/notes`
  const post = (body: unknown, person: Person | undefined = ann) => ask('POST', path, person, JSON.stringify(body))

  const { status, body: note } = await post({ text: '  First \n' })
  assert.deepEqual([status, note.text, note.authorId], [201, 'First', ann.id])
  assert.deepEqual((await ask('GET', path, cleo)).body, [note])
  assert.deepEqual((await ask('GET', `/api/organizations/${slug}/notes`, cleo)).body, [note])

  const nobody = await ask('GET', path)
  assert.deepEqual([nobody.status, nobody.body.code], [401, 'unauthenticated'])
  assert.equal((await post({ text: 'x' }, dan)).status, 404)
  assert.equal((await ask('DELETE', `${path}/${note.id}`, dan)).status, 404)
  const elsewhere = await ask('DELETE', `/api/organizations/${other.id}/notes/${note.id}`, other.ann)
  assert.deepEqual([elsewhere.status, elsewhere.body.code], [404, 'not_found'])
  const notHers = await ask('DELETE', `${path}/${note.id}`, cleo)
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
  assert.equal((await ask('POST', path, ann, '{')).body.code, 'malformed_json')
  assert.equal((await ask('POST', path, ann, 'text=x', 'text/plain')).status, 415)
  assert.equal((await post({ text: 'x'.repeat(1_000_000) })).status, 413)
  const put = await ask('PUT', path, ann)
  assert.deepEqual([put.status, put.headers.get('allow')], [405, 'GET, POST'])

  assert.equal((await ask('DELETE', `${path}/${note.id}`, ann)).status, 204)
  assert.equal((await ask('DELETE', `${path}/${note.id}`, ann)).status, 404)
  assert.deepEqual((await ask('GET', path, ann)).body, [])
})

test('a person who is removed while their note is being sent adds none', async () => {
  const { id, path, ann, cleo, members } = await world.organization()
  const headers = { 'content-type': 'application/json', authorization: `Bearer ${cleo.token}` }
  const sent = request(`${origin}/api/organizations/${id}/notes`, { method: 'POST', headers })
  sent.write('{ "text": ')
  assert.equal((await ann.delete(`${path}/members/${members.cleo.id}`)).status, 200)
  sent.end('"late" }')
  const [answer] = await once(sent, 'response')
  assert.equal(answer.statusCode, 404)
  assert.deepEqual(notes.list(id), [])
})

test('only the files of the page are served, each with a policy', async () => {
  for (const path of ['/', '/main.js', '/style.css', '/icon.svg']) {
    const { status, headers } = await ask('GET', path)
    assert.equal(status, 200)
    assert.match(headers.get('content-security-policy') ?? '', /default-src 'none'.*frame-ancestors 'none'/)
    assert.doesNotMatch(headers.get('content-security-policy') ?? '', /unsafe/)
    assert.deepEqual(
      [headers.get('x-content-type-options'), headers.get('referrer-policy')],
      ['nosniff', 'no-referrer'],
    )
  }
  for (const path of ['/main.ts', '/..%2fserver.ts', '/data/notes.sqlite', '//', '/package.json', '/api/organizations'])
    assert.equal((await ask('GET', path)).status, 404, path)
})

test('notes of deleted accounts and organizations are deleted', async () => {
  const { id, slug, ann, cleo } = await world.organization()
  const gone = await world.organization()
  const admin = await world.tenantAdmin()
  for (const person of [ann, cleo]) notes.add(id, person.id, `of ${person.name}`)
  notes.add(gone.id, gone.ann.id, 'of nobody')
  assert.equal((await gone.ann.delete(gone.path, { confirm: gone.slug })).status, 200)
  assert.equal((await cleo.delete('/api/users/me', { password })).status, 200)

  await eraseDeleted(guildhall, { email: admin.email, password }, notes)

  assert.deepEqual(
    notes.list(id).map(({ text }) => text),
    ['of Ann'],
  )
  assert.deepEqual(notes.list(gone.id), [])
  assert.equal((await ann.get(`/api/organizations/${slug}`)).status, 200)
  const { body: sessions } = await admin.get('/api/users/me/devices')
  assert.equal(sessions.data.length, 1, 'the session of the erasure has ended')
})

/** A tab in a profile of its own. An error on the page fails the test. */
async function openPage(t: TestContext): Promise<Page> {
  const { context } = await world.tab(t)
  const page = await context.newPage()
  const wrong: string[] = []
  page.on('pageerror', (error) => wrong.push(String(error)))
  page.on('console', (message) => {
    // Chromium logs every refusal as an error, and every request that a test blocks.
    if (!/^(Failed to load resource|Access to fetch)/.test(message.text())) wrong.push(message.text())
  })
  page.on('dialog', (dialog) => dialog.accept())
  t.after(() => assert.deepEqual(wrong, [], 'what went wrong in the browser'))
  await page.goto(origin)
  await page.getByRole('heading', { name: 'Sign in' }).waitFor()
  return page
}

async function signIn(page: Page, { email }: Person): Promise<void> {
  await page.locator('#sign-in').getByLabel('Email').fill(email)
  await page.locator('#sign-in').getByLabel('Password').fill(password)
  await page.locator('#sign-in').getByRole('button').click()
  await page.getByRole('button', { name: 'Sign out' }).waitFor()
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

async function ask(method: string, path: string, person?: Person, body?: string, type = 'application/json') {
  const headers = { 'content-type': type, ...(person && { authorization: `Bearer ${person.token}` }) }
  const response = await fetch(origin + path, { method, headers, ...(body !== undefined && { body }) })
  const text = await response.text()
  const isJson = response.headers.get('content-type')?.includes('json')
  return { status: response.status, headers: response.headers, body: isJson ? JSON.parse(text) : text }
}
