/** The package as it is published: what is in its files, and what they need besides. */
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { globSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { isBuiltin } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { buildPackage } from '../tools/package.ts'

const folder = mkdtempSync(join(tmpdir(), 'guildhall-package-'))
after(() => rmSync(folder, { recursive: true }))
await buildPackage(folder)

const scripts = globSync('src/**/*.js', { cwd: folder, exclude: ['src/features/**'] }).map((path) => ({
  path,
  text: readFileSync(join(folder, path), 'utf8'),
}))

test('the package describes the same API as its sources', () => {
  const main = join(folder, 'src/main.js')
  const document = execFileSync(process.execPath, [main, 'openapi'], { encoding: 'utf8', maxBuffer: 2 ** 26 })
  assert.deepEqual(JSON.parse(document), JSON.parse(readFileSync('openapi.json', 'utf8')))
})

test('the package leaves out what others load and the service never uses', () => {
  const all = scripts.map(({ text }) => text).join('\n')
  assert.match(all, /^\/\/ node_modules\/graphile-worker\//m)
  assert.doesNotMatch(all, /^\/\/ node_modules\/(yaml|cosmiconfig|js-yaml)\/|(require\(|from )"(node:)?http2"/m)
})

test('the package has the licence of each package that is bundled in it', () => {
  const notices = readFileSync(join(folder, 'THIRD-PARTY-NOTICES.txt'), 'utf8')
  const bundled = scripts.flatMap(({ text }) =>
    [...text.matchAll(/^\/\/ node_modules\/((?:@[^/]+\/)?[^/]+)\//gm)].map(([, name = '']) => name),
  )
  assert.ok(bundled.includes('fastify'))
  for (const name of new Set(bundled)) assert.match(notices, new RegExp(`^${name} \\S+ \\([^)]+\\), by \\S`, 'm'))
})

test('the package depends on each package that its files load, and on no other that is bundled', () => {
  const { dependencies } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
  const loaded = scripts.flatMap(({ text }) =>
    [...text.matchAll(/^import .* from "([^".][^"]*)"|\bimport\("([^".][^"]*)"\)/gm)].map(
      ([, one, other]) => one ?? other,
    ),
  )
  const foreign = loaded.filter((name = '') => !isBuiltin(name))
  assert.ok(foreign.includes('sharp'))
  assert.deepEqual(
    foreign.filter((name = '') => !Object.hasOwn(dependencies, name)),
    [],
  )
  assert.equal(dependencies.fastify, undefined)
})

test('each file of the package takes one byte of memory for a letter', () => {
  assert.deepEqual(
    scripts.filter(({ text }) => /[\u0080-\uffff]/.test(text)).map(({ path }) => path),
    [],
  )
})
