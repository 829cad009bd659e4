/** README.md: its code compiles and runs, as one program, against a service. */
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { createWorld } from '../test/world.ts'

const world = await createWorld()
const root = join(import.meta.dirname, '..')

test('the code of the README runs as it stands there', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'guildhall-readme-'))
  t.after(() => rmSync(folder, { recursive: true }))
  const text = readFileSync(join(import.meta.dirname, 'README.md'), 'utf8')
  const blocks = [...text.matchAll(/^```ts\n(.*?)^```$/gms)].map(([, code]) => code)
  assert.ok(blocks.length > 5)
  const program = join(folder, 'program.ts')
  const code = blocks
    .join('')
    .replaceAll('http://127.0.0.1:3000', world.url)
    .replaceAll(`'@guildhall/client'`, JSON.stringify(join(import.meta.dirname, 'src/index.ts')))
  writeFileSync(program, code)
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ type: 'module' }))
  const compilerOptions = { noUnusedLocals: false, types: [], lib: ['es2022', 'dom', 'dom.iterable'] }
  const settings = { extends: join(root, 'tsconfig.json'), compilerOptions, include: ['program.ts'] }
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(settings))
  execFileSync('node', [join(root, 'node_modules/typescript/bin/tsc'), '--project', folder], { stdio: 'inherit' })

  const { notes } = await import(program)

  const signIn = { email: 'ann@example.com', password: 'correct horse battery staple' }
  const { body } = await world.nobody.post('/api/auth/sign-in', signIn)
  const asAnn = { headers: { authorization: `Bearer ${body.session.token}` } }
  const answer = await notes(new Request('https://notes.example.com/', asAnn))
  assert.equal(await answer.text(), 'Hello Ann, owner of Acme & Co.')
  assert.equal((await notes(new Request('https://notes.example.com/'))).status, 401)
})
