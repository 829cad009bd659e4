/** `guildhall key`, as the operator meets it. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createDatabase } from '../../test/database.ts'
import { makeFolder, run, start, stop } from '../../test/processes.ts'

test('the operator makes a key of a tenant, which works until the operator revokes it', async (t) => {
  const { url, query, drop } = await createDatabase()
  t.after(drop)
  const folder = await makeFolder()
  const env = { DATABASE_URL: url, GUILDHALL_SECRET: 's'.repeat(32) }
  const guildhall = async (...args: string[]) => {
    const child = run(['key', ...args], { env, folder })
    return { code: await child.ended, out: child.out, err: child.err }
  }
  const service = await start({ env })
  t.after(() => stop(service))
  const empty = await guildhall('list')
  assert.deepEqual(empty, { code: 0, out: 'The tenant "default" has no keys.\n', err: '' })

  const made = await guildhall(
    'create',
    '--name',
    'Back end',
    '--scopes',
    'users:read, tenant:read',
    '--expires-in-days',
    '30',
  )
  assert.equal(made.code, 0)
  const secret = made.out.trim()
  assert.match(secret, /^ghk_[0-9a-z]{26}\.[\w-]{49}$/, 'the secret alone, for a script')
  const [id = ''] = /key_[0-9a-z]{26}/.exec(made.err) ?? []
  const users = () => fetch(`${service.url}/api/admin/users`, { headers: { authorization: `Bearer ${secret}` } })
  assert.equal((await users()).status, 200)

  const listed = await guildhall('list')
  assert.match(
    listed.out,
    new RegExp(
      `^${id}\\n  Name     Back end\\n  Scopes   users:read, tenant:read\\n  Holder   none\\n  Status   active\\n  Ends     20.*Z\\n`,
    ),
  )
  assert.ok(!listed.out.includes(secret))

  const refused = await guildhall(
    'create',
    '--name',
    'x'.repeat(101),
    '--scopes',
    'users:read',
    '--expires-in-days',
    '30',
  )
  assert.deepEqual([refused.code, refused.err], [1, 'guildhall: --name: At most 100 characters are allowed.\n'])
  const wrong = await guildhall('create', '--name', 'X', '--scopes', 'users:read,me:read', '--expires-in-days', '400')
  assert.deepEqual(wrong, {
    code: 1,
    out: '',
    err: `guildhall: The scope "me:read": Such a key cannot have this scope.
--expires-in-days: A time between one hour and 366 days ahead is needed.
`,
  })
  assert.match((await guildhall('create', '--name', 'X', '--scopes', 'users:read', '--tenant', 'none')).err, /none/)

  const revoked = await guildhall('revoke', id)
  assert.deepEqual(revoked, { code: 0, out: `Ended the key ${id}. The next request with it gets 401.\n`, err: '' })
  assert.equal((await users()).status, 401)
  const again = await guildhall('revoke', id)
  assert.deepEqual(again, { code: 1, out: '', err: `guildhall: The tenant "default" has no live key ${id}.\n` })
  assert.match((await guildhall('list')).out, /Status {3}ended \(revoked\)/)
  const entries = await query<{ action: string; actor_type: string }>(
    `select action, actor_type from audit_entries where target_id = $1 order by occurred_at`,
    [id],
  )
  assert.deepEqual(
    entries.map((entry) => [entry.action, entry.actor_type]),
    [
      ['key.created', 'operator'],
      ['key.ended', 'operator'],
    ],
  )
})
