/** docs/build/backend.md in practice: its commands and its script, against a service at a test's address. */
import assert from 'node:assert/strict'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { commandsIn, runCommands } from './commands.ts'
import { readDocument, root } from './documents.ts'
import { createWorld, type Json, type Person } from './world.ts'

const world = await createWorld()
const { blocks } = readDocument('docs/build/backend.md')
const commands = blocks.filter(({ language }) => language === 'console').flatMap(({ text }) => commandsIn(text))

/** The folder of the script. Its client is the repository's. */
const folder = mkdtempSync(join(tmpdir(), 'guildhall-backend-'))
after(() => rmSync(folder, { recursive: true }))
mkdirSync(join(folder, 'node_modules/@guildhall'), { recursive: true })
symlinkSync(join(root, 'client'), join(folder, 'node_modules/@guildhall/client'))
for (const { text } of blocks) {
  const [, name] = /^\/\/ (\S+\.mjs)/.exec(text) ?? []
  if (name) writeFileSync(join(folder, name), text.replaceAll('http://localhost:3000', world.url))
}

test('the commands and the script of the page print what it shows', async () => {
  const { version } = JSON.parse(readFileSync(join(root, 'client/package.json'), 'utf8'))
  const set = [
    'npm run client',
    'mkdir ../nightly',
    'npm pack ./client/dist --pack-destination ../nightly',
    'npm init --yes',
    `npm install ./guildhall-client-${version}.tgz`,
  ]
  const given = commands.map(({ command }) => command)
  assert.equal(given[0], 'npm start')
  assert.deepEqual(
    set.filter((command) => !given.includes(command)),
    [],
  )
  // The service runs, and the folder of the script is there with its client.
  const here = commands
    .slice(1)
    .filter(({ command }) => !set.includes(command))
    .map(({ command, ...shown }) => ({ ...shown, command: command === 'cd ../nightly' ? `cd '${folder}'` : command }))
  const env = {
    TENANT: 'default',
    DATABASE_URL: world.postgres.url,
    GUILDHALL_SECRET: 'a secret that is only used in tests',
  }

  const printed = await runCommands(here, { cwd: root, url: world.url, env })

  assert.equal(here.filter(({ output }) => output).length, 6)
  for (const [index, { command, output }] of here.entries())
    if (output) assert.match(printed[index] ?? '', output, command)

  const acts = await world.postgres.query<{ action: string; actor_type: string }>(
    `select distinct action, actor_type from audit_entries where actor_type <> 'operator' order by action`,
  )
  assert.deepEqual(
    acts.map(({ action, actor_type: type }) => `${action} ${type}`),
    ['member.joined key', 'organization.created key', 'user.created key'],
  )
})

/** Runs the script for these people, in an organization. @returns what it says of them, and its exit code */
async function runFor(people: readonly Json[], slug: string, key: string) {
  const script = readFileSync(join(folder, 'nightly.mjs'), 'utf8')
    .replace(/const people = \[.*?\n\]/s, `const people = ${JSON.stringify(people)}`)
    .replace("'acme'", `'${slug}'`)
  writeFileSync(join(folder, 'for-people.mjs'), script)
  const [printed = ''] = await runCommands(
    [{ command: 'node for-people.mjs && echo "Exit code 0" || echo "Exit code $?"' }],
    {
      cwd: folder,
      url: world.url,
      env: { GUILDHALL_KEY: key },
    },
  )
  return printed.split('\n').filter((line) => /^(Added|Skipped|Exit code) /.test(line))
}

test('the script takes over the account of somebody who signed up with a verified address, and skips one that is unverified', async () => {
  const { ann, id, slug } = await world.organization()
  const [ida, jon, kim] = [
    await world.person('Ida'),
    await world.person('Jon', { verified: false }),
    'kim@acme.example',
  ]
  const { token: key } = await world.key(['users:read', 'users:write', 'organization:read', 'invitations:write'])
  const people = [
    { externalId: '2001', email: ida.email, name: 'Ida' },
    { externalId: '2002', email: jon.email, name: 'Jon' },
    { externalId: '2003', email: kim, name: 'Kim' },
  ]
  const run = () => runFor(people, slug, key)

  const skipped = `Skipped Jon: the account of ${jon.email} may be somebody else's.`
  assert.deepEqual(await run(), ['Added Ida.', skipped, 'Added Kim.', 'Exit code 0'])
  assert.deepEqual(await run(), [skipped, 'Exit code 0'])

  const tess = await world.tenantAdmin()
  const externalIdOf = async (person: Person) => (await tess.get(`/api/admin/users/${person.id}`)).body.externalId
  assert.deepEqual([await externalIdOf(ida), await externalIdOf(jon)], ['2001', null])
  const { data } = (await ann.get(`/api/organizations/${id}/members`)).body
  const emails = data.map(({ user }: Json) => user.email)
  assert.deepEqual(
    [ida.email, jon.email, kim].map((email) => emails.includes(email)),
    [true, false, true],
  )
})

test('one person who is refused ends the script for nobody else; what would be refused for all ends it', async () => {
  const { slug } = await world.organization()
  const tess = await world.tenantAdmin()
  const [lea, max] = [await world.person('Lea'), await world.person('Max')]
  for (const [person, fields] of [
    [lea, { externalId: '3001', status: 'suspended' }],
    [max, { externalId: '3002' }],
  ] as const)
    assert.equal((await tess.patch(`/api/admin/users/${person.id}`, fields)).status, 200)
  const { token: key } = await world.key(['users:read', 'users:write', 'organization:read', 'invitations:write'])
  const people = [
    { externalId: '3001', email: lea.email, name: 'Lea' },
    { externalId: '3002', email: max.email, name: 'Max' },
  ]

  assert.deepEqual(await runFor(people, slug, key), ['Skipped Lea: user_suspended.', 'Added Max.', 'Exit code 1'])

  const ended = `${key.slice(0, -1)}${key.endsWith('0') ? 1 : 0}`
  assert.deepEqual(await runFor(people, slug, ended), ['Exit code 1'])
  const { token: narrow } = await world.key(['users:read', 'users:write'])
  assert.deepEqual(await runFor(people, slug, narrow), ['Exit code 1'], 'insufficient_scope')
  assert.deepEqual(await runFor(people, `${slug}-x`, key), ['Exit code 1'], 'not_found')
})
