/** The commands for users, as the operator meets them. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createDatabase } from '../../test/database.ts'
import { get, post, run, start, stop } from '../../test/processes.ts'
import { until } from '../../test/smtp.ts'
import { password } from '../../test/world.ts'
import { codeAt } from '../domain/credentials/totp.ts'

test('the operator resets how somebody signs in who has lost everything, even the last admin', async (t) => {
  const { url, query, drop } = await createDatabase()
  t.after(drop)
  const env = { DATABASE_URL: url, GUILDHALL_SECRET: 's'.repeat(32), GUILDHALL_ADMIN_PASSWORD: password }
  const guildhall = async (...args: string[]) => {
    const child = run(args, { env })
    return { code: await child.ended, out: child.out, err: child.err }
  }
  const service = await start({ env })
  t.after(() => stop(service))
  const email = 'root@example.com'
  assert.equal((await guildhall('admin', 'create', '--email', email)).code, 0)
  await query('update users set email_verified = true')
  const signIn = () => post(service, '/api/auth/sign-in', { email, password })
  const { body } = await signIn()
  const headers = { authorization: `Bearer ${body.session.token}` }
  const { body: setup } = await post(service, '/api/users/me/factors/setup', { type: 'totp' }, headers)
  const code = codeAt(setup.secret, Math.floor(Date.now() / 30_000))
  const added = await post(service, '/api/users/me/factors', { type: 'totp', setup: setup.setup, code }, headers)
  assert.equal(added.status, 201)
  assert.equal((await signIn()).body.code, 'sign_in_incomplete')

  const reset = await guildhall('user', 'reset-factors', 'Root@Example.com')

  assert.deepEqual([reset.code, reset.err], [0, ''])
  assert.match(
    reset.out,
    /^Turned off the password of root@example\.com\. Factors and linked accounts removed: 1\. Sessions ended: 1\.\n/,
  )
  assert.equal((await signIn()).body.code, 'invalid_credentials')
  assert.equal((await get(service, '/api/users/me', headers)).status, 401)
  const mails = await until(async () => {
    const sent = await query<{ kind: string }>(
      `select kind from mails where recipient = $1 and kind in ('set_password', 'factors_reset') order by kind`,
      [email],
    )
    return sent.length > 1 ? sent : undefined
  }, 'the mails about the reset')
  assert.deepEqual(mails, [{ kind: 'factors_reset' }, { kind: 'set_password' }])
  const entries = await query(`select actor_type from audit_entries where action = 'factors.reset'`)
  assert.equal(entries.length, 1)
  assert.equal(entries[0]?.actor_type, 'operator')

  for (const [args, exit, message] of [
    [['user', 'reset-factors', 'nobody@example.com'], 1, /has no user with the address nobody@example\.com\./],
    [['user', 'reset-factors', email, '--tenant', 'none'], 1, /There is no tenant "none"\./],
    [['user', 'reset-factors'], 2, /needs the email address of a user\.\n\n {2}guildhall user reset-factors <email>/],
  ] as const) {
    const { code, err } = await guildhall(...args)
    assert.equal(code, exit, args.join(' '))
    assert.match(err, message)
  }
})
