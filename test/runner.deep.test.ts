/** The runner of tests: what it tells of failures, and how it ends a process that hangs. */
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, realpath, rm, writeFile } from 'node:fs/promises'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { type TestContext, test } from 'node:test'
import { pathToFileURL } from 'node:url'
import { freePort } from './ports.ts'
import { root } from './processes.ts'
import { until } from './smtp.ts'

const runner = pathToFileURL(join(root, 'tools/test-runner.ts')).href

/** Runs test files in processes of their own. @returns the output, and whether all passed */
async function runFiles(t: TestContext, files: Readonly<Record<string, string>>, options: object) {
  const folder = await realpath(await mkdtemp(join(tmpdir(), 'guildhall-runner-')))
  t.after(() => rm(folder, { recursive: true }))
  await writeFile(join(folder, 'package.json'), '{ "type": "module" }')
  const head = `import assert from 'node:assert/strict'\nimport { spawn } from 'node:child_process'\nimport { test } from 'node:test'\n`
  for (const [name, code] of Object.entries(files)) await writeFile(join(folder, `${name}.test.ts`), head + code)
  const paths = Object.keys(files).map((name) => join(folder, `${name}.test.ts`))
  const script = `import { runTests } from '${runner}'
    process.exitCode = (await runTests(${JSON.stringify(paths)}, ${JSON.stringify({ apart: true, ...options })})) ? 0 : 1`
  const child = spawn(process.execPath, ['--input-type=module', '--eval', script], {
    cwd: root,
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  t.after(() => child.kill('SIGTERM'))
  const [output, [code]] = await Promise.all([text(child.stdout), once(child, 'exit')])
  return { output: output.replaceAll(`${folder}/`, ''), isPassed: code === 0 }
}

/** A program that says that it listens on a port. @param answer what it does with a connection */
const listener = (port: number, answer = '') =>
  `require('node:net').createServer(() => {${answer}}).listen(${port}, '127.0.0.1', () => console.log('listens'))`

/** Starts a program in a group of its own, with the output of the process that starts it, and waits until it says something. */
const startAside = (program: string) => `
  const child = spawn(process.execPath, ['--eval', ${JSON.stringify(program)}], {
    detached: true,
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  await new Promise((done) => child.stdout.once('data', done))`

for (const names of [false, true]) {
  const how = names ? 'with the names of all tests' : 'by files'
  test(`a failure is told when it happens, and again in the last lines (${how})`, async (t) => {
    const files = {
      wrong: `
        test('holds', () => {})
        test('a rule', async (t) => {
          await t.test('is broken', () => assert.equal(404, 409))
        })
        test('cannot run', { ${'skip'}: 'a program is missing' }, () => {})`,
      right: `test('holds', () => {})`,
    }

    const { output, isPassed } = await runFiles(t, files, { names })

    assert.equal(isPassed, false)
    assert.match(output, /\n2 passed, 2 failed, 1 skipped\n/)
    const [told, ended] = [/FAILED {2}.*a rule › is broken/, /FAILED +[\d.]+ s {2}wrong\.test\.ts/].map((line) =>
      output.search(line),
    ) as [number, number]
    assert.ok(told >= 0 && told < ended, output)
    const last =
      /\nFAILED {2}a rule › is broken\n +wrong\.test\.ts: Expected values to be strictly equal: 404 !== 409\n$/
    assert.match(output, last)
  })
}

test('a process without a test that ends is ended with everything that it has started, and the other files are run', async (t) => {
  const port = await freePort()
  const files = {
    hanging: `
      test('is broken', () => assert.fail('first'))
      test('never ends', async () => {
        ${startAside(listener(port))}
        setInterval(() => {}, 1_000)
        await new Promise(() => {})
      })
      test('comes later', () => {})`,
    right: `test('holds', () => {})`,
  }

  const { output, isPassed } = await runFiles(t, files, { silence: 30_000 })

  assert.equal(isPassed, false)
  assert.match(output, /ok .* right\.test\.ts \(1\)/)
  assert.match(output, /\n1 passed, 2 failed\nFAILED {2}is broken\n/)
  assert.match(output, /\nFAILED {2}never ends\n +hanging\.test\.ts: none of its tests ended for 0\.5 minutes\n$/)
  await until(() => isRefused(port), 'what it has started to end')
})

test('a process that leaves a program behind is not waited for', async (t) => {
  const port = await freePort()
  t.after(() => isRefused(port)) // ends the program
  const left = `
    test('ends its process', async () => {
      ${startAside(listener(port, 'process.exit()'))}
      process.exit(3)
    })`

  const { output } = await runFiles(t, { left }, {})

  assert.match(output, /\nFAILED {2}ends its process\n +left\.test\.ts: its process ended with 3\n$/)
  assert.equal(await isRefused(port), false, 'the program still runs')
})

/** Whether nothing listens on the port. */
async function isRefused(port: number): Promise<boolean> {
  const socket = connect(port, '127.0.0.1')
  try {
    return await new Promise((resolve) => {
      socket.once('connect', () => resolve(false)).once('error', () => resolve(true))
    })
  } finally {
    socket.destroy()
  }
}
