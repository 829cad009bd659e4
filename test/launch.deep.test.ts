/** The launcher and npm, with which people start the service. */
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { buildConsole } from '../console/build.ts'
import { freePort } from './ports.ts'
import { children, databaseRuns, get, makeFolder, root, run, start } from './processes.ts'
import { until } from './smtp.ts'

// npm start would build it, and no test should wait for that.
await buildConsole()

test('if its launcher is killed, the service stops in order', async () => {
  const service = await start({ launched: true })
  service.child.kill('SIGKILL')
  await service.ended // the service has closed the same standard output
  await assert.rejects(get(service, '/livez'))
  await until(() => !databaseRuns(service), 'the embedded database to stop')
  assert.equal(service.err, '')
})

test('after SIGTERM, npm start ends only when the service and its database have ended', async () => {
  const [folder, port] = [await makeFolder({ data: true }), await freePort()]
  const { PATH = '', HOME = '' } = process.env
  const npm = spawn('npm', ['start'], {
    cwd: root,
    env: { PATH, HOME, PORT: String(port), GUILDHALL_DATA: join(folder, '.guildhall'), LOG_LEVEL: 'silent' },
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  children.add(npm)
  let out = ''
  npm.stdout.setEncoding('utf8').on('data', (text) => (out += text))
  const ended = new Promise((resolve) => npm.once('close', resolve))
  await until(() => out.includes('Ctrl-C stops it.'), 'the service to run')
  npm.kill('SIGTERM')
  await ended
  children.delete(npm)
  await assert.rejects(get({ url: `http://127.0.0.1:${port}` }, '/livez'))
  assert.ok(!existsSync(join(folder, '.guildhall', 'postgres', 'postmaster.pid')), 'the embedded database was stopped')
})

test('a signal to npm reaches each of our scripts, and no shell that dies of it alone', () => {
  const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
    scripts: Record<string, string>
  }
  const ours = Object.values(scripts).filter((command) => command.includes('tools/run.mjs'))
  assert.ok(ours.length > 10)
  for (const command of ours) assert.match(command, /^exec node tools\/run\.mjs /)
})

test('npm run dev serves the console from its sources and passes other requests on, and one signal stops both', async () => {
  const [folder, port, own] = [await makeFolder({ data: true }), await freePort(), await freePort()]
  const dev = run([String(port)], { folder, port: own, script: 'tools/dev.ts' })
  await until(() => dev.out.includes('Ctrl-C stops it.'), 'the service to run')
  const url = `http://localhost:${port}`
  assert.match(dev.out, new RegExp(`^ {2}Set up +${url}/set-up#token=`, 'm'))

  const text = async (path: string) => (await fetch(url + path, { headers: { accept: 'text/html' } })).text()
  for (const path of ['/', '/t/acme/', '/t/acme/me']) assert.match(await text(path), /src="\/main\.tsx/, path)
  assert.match(await text('/api/client.ts'), /createClient/, 'a module of the console')
  const [lent = ''] = /\S*slug-of-name\.ts/.exec(await text('/organizations/new-details.tsx')) ?? []
  assert.match(await text(lent.replace(/^["']/, '')), /function slugOf/, 'what it has of the service')
  assert.equal((await get({ url }, '/api/tenant')).body.slug, 'default')
  for (const path of ['/livez', '/openapi.json']) assert.equal((await get({ url }, path)).status, 200, path)
  assert.match(await text('/docs/problems'), /last_owner/)

  dev.child.kill('SIGINT')
  await dev.ended
  for (const each of [port, own]) await assert.rejects(get({ url: `http://127.0.0.1:${each}` }, '/livez'))
  assert.ok(!existsSync(join(folder, '.guildhall', 'postgres', 'postmaster.pid')), 'the embedded database was stopped')
})
