/** How the console comes to be built before the service starts: with the real tools, on a small repository whose console is one line. */
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { lent } from '../console/build.ts'
import { until } from './smtp.ts'

const root = join(import.meta.dirname, '..')

/** Says whether it found a console, and ends. */
const service = `
import { existsSync } from 'node:fs'
const isBuilt = existsSync(new URL('../console/dist/index.html', import.meta.url))
console.log(process.argv.slice(2).join(' '), isBuilt ? 'with a console' : 'without a console')
process.channel?.unref()`

/** A repository beside the real one, with the real one's tools and packages. */
function makeRepository(t: TestContext) {
  const folder = mkdtempSync(join(tmpdir(), 'guildhall-build-'))
  t.after(() => rmSync(folder, { recursive: true }))
  const at = (path: string) => join(folder, path)
  const write = (path: string, text: string) => writeFileSync(at(path), text)
  const sources = ['build.ts', 'chunks.ts', 'fonts.ts', 'vite.config.ts'].map((file) => `console/${file}`)
  const copied = ['package.json', 'package-lock.json', ...sources]
  for (const path of ['tools', ...copied, ...lent])
    cpSync(join(root, path), at(path), { recursive: true, filter: (source) => basename(source) !== 'node_modules' })
  symlinkSync(join(root, 'node_modules'), at('node_modules'))
  // Folders of their own, because builds are made in one.
  for (const workspace of ['client', 'console']) {
    mkdirSync(at(`${workspace}/node_modules`), { recursive: true })
    for (const name of readdirSync(join(root, workspace, 'node_modules')))
      symlinkSync(join(root, workspace, 'node_modules', name), at(`${workspace}/node_modules/${name}`))
  }
  mkdirSync(at('console/theme'))
  write('src/main.ts', service)
  write('console/index.html', '<!doctype html><script type="module" src="/main.ts"></script>')
  write('console/main.ts', `document.title = 'one'`)
  write('console/theme/opening.ts', `document.title = 'none yet'`)
  const start = async (...args: string[]) => run(folder, 'tools/run.mjs', 'src/main.ts', ...args)
  const script = () => {
    const [name = ''] = readdirSync(at('console/dist/assets'))
    return readFileSync(at(`console/dist/assets/${name}`), 'utf8')
  }
  return { folder, at, write, start, script }
}

function run(folder: string, ...args: string[]) {
  const child = spawn(process.execPath, args, { cwd: folder, stdio: 'pipe' })
  const said = { out: '', err: '' }
  child.stdout.on('data', (chunk) => (said.out += chunk))
  child.stderr.on('data', (chunk) => (said.err += chunk))
  const ended = new Promise<{ code: number | string | null; out: string; err: string }>((resolve) =>
    child.once('close', (code, signal) => resolve({ code: signal ?? code, ...said })),
  )
  return Object.assign(ended, { child, said })
}

test('the start builds the console if it is missing or older than its sources, and is quiet if it is not', async (t) => {
  const { folder, at, write, start, script } = makeRepository(t)
  const asked = `console.log(await import('./console/build.ts').then(({ isConsoleStale }) => isConsoleStale()))`
  const isStale = async () => (await run(folder, '--input-type=module', '--eval', asked)).out.trim()
  const builds = /^guildhall: building the console.*\nguildhall: built the console in [\d.]+ s\n$/

  const first = await start('serve')
  assert.deepEqual([first.code, first.out], [0, 'serve with a console\n'], first.err)
  assert.match(first.err, builds)
  assert.match(script(), /one/)

  const { mtimeMs } = statSync(at('console/dist/index.html'))
  write('console/main.test.ts', 'a test is no source')
  assert.deepEqual(await start('serve'), { code: 0, out: 'serve with a console\n', err: '' })
  assert.equal(statSync(at('console/dist/index.html')).mtimeMs, mtimeMs)

  for (const [path, text] of [
    ['console/main.ts', `document.title = 'two'`],
    ['console/added.ts', ''],
    ['src/domain/organizations/reserved-slugs.ts', ''],
    ['package-lock.json', `${readFileSync(at('package-lock.json'), 'utf8')}\n`],
  ] as const) {
    write(path, text)
    if (path === 'console/main.ts') assert.equal(await isStale(), 'true')
    assert.match((await start('serve')).err, builds, path)
  }
  assert.equal(await isStale(), 'false')
  rmSync(at('console/dist/sources.sha256'))
  assert.match((await start('serve')).err, builds, 'half a build')
  assert.match(script(), /two/)
  assert.deepEqual(readdirSync(at('console/node_modules/.builds')), [], 'nothing is left behind')
})

test('missing packages of a workspace, or its missing folder, are installed before anything starts', async (t) => {
  const { folder, at, write } = makeRepository(t)
  // Stands for npm: puts back what was taken away.
  write(
    'npm-cli.js',
    `import { cpSync, rmSync } from 'node:fs'
    rmSync('console/node_modules', { recursive: true, force: true })
    console.log('npm', process.argv.slice(2, 3).join())
    cpSync('away', 'console/node_modules', { recursive: true, verbatimSymlinks: true })`,
  )
  const start = () => run(folder, 'tools/run.mjs', 'src/main.ts', 'migrate')
  const { npm_execpath: own } = process.env
  process.env.npm_execpath = at('npm-cli.js')
  t.after(() => {
    if (own === undefined) delete process.env.npm_execpath
    else process.env.npm_execpath = own
  })
  cpSync(at('console/node_modules'), at('away'), { recursive: true, verbatimSymlinks: true })
  assert.equal((await start()).err, '', 'nothing is missing yet')

  for (const path of ['console/node_modules', 'console/node_modules/typescript']) {
    rmSync(at(path), { recursive: true })
    const { code, out, err } = await start()
    assert.deepEqual([code, out], [0, 'migrate without a console\n'], err)
    assert.match(err, /^guildhall: node_modules is missing or older .*: running npm ci\nnpm ci\n$/)
  }
})

test('no other command builds the console', async (t) => {
  const { at, start } = makeRepository(t)
  for (const args of [['migrate'], ['tenant', 'list'], ['openapi'], ['serve', '--help'], ['help']]) {
    assert.deepEqual(await start(...args), { code: 0, out: `${args.join(' ')} without a console\n`, err: '' })
  }
  assert.ok(!existsSync(at('console/dist')))
})

test('a failed build is reported, starts nothing, and leaves the previous build', async (t) => {
  const { write, start, script } = makeRepository(t)
  await start('serve')
  write('console/main.ts', `import './nowhere.ts'`)
  const { code, out, err } = await start('serve')
  assert.deepEqual([code, out], [1, ''])
  assert.match(err, /^guildhall: the console cannot be built: .*nowhere\.ts/ms)
  assert.match(script(), /one/)
})

test('builds at the same time do not disturb each other', async (t) => {
  const { folder, write, start, script } = makeRepository(t)
  for (const round of ['two', 'three']) {
    write('console/main.ts', `document.title = '${round}'`)
    const ends = await Promise.all([1, 2, 3].map(() => run(folder, 'console/build.ts')))
    assert.deepEqual(
      ends.map(({ code }) => code),
      [0, 0, 0],
      ends.map(({ err }) => err).join('\n'),
    )
    assert.match(script(), new RegExp(round))
  }
  assert.equal((await start('serve')).err, '')
})

test('a signal during the build of the console ends the start', async (t) => {
  const { folder, at, write } = makeRepository(t)
  write('console/vite.config.ts', 'await new Promise(() => setInterval(() => {}, 1000))') // the build does not end before the signal
  const starting = run(folder, 'tools/run.mjs', 'src/main.ts', 'serve')
  await until(() => starting.said.err.includes('building'), 'the build to begin')
  starting.child.kill('SIGTERM')
  const { code, out } = await starting
  assert.deepEqual([code, out], ['SIGTERM', ''])
  assert.ok(!existsSync(at('console/dist')))
})

test('without devDependencies the service starts with the existing build of the console', async (t) => {
  const { at, start } = makeRepository(t)
  rmSync(at('node_modules'))
  mkdirSync(at('node_modules'))
  const own = { 'node_modules/fastify': { version: '5.0.0' }, 'node_modules/for-macos': { optional: true } }
  const lock = (packages: object) => JSON.stringify({ packages })
  writeFileSync(at('package-lock.json'), lock({ '': {}, ...own, 'node_modules/vite': { version: '8.0.0', dev: true } }))
  writeFileSync(at('node_modules/.package-lock.json'), lock({ 'node_modules/fastify': { version: '5.0.0' } }))

  assert.deepEqual(await start('serve'), { code: 0, out: 'serve without a console\n', err: '' })
  mkdirSync(at('console/dist'))
  writeFileSync(at('console/dist/index.html'), '')
  assert.deepEqual(await start('serve'), { code: 0, out: 'serve with a console\n', err: '' })
})
