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

const notices = readFileSync(join(folder, 'THIRD-PARTY-NOTICES.txt'), 'utf8')

test('the package has the licence of each package that is bundled in the service', () => {
  const bundled = scripts.flatMap(({ text }) =>
    [...text.matchAll(/^\/\/ node_modules\/((?:@[^/]+\/)?[^/]+)\//gm)].map(([, name = '']) => name),
  )
  assert.ok(bundled.includes('fastify'))
  assertNoticed(bundled)
})

test('the package has the licence of each package that the console is made from, and the console leads to them', () => {
  const text = globSync('console/**/*.{ts,tsx,css}', {
    exclude: ['console/{node_modules,dist}/**', 'console/*.ts', '**/*.test.ts'],
  })
    .map((path) => readFileSync(path, 'utf8'))
    .join('\n')
  const { devDependencies } = JSON.parse(readFileSync('console/package.json', 'utf8'))
  const imported = Object.keys(devDependencies).filter((name) =>
    new RegExp(`(?:from |import |url\\()['"]${name}['"/]`).test(text),
  )
  for (const name of ['react-dom', '@mantine/core', '@fontsource-variable/inter', 'lean-qr'])
    assert.ok(imported.includes(name), name)
  assertNoticed([...imported, 'scheduler'])

  const page = readFileSync(join(folder, 'console/dist/index.html'), 'utf8')
  const [, file = ''] = /<link rel="license" href="([^"]+)">/.exec(page) ?? []
  assert.ok(notices.endsWith(readFileSync(join(folder, 'console/dist', file), 'utf8')))
})

test('each licence is there with its text, also if its package comes without', () => {
  const [, ...texts] = notices.split(/^-{80}$/m)
  assert.deepEqual(
    texts.filter((text) => !/permission|redistribut/i.test(text)).map((text) => text.trim()),
    [],
  )
  const standard = 'Permission is hereby granted, free of charge,'
  for (const [name, copyright] of [
    ['abstract-logging', 'Copyright (c) James Sumners'],
    ['pg-types', 'Copyright (c) 2014 Brian M. Carlson'],
    ['pgpass', 'Copyright (c) 2013-2016 Hannes Hörl'],
  ])
    assert.ok(
      texts.some((text) => text.startsWith(`\n\n${name} `) && text.includes(`\n${copyright}\n\n${standard}`)),
      name,
    )
})

function assertNoticed(names: readonly string[]): void {
  const noticed = [...notices.matchAll(/^(\S+) \S+ \([^)]+\), by \S/gm)].map(([, name]) => name)
  assert.deepEqual(
    names.filter((name) => !noticed.includes(name)),
    [],
  )
}

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
