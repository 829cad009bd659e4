/** Import and export as the operator meets them. */
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import { promisify } from 'node:util'
import { createDatabase } from '../../test/database.ts'
import { aPicture } from '../../test/pictures.ts'
import { makeFolder, post, root, run, start, stop } from '../../test/processes.ts'
import { until } from '../../test/smtp.ts'
import { foreign } from '../../test/transfers.ts'
import { codeAt } from '../domain/credentials/totp.ts'

test('import and export show their progress and the outcome of the rows, and exit with 1 if they could not finish', async () => {
  const folder = await makeFolder({ data: true })
  const path = (name: string) => join(folder, name)
  const guildhall = async (...args: string[]) => {
    const child = run(args, { folder })
    return { code: await child.ended, out: child.out, err: child.err }
  }
  const lines = ['externalId,email', '1,ann@example.com', '2,nobody', '3,cleo@example.com']
  writeFileSync(path('users.csv'), `${lines.join('\n')}\n`)

  const imported = await guildhall('import', '--users', path('users.csv'), '--report', path('report.ndjson'))
  assert.deepEqual(imported, {
    code: 0,
    out: `                      read        made   unchanged     skipped
users                    3           2           0           1

Skipped:
users                    1  invalid: A value is invalid for its column.
`,
    err: imported.err,
  })
  assert.match(imported.err, /^users +100 %, 3 rows, [\d,]+\/s\n$/)
  const [skipped = '', all = ''] = readFileSync(path('report.ndjson'), 'utf8').split('\n')
  assert.equal(JSON.parse(skipped).externalId, '2')
  assert.deepEqual(JSON.parse(all).reasons, { invalid: 1 })

  const exported = ['export', '--users', path('out.csv')] as const
  assert.equal((await guildhall(...exported)).code, 0)
  assert.equal(statSync(path('out.csv')).mode & 0o777, 0o600)
  const [columns = '', ...people] = readFileSync(path('out.csv'), 'utf8').trimEnd().split('\r\n')
  assert.match(columns, /^externalId,email,.*,createdAt$/)
  assert.deepEqual(
    people.map((line) => line.split(',').slice(0, 2).join()),
    ['1,ann@example.com', '3,cleo@example.com'],
  )
  const identities = ['user,provider,subject', '1,Google,ann', '4,Google,dan']
  writeFileSync(path('identities.csv'), `${identities.join('\n')}\n`)
  const linked = await guildhall('import', '--identities', path('identities.csv'))
  assert.deepEqual(
    [linked.code, linked.out.match(/^identities +2 .*$/m)?.[0].split(/ +/)],
    [0, ['identities', '2', '0', '0', '2']],
  )
  assert.match(linked.out, /^identities +1 {2}unknown_provider: .*\nidentities +1 {2}unknown_user: /m)
  assert.equal((await guildhall('export', '--identities', path('linked.csv'))).code, 0)
  assert.equal(readFileSync(path('linked.csv'), 'utf8'), 'user,provider,subject,issuer,email,createdAt\r\n')

  for (const [args, message] of [
    [exported, /^guildhall: out\.csv: the file already exists\.$/m],
    [['import', '--users', path('none.csv')], /^guildhall: none\.csv: the file cannot be opened \(ENOENT\)\.$/m],
  ] as const) {
    const { code, err } = await guildhall(...args)
    assert.equal(code, 1)
    assert.match(err, message)
    assert.doesNotMatch(err, /\n\s+at /, 'no stack')
  }
})

test('the running service asks for the code of an app that the command imports, and neither prints a secret', async () => {
  const service = await start({ env: { LOG_LEVEL: 'debug' } })
  const secret = 'GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ' // of RFC 6238
  const lines = [
    'externalId,email,passwordHash,totpSecret',
    `1,ann@example.com,${foreign.hash},${secret}`,
    `2,ben@example.com,${foreign.hash},${secret}8`,
  ]
  writeFileSync(join(service.folder, 'users.csv'), `${lines.join('\n')}\n`)

  const importing = run(['import', '--users', 'users.csv', '--report', 'report'], { folder: service.folder })
  assert.equal(await importing.ended, 0, importing.err)
  const credentials = { email: 'ann@example.com', password: foreign.password }
  const { body: begun } = await post(service, '/api/auth/sign-in', credentials)
  const totp = codeAt(secret, Math.floor(Date.now() / 30_000))
  const { status, body } = await post(service, '/api/auth/sign-in/continue', { attempt: begun.attempt.token, totp })
  await stop(service)

  assert.deepEqual([status, body.session?.device.methods], [200, ['password', 'totp']])
  const report = readFileSync(join(service.folder, 'report'), 'utf8')
  assert.deepEqual(JSON.parse(report.split('\n')[0] ?? ''), {
    file: 'users',
    row: 2,
    externalId: '2',
    reason: 'invalid',
    faults: [{ column: 'totpSecret', code: 'invalid_format' }],
  })
  const printed = [importing.out, importing.err, report, service.out, service.err].join()
  for (const part of [secret, foreign.hash, totp]) assert.ok(!printed.includes(part))
})

test('an import that does not know where the service is refuses files with pictures, and takes others', async (t) => {
  const { url, query, drop } = await createDatabase()
  t.after(drop)
  const folder = await makeFolder()
  const picture = Buffer.from(aPicture).toString('base64')
  writeFileSync(
    join(folder, 'plain.csv'),
    ['externalId,email,avatar', '1,ann@example.com,', '2,ben@example.com,', ''].join('\n'),
  )
  writeFileSync(
    join(folder, 'faces.csv'),
    ['externalId,email,avatar', '3', '3,cleo@example.com,', `4,dan@example.com,${picture}`, ''].join('\n'),
  )
  writeFileSync(join(folder, 'orgs.ndjson'), `${JSON.stringify({ externalId: 'a', name: 'Acme', logo: picture })}\n`)
  writeFileSync(join(folder, 'members.csv'), ['organization,user,role', 'a,1,owner', ''].join('\n'))
  const guildhall = async (args: string[], more = {}) => {
    const env = { DATABASE_URL: url, GUILDHALL_SECRET: 's'.repeat(32), ...more }
    const child = run(['import', ...args], { folder, env })
    return { code: await child.ended, err: child.err }
  }
  const faces = ['--users', 'faces.csv']

  for (const args of [
    faces,
    [...faces, '--dry-run'],
    ['--organizations', 'orgs.ndjson', '--memberships', 'members.csv'],
  ]) {
    const { code, err } = await guildhall(args)
    assert.equal(code, 1, args.join(' '))
    assert.match(err, /^guildhall: (faces\.csv|orgs\.ndjson): it has pictures, .* Set PUBLIC_URL /)
  }
  assert.equal((await guildhall(['--users', 'plain.csv'])).code, 0)
  assert.equal((await guildhall(faces, { PUBLIC_URL: 'http://localhost:4000' })).code, 0)

  const users = await query<{ email: string; avatar: string | null }>(
    'select email, avatar_url as avatar from users order by email',
  )
  assert.deepEqual(
    users.map(({ email, avatar }) => [email.split('@')[0], avatar && new URL(avatar).origin]),
    [
      ['ann', null],
      ['ben', null],
      ['cleo', null],
      ['dan', 'http://localhost:4000'],
    ],
  )
})

test('an import whose report runs out of disk space stops, and says what it created', async () => {
  const folder = await makeFolder({ data: true })
  const rows = Array.from({ length: 3_000 }, (_, n) => `${n},${n % 2 ? `p${n}@example.com` : 'nobody'}`)
  writeFileSync(join(folder, 'users.csv'), ['externalId,email', ...rows, ''].join('\n'))
  const service = await start({ folder })
  const args = ['import', '--users', 'users.csv', '--report', 'report.ndjson']
  // Files of this shell end after a kilobyte.
  const command = 'ulimit -f 2; exec "$0" "$@"'
  const { PATH, HOME } = process.env
  const program = [process.execPath, join(root, 'src', 'main.ts'), ...args]
  const failed = await promisify(execFile)('sh', ['-c', command, ...program], {
    cwd: folder,
    env: { PATH, HOME },
  }).catch((error: { code: number; stdout: string; stderr: string }) => error)
  await stop(service)
  assert.equal('code' in failed && failed.code, 1)
  assert.match(failed.stdout, /^users +(1,000 +500|2,000 +1,000) +0 +(500|1,000)$/m)
  assert.match(failed.stderr, /^guildhall: The report cannot be written: EFBIG/m)
})

/** Starts an export, and stops it once its database starts. */
async function stopExport() {
  const folder = await makeFolder({ data: true })
  const exporting = run(['export', '--users', 'users.ndjson'], { folder })
  const database = join(folder, '.guildhall', 'postgres', 'postmaster.pid')
  await until(() => existsSync(database), 'the database to start')
  exporting.child.kill('SIGINT') // as a terminal's, which the launcher hands on besides
  await delay(50)
  return { folder, database, code: await stop(exporting, 'SIGINT'), err: exporting.err }
}

test('a stopped export ends together with everything it started', async () => {
  let stopped = await stopExport()
  // On a busy machine, an export may be over before the signal comes.
  for (let more = 0; stopped.code === 0 && more < 10; more++) stopped = await stopExport()

  const { folder, database, code, err } = stopped
  assert.equal(code, 1)
  assert.match(err, /^guildhall: Stopped\. No file was written\.$/m)
  assert.ok(!existsSync(database))
  assert.deepEqual(readdirSync(folder), ['.guildhall'])
})
