/** The service as the operator meets it. */
import assert from 'node:assert/strict'
import { realpath, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { buildConsole } from '../../console/build.ts'
import { databaseRuns, get, makeFolder, post, start, stop } from '../../test/processes.ts'
import { until } from '../../test/smtp.ts'
import { password } from '../../test/world.ts'

// The launcher would build it, and no test is to wait for that.
await buildConsole()

test('the first start prints its addresses, keeps its secrets readable by their owner only, and its link makes the first admin', async () => {
  const service = await start({ folder: await makeFolder(), env: { LOG_LEVEL: 'info' } })
  assert.match(service.out, /"msg":"migrated"/)
  const printed = (label: string) => new RegExp(`^ {2}${label} +(\\S.*)$`, 'm').exec(service.out)?.[1] ?? ''
  const url = `http://localhost:${service.port}`
  assert.equal(printed('Console'), url)
  assert.equal((await fetch(printed('Console'))).status, 200)
  assert.equal(printed('API'), `${url}/api`)
  assert.equal(printed('Documentation'), `${url}/docs`)
  assert.equal((await fetch(printed('Documentation'))).status, 200)
  assert.equal(printed('Passkeys'), '', 'they work at the printed address')
  const { body: asked } = await post({ ...service, url }, '/api/auth/passkey-options', {})
  assert.equal(asked.options.rpId, new URL(url).hostname)
  const data = await realpath(join(service.folder, '.guildhall', 'postgres'))
  assert.equal(printed('Database'), `embedded PostgreSQL in ${data}`)
  for (const secret of ['secret', 'postgres.json']) {
    const { mode } = await stat(join(service.folder, '.guildhall', secret))
    assert.equal(mode & 0o777, 0o600, `${secret} is for its owner alone`)
  }

  const [, token = ''] = /\/set-up#token=(\S+)$/.exec(printed('Set up')) ?? []
  assert.equal((await fetch(printed('Set up'))).status, 200)
  const setUp = { token, email: 'root@example.com', password }
  const made = await post(service, '/api/setup', setUp)
  assert.deepEqual([made.status, made.body.user.role], [201, 'admin'])
  const again = await post(service, '/api/setup', { ...setUp, email: 'other@example.com' })
  assert.deepEqual([again.status, again.body.code], [410, 'token_spent'])

  const [, key = ''] = /\/mailbox#(\S+)$/.exec(printed('Mailbox')) ?? []
  assert.equal((await fetch(printed('Mailbox'))).status, 200)
  await until(async () => {
    const mails = await get(service, '/api/mailbox', { 'guildhall-mailbox-key': key })
    return mails.body.data?.[0]?.to === 'root@example.com'
  }, 'the admin’s verification mail')

  assert.equal(await stop(service), 0)
  const restarted = await start({ folder: service.folder, env: { PUBLIC_URL: 'http://localhost:3000' } })
  assert.doesNotMatch(restarted.out, /set-up|passkeys/i)
  assert.ok(restarted.out.includes(`/mailbox#${key}\n`), 'an open mailbox goes on working')
  const signedIn = await post(restarted, '/api/auth/sign-in', { email: 'root@example.com', password })
  assert.deepEqual([signedIn.status, signedIn.body.user.id], [200, made.body.user.id])
  const me = await get(restarted, '/api/users/me', { authorization: `Bearer ${made.body.session.token}` })
  assert.equal(me.status, 200, 'a session outlives a restart')
  assert.equal(await stop(restarted), 0)
})

for (const [signal, launched, how] of [
  ['SIGTERM', false, 'SIGTERM'],
  ['SIGINT', true, 'SIGINT, by way of the launcher,'],
] as const) {
  test(`${how} finishes the running requests, then stops the service and its database`, async () => {
    const service = await start({ launched, env: { LOG_LEVEL: 'info' } })
    const burst = Array.from({ length: 12 }, (_, index) =>
      post(service, '/api/auth/sign-up', { email: `guest-${index}@example.com`, password }),
    )
    await Promise.race(burst)
    service.child.kill(signal)

    assert.deepEqual(
      (await Promise.all(burst)).map(({ status }) => status),
      burst.map(() => 201),
    )
    assert.equal(await service.ended, 0)
    assert.ok(!databaseRuns(service), 'the embedded database was stopped')
    await assert.rejects(get(service, '/livez'))
    assert.equal(service.err, '')
    const said = [...service.out.matchAll(/"msg":"(.*?)"/g)].map(([, message]) => message)
    assert.deepEqual(
      said.filter((message) => message !== 'answered' && message !== 'mail'),
      [`listening at ${service.url}`, 'stopping', 'stopped'],
    )
  })
}

test('a service that was killed starts again with everything that it had acknowledged', async () => {
  const service = await start()
  const ids: string[] = []
  for (const name of ['ann', 'ben', 'cleo']) {
    ids.push((await post(service, '/api/auth/sign-up', { email: `${name}@example.com`, password })).body.user.id)
  }
  service.child.kill('SIGKILL')
  assert.equal(await service.ended, 'SIGKILL')

  const restarted = await start({ folder: service.folder })
  for (const [index, name] of ['ann', 'ben', 'cleo'].entries()) {
    const { status, body } = await post(restarted, '/api/auth/sign-in', { email: `${name}@example.com`, password })
    assert.deepEqual([status, body.user.id], [200, ids[index]])
  }
  assert.equal(await stop(restarted), 0)
  assert.ok(!databaseRuns(restarted))
})
