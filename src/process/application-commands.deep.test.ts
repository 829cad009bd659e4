/** `guildhall application`, as the operator meets it. */
import assert from 'node:assert/strict'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { makeFolder, run } from '../../test/processes.ts'

test('the operator makes, lists, changes and deletes an application, and the doctor says if its issuer moves', async () => {
  const folder = await makeFolder({ data: true })
  const guildhall = async (...args: string[]) => {
    const env = {
      PUBLIC_URL: 'https://accounts.example.com',
      SMTP_URL: 'smtp://127.0.0.1:1',
      MAIL_FROM: 'no-reply@example.com',
    } // nothing is mailed here
    const child = run(args, { folder, env })
    return { code: await child.ended, out: child.out, err: child.err }
  }
  const application = (...args: string[]) => guildhall('application', ...args)
  const empty = await application('list')
  assert.deepEqual(empty, { code: 0, out: 'The tenant "default" has no applications.\n', err: '' })

  const callback = 'https://notes.example.com/callback'
  const made = await application('create', '--name', 'Notes', '--kind', 'server', '--redirect-uri', callback, '--home')
  assert.deepEqual([made.code, made.err], [0, 'The secret is shown once. Store it now.\n'])
  const [, issuer, id = '', secret] =
    /^Issuer {2}(\S+)\nId {6}(app_\S{26})\nSecret {2}(ghx_\S{70})\n$/.exec(made.out) ?? assert.fail(made.out)
  assert.match(issuer ?? '', /^https:\/\/accounts\.example\.com\/api\/tenants\/ten_[0-9a-z]{26}$/)

  const refused = await application('create', '--name', 'X', '--kind', 'server', '--redirect-uri', 'a.b:/c')
  assert.deepEqual([refused.code, refused.out], [1, ''])
  assert.match(refused.err, /^guildhall: --redirect-uri, number 1: Only a `native` application has/)
  const wrong = await application('create', '--name', 'X', '--kind', 'robot', '--redirect-uri', 'x', '--scopes', 'x')
  assert.match(wrong.err, /^guildhall: --kind: .*\n--redirect-uri, number 1: .*\n--scopes, number 1: .*\n$/)
  for (const [args, message] of [
    [['create', '--name', 'X'], /needs a --name, a --kind and a --redirect-uri/],
    [['update', id], /needs at least one of --name/],
    [['update', id, '--kind', 'native'], /has no option --kind/],
    [['rotate-secret', id, '--overlap-seconds', 'many'], /needs a number/],
    [['delete', id], /Add --yes to confirm/],
    [['delete'], /needs the id of an application/],
  ] as const) {
    const answer = await application(...args)
    assert.equal(answer.code, 2, args.join(' '))
    assert.match(answer.err, message)
  }

  const sent = [
    '--post-logout-uri',
    'https://notes.example.com/',
    '--scopes',
    'openid api',
    '--no-home',
    '--no-enabled',
  ]
  const changed = await application('update', id, '--start-url', 'https://notes.example.com/start', ...sent)
  const listed = await application('list')
  assert.equal(listed.out, `Issuer  ${issuer}\n\n${changed.out}`)
  assert.equal(
    changed.out.replace(/\d{4}-\S+Z/, '<time>'),
    `${id}
  Name           Notes
  Kind           server
  Redirects      https://notes.example.com/callback
  Sign-out       https://notes.example.com/
  Back-channel   none
  Start          https://notes.example.com/start
  Logo           none
  Scopes         openid, api
  Verified only  yes
  Organization   none, unless the application names one
  Home           no
  Enabled        no
  Secrets        of <time>, never used
`,
  )
  const cleared = await application('update', id, '--start-url', '', '--post-logout-uri', '')
  assert.match(cleared.out, /Sign-out {7}none\n {2}Back-channel {3}none\n {2}Start {10}none\n/)
  const rotated = await application('rotate-secret', id, '--overlap-seconds', '0')
  assert.ok(
    rotated.code === 0 && rotated.out.includes(`Id      ${id}\nSecret  ghx_`) && !rotated.out.includes(secret ?? ''),
  )

  await writeFile(join(folder, '.guildhall', 'public-url'), 'https://before.example.com\n')
  const { out: moved } = await guildhall('doctor')
  assert.match(moved, /warn +Tokens +The service was at https:\/\/before\.example\.com when it last started\./)
  await writeFile(join(folder, '.guildhall', 'public-url'), 'https://accounts.example.com\n')
  assert.match((await guildhall('doctor')).out, /ok +Tokens +name an issuer at https:\/\/accounts\.example\.com\./)

  const deleted = await application('delete', id, '--yes')
  assert.match(deleted.out, /^Deleted the application app_\S+ \(Notes\)\./)
  const again = await application('delete', id, '--yes')
  assert.deepEqual(
    [again.code, again.out, again.err],
    [1, '', `guildhall: The tenant "default" has no such application.\n`],
  )
})
