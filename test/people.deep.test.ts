/** The people of docs/build/README.md: its commands make them on a service, for the commands of the other pages. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { commandsIn, runCommands } from './commands.ts'
import { readDocument, root } from './documents.ts'
import { enrol } from './sign-in.ts'
import { createWorld, mailboxKey, type Person, password } from './world.ts'

const world = await createWorld({ worker: true })
const env = {
  TENANT: 'default',
  DATABASE_URL: world.postgres.url,
  GUILDHALL_SECRET: 'a secret that is only used in tests',
}

test('the commands of docs/build/README.md make its people, and what they print lets the other commands run', async () => {
  const { blocks, path } = readDocument('docs/build/README.md')
  const commandsOf = (language: string) =>
    blocks
      .filter((block) => block.language === language)
      .flatMap(({ text }) => commandsIn(text.replace('#…', `#${mailboxKey}`)))
  const [people, tess, ...others] = [...commandsOf('sh'), ...commandsOf('console')]
  assert.ok(people && tess && others.length > 0)

  const run = [people, tess, ...others, people, ...others, { command: 'echo $MAILBOX_KEY' }]
  const options = { cwd: root, url: world.url, env }
  const printed = await runCommands(run, options)
  assert.equal(printed[run.length - 1], mailboxKey)
  for (const [index, { command, output }] of run.entries())
    if (output) assert.match(printed[index] ?? '', output, `${path} ${command}`)

  const enter = async (name: string) => {
    const { body } = await world.nobody.post('/api/auth/sign-in', { email: `${name}@example.com`, password })
    return { user: body.user, authorization: `Bearer ${body.session.token}` }
  }
  for (const name of ['ann', 'bob', 'cleo', 'dan', 'tess']) {
    const { user, authorization } = await enter(name)
    const { body } = await world.nobody.get('/api/organizations', { authorization })
    assert.deepEqual(
      [user.emailVerified, user.role, body.data.map(({ slug, role }: { slug: string; role: string }) => [slug, role])],
      [name !== 'tess', name === 'tess' ? 'admin' : 'user', roles[name] ?? []],
    )
  }

  const dan = { email: 'dan@example.com' } as Person // all that signIn reads
  await enrol(world, await world.signIn(dan))
  const [token] = (await runCommands([people, { command: 'echo $TOKEN' }], options)).slice(1)
  assert.match(token ?? '', /^ghs_/, 'also after Dan has added an authenticator app, as docs/build/sign-in.md says')
})

const roles: Readonly<Record<string, readonly (readonly [string, string])[]>> = {
  ann: [['acme', 'owner']],
  bob: [['acme', 'admin']],
  cleo: [['acme', 'member']],
}
