/** The second part of docs/build/quickstart.md in practice: its files, in a folder with the client, against a service at a test's addresses. */
import assert from 'node:assert/strict'
import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { get, type IncomingMessage } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { execPath } from 'node:process'
import { after, type TestContext, test } from 'node:test'
import { promisify } from 'node:util'
import { problems } from '../src/domain/problems.ts'
import { createConsoleWorld } from './browser.ts'
import { commandsIn, runCommands } from './commands.ts'
import { readDocument, root } from './documents.ts'
import { freePort } from './ports.ts'
import { enrol } from './sign-in.ts'
import { until } from './smtp.ts'
import { Person, password } from './world.ts'

const world = await createConsoleWorld({ settings: { LIMITS: 'on', LIMIT_ANONYMOUS: '300/3600' } })
const port = await freePort()
const url = `http://localhost:${port}/the-studio/notes`
const { text, blocks: all } = readDocument('docs/build/quickstart.md')
const start = text.slice(0, text.indexOf('\n## Pages of your own')).split('\n').length
const blocks = all.filter(({ line }) => line > start)
const commands = blocks
  .filter(({ language }) => language === 'console')
  .flatMap(({ text }) => commandsIn(text.replaceAll('localhost:4000', `localhost:${port}`)))
const annPassword = 'correct horse battery staple'

/** The product's folder. Its client is the repository's. */
const folder = mkdtempSync(join(tmpdir(), 'guildhall-quickstart-'))
after(() => rmSync(folder, { recursive: true }))
mkdirSync(join(folder, 'node_modules/@guildhall'), { recursive: true })
symlinkSync(join(root, 'client'), join(folder, 'node_modules/@guildhall/client'))
for (const { text } of blocks) {
  const [, name] = /^(?:\/\/|<!--) (\S+\.\w+)/.exec(text) ?? []
  const here = text.replaceAll('http://localhost:3000', world.url).replace('listen(4000', `listen(${port}`)
  if (name) writeFileSync(join(folder, name), here)
}

test('the commands of the first step name existing scripts and files', () => {
  const read = (path: string) => JSON.parse(readFileSync(join(root, path), 'utf8'))
  const first = commands.map(({ command }) => command).slice(0, 8)
  assert.ok('client' in read('package.json').scripts)
  assert.deepEqual(first, [
    `node tools/guildhall.mjs tenant update default --origin http://localhost:${port}`,
    'npm run client',
    'mkdir ../own-pages',
    'echo "GUILDHALL_KEY=$(node tools/guildhall.mjs key create --name Notes --scopes credentials:verify)" > ../own-pages/.env',
    'npm pack ./client/dist --pack-destination ../own-pages',
    'cd ../own-pages',
    'npm init --yes',
    `npm install ./guildhall-client-${read('client/package.json').version}.tgz`,
  ])
})

test('the code of the quickstart compiles', async () => {
  const compilerOptions = { allowJs: true, checkJs: true, lib: ['es2023', 'dom'], paths: {}, preserveSymlinks: false }
  const typeRoots = [join(root, 'node_modules/@types')]
  const settings = { extends: join(root, 'tsconfig.json'), compilerOptions: { ...compilerOptions, typeRoots } }
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ ...settings, include: ['*.mjs'] }))
  const compiling = promisify(execFile)(execPath, [join(root, 'node_modules/typescript/bin/tsc'), '--project', folder])
  await compiling.catch(({ stdout }) => assert.fail(stdout))
})

test("the quickstart's product knows the caller, the organization and the role", async (t) => {
  const env = {
    TENANT: 'default',
    DATABASE_URL: world.postgres.url,
    GUILDHALL_SECRET: 'a secret that is only used in tests',
  }
  const [origin, key, ...rest] = [commands[0] ?? assert.fail(), commands[3] ?? assert.fail(), ...commands.slice(9)]
  const here = { ...key, command: key.command.replace('../own-pages', folder) }
  await runCommands([origin, here], { cwd: root, url: world.url, env })
  const server = await startServer(t)
  const printed = await runCommands(rest, { cwd: folder, url: world.url, env })
  assert.deepEqual(
    rest.map(({ output }) => output !== undefined),
    [true, false, false, true],
  )
  for (const [index, { command, output }] of rest.entries())
    if (output) assert.match(printed[index] ?? '', output, command)

  // Ann signs in on the page, and then Bob, who joined by his mail.
  const ann = await openPage(t)
  await signIn(ann, 'ann@notes.example', password)
  await ann.getByText(problems.invalid_credentials.title).waitFor()
  await signIn(ann, 'ann@notes.example', annPassword)
  await ann.getByText('["Ann was here"]').waitFor()
  const { page, openMailed } = await world.tab(t)
  await openMailed('bob@notes.example', 'invitation')
  const mails = await world.mails('bob@notes.example')
  assert.deepEqual(
    mails.map(({ subject }) => subject),
    ['Ann invited you to The Studio'],
  )
  await page.getByLabel('Name').fill('Bob')
  await page.getByLabel('Password', { exact: true }).fill(password)
  await page.getByRole('button', { name: 'Create account and join' }).click()
  await page.waitForURL('**/organizations/the-studio')
  const bob = await openPage(t)
  await signIn(bob, 'bob@notes.example', password)
  await bob.getByText('["Ann was here"]').waitFor()

  await world.person('Cleo', { email: 'cleo@notes.example' })
  assert.equal((await ask('GET', 'cleo@notes.example'))[0], 404, 'not a member')
  assert.equal((await ask('POST', 'bob@notes.example'))[0], 201)
  assert.deepEqual(await ask('GET', 'ann@notes.example'), [200, '["Ann was here","Bob was here"]'])
  assert.equal((await ask('PUT', 'bob@notes.example'))[0], 405)
  assert.equal((await ask('DELETE', 'bob@notes.example'))[0], 403)
  assert.equal((await ask('DELETE', 'ann@notes.example'))[0], 204)
  for (let index = 0; index < 320; index++)
    await fetch(url, { headers: { authorization: `Bearer ghs_${`${index}`.padStart(43, '0')}` } })
  assert.deepEqual(await ask('GET', 'bob@notes.example'), [200, '[]'], 'strangers with invented tokens keep nobody out')

  await signInWithCode(t)

  for (const path of ['//', '/?', '/%ff/notes']) await sendPath(path)
  rmSync(join(folder, 'sign-in.html'))
  assert.equal((await fetch(`http://localhost:${port}/`)).status, 500)
  await until(() => server.said.includes('sign-in.html'), 'the fault to be logged')
  assert.deepEqual(await ask('GET', 'bob@notes.example'), [200, '[]'], 'it goes on whatever was asked')
})

/** Ann signs in with a code, after a wrong one. The organization then requires a second factor, which Bob does not have. */
async function signInWithCode(t: TestContext): Promise<void> {
  const email = 'ann@notes.example'
  const { body } = await world.nobody.post('/api/auth/sign-in', { email, password: annPassword })
  const person = new Person(world, body.session.token, { ...body.user, name: 'Ann' }, {})
  await world.postgres.query('update users set email_verified = true where id = $1', [person.id])
  const app = await enrol(world, person)
  const page = await openPage(t)
  const send = async (code: string) => {
    await page.locator('[name=code]').fill(code)
    await page.getByRole('button', { name: 'Continue' }).click()
  }
  await signIn(page, email, annPassword)
  await send('12345')
  await page.getByText(problems.invalid_request.title).waitFor()
  await send('ZZZZ-ZZZZ-ZZZZ-ZZZZ-ZZZZ-ZZZZ')
  await page.getByText(problems.wrong_proof.title).waitFor()
  await send(app.code())
  await page.getByText('[]').waitFor()
  assert.equal(await page.locator('[name=code]').isVisible(), false)

  for (const [secondFactor, expected] of [
    ['required', [403, `Add an authenticator app at ${world.url}/me/security, then sign in again.`]],
    ['optional', [200, '[]']],
  ] as const) {
    assert.equal((await person.patch('/api/organizations/the-studio', { secondFactor })).status, 200)
    assert.deepEqual(await ask('GET', 'bob@notes.example'), expected)
  }
}

/** Started like `node --env-file=.env server.mjs`. */
async function startServer(t: TestContext) {
  assert.equal(commands[8]?.command, 'node --env-file=.env server.mjs')
  const child = spawn(execPath, ['--env-file=.env', 'server.mjs'], { cwd: folder, stdio: ['ignore', 'ignore', 'pipe'] })
  const server = { said: '' }
  child.stderr.on('data', (chunk) => (server.said += chunk))
  t.after(async () => {
    const ended = once(child, 'exit')
    child.kill()
    await ended
  })
  await until(() => fetch(url).then(Boolean, () => false), 'the product to listen')
  return server
}

/** The product's page, in a profile of its own. */
async function openPage(t: TestContext) {
  const { context } = await world.tab(t)
  const page = await context.newPage()
  await page.goto(`http://localhost:${port}/`)
  return page
}

async function signIn(page: Awaited<ReturnType<typeof openPage>>, email: string, secret: string): Promise<void> {
  await page.locator('[name=email]').fill(email)
  await page.locator('[name=password]').fill(secret)
  await page.getByRole('button', { name: 'Sign in' }).click()
}

async function ask(method: string, email: string): Promise<[number, string]> {
  const secret = email.startsWith('ann') ? annPassword : password
  const { body } = await world.nobody.post('/api/auth/sign-in', { email, password: secret })
  const answer = await fetch(url, { method, headers: { authorization: `Bearer ${body.session.token}` } })
  return [answer.status, await answer.text()]
}

/** Sent unchanged, because `fetch` would resolve it to a URL. */
async function sendPath(path: string): Promise<void> {
  const [answer]: IncomingMessage[] = await once(get({ port, path, agent: false }), 'response')
  assert.ok(answer?.resume().statusCode, path)
}
