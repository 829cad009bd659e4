/** README.md and docs/build/quickstart.md: their code compiles and runs, as one program each, against a service. */
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { createWorld, password } from '../test/world.ts'

const world = await createWorld()
const root = join(import.meta.dirname, '..')

/** @returns what the code of a document exports, once it has run */
async function runDocumented(t: TestContext, path: string, types: readonly string[]) {
  const text = readFileSync(join(root, path), 'utf8')
  const code = [...text.matchAll(/^```ts\n(.*?)^```$/gms)].map(([, block]) => block).join('')
  assert.ok(code.length > 500)
  const place = mkdtempSync(join(tmpdir(), 'guildhall-documented-'))
  t.after(() => rmSync(place, { recursive: true }))
  const program = join(place, 'program.ts')
  writeFileSync(
    program,
    code
      .replaceAll('http://127.0.0.1:3000', world.url)
      .replaceAll(`'@guildhall/client'`, JSON.stringify(join(import.meta.dirname, 'src/index.ts'))),
  )
  writeFileSync(join(place, 'package.json'), JSON.stringify({ type: 'module' }))
  const compilerOptions = {
    noUnusedLocals: false,
    types,
    typeRoots: [join(root, 'node_modules/@types')],
    lib: ['es2023', 'dom', 'dom.iterable'],
  }
  const settings = { extends: join(root, 'tsconfig.json'), compilerOptions, include: ['program.ts'] }
  writeFileSync(join(place, 'tsconfig.json'), JSON.stringify(settings))
  execFileSync('node', [join(root, 'node_modules/typescript/bin/tsc'), '--project', place], { stdio: 'inherit' })
  return import(program)
}

test('the code of the README runs as it stands there', async (t) => {
  const { notes } = await runDocumented(t, 'client/README.md', [])

  const asAnn = { headers: { authorization: `Bearer ${await tokenOf('ann@example.com')}` } }
  const answer = await notes(new Request('https://notes.example.com/', asAnn))
  assert.equal(await answer.text(), 'Hello Ann, owner of Acme & Co.')
  assert.equal((await notes(new Request('https://notes.example.com/'))).status, 401)
})

test('the product of the quickstart knows who asks, for which organization, and in which role', async (t) => {
  const { server, studio }: { server: Server; studio: { id: string; slug: string } } = await runDocumented(
    t,
    'docs/build/quickstart.md',
    ['node'],
  )
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.after(() => server.close())
  const { port } = server.address() as AddressInfo // listens on TCP
  const url = `http://127.0.0.1:${port}/${studio.slug}/notes`
  const ask = async (method: string, email?: string) => {
    const headers = email ? { authorization: `Bearer ${await tokenOf(email)}` } : {}
    const answer = await fetch(url, { method, headers })
    return [answer.status, await answer.text()]
  }

  assert.deepEqual((await ask('GET'))[0], 401)
  const bob = await world.person('Bob', { email: 'bob@notes.example' })
  assert.deepEqual((await ask('GET', bob.email))[0], 404, 'who is no member')
  const { body: invitations } = await bob.get('/api/users/me/invites')
  assert.equal((await bob.post(`/api/invites/${invitations.data[0].id}/accept`)).status, 200)
  assert.equal((await ask('POST', bob.email))[0], 201)
  assert.deepEqual(await ask('GET', 'ann@notes.example'), [200, '["Bob was here"]'])
  assert.equal((await ask('DELETE', bob.email))[0], 403)
  assert.equal((await ask('DELETE', 'ann@notes.example'))[0], 204)
})

async function tokenOf(email: string): Promise<string> {
  const passwords = ['correct horse battery staple', password]
  for (const each of passwords) {
    const { status, body } = await world.nobody.post('/api/auth/sign-in', { email, password: each })
    if (status === 200) return body.session.token
  }
  throw new Error(`${email} cannot sign in`)
}
