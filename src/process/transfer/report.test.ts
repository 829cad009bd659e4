/** The report: why rows are skipped, and what keeps an import from going on. */
import assert from 'node:assert/strict'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { anApplication } from '../../../test/application-requests.ts'
import { bring, counts, file, foreign, newPath } from '../../../test/transfers.ts'
import { createWorld } from '../../../test/world.ts'
import { TransferError } from './files.ts'
import { openProgress } from './progress.ts'
import { reasons } from './reasons.ts'
import { openReport } from './report.ts'
import { columnsOf, kinds } from './rows.ts'

const world = await createWorld()
const { query } = world.postgres

test('each skipped row is reported with number, external id and one of the known reasons, and nothing else of the row', async () => {
  const tenant = await world.tenant()
  await world.person('Old', { tenant: tenant.slug, email: 'old@example.com' })
  const { id: stranger } = await world.person('Other', {
    tenant: tenant.slug,
    email: 'other@allowed.example',
    verified: false,
  })
  await query(
    `insert into providers (tenant_id, id, type, name, client_id) values ($1, 'idp_google', 'google', 'Google', 'guildhall')`,
    [tenant.id],
  )
  await query(`update tenants set allowed_email_domains = '{example.com}' where id = $1`, [tenant.id])
  const hash = foreign.hash.replace('$04$', '$31$')
  const user = (externalId: string, more: object) => ({ externalId, email: `${externalId}@example.com`, ...more })
  const paths = {
    users: await file(
      user('taken', { email: 'Old@example.com' }),
      user('taken', {}),
      user('elsewhere', { email: 'secret-name@elsewhere.example' }),
      user('costly', { passwordHash: hash }),
      user('unknown', { passwordHash: 'md5:d41d8cd98f00b204e9800998ecf8427e' }),
      user('invalid', { email: 'secret-name', name: '\u0000', metadata: [], surname: 'x' }),
      '{"externalId":"secret-name"',
      '[]',
      user('fine', {}),
      user('twin', { email: 'fine@example.com' }),
    ),
    organizations: await file(
      { externalId: 'none', name: 'Nobody’s' },
      { externalId: 'unowned', name: 'Nobody’s' },
      { externalId: 'a', name: 'Acme', slug: 'acme' },
      { externalId: 'b', name: 'Acme', slug: 'acme' },
    ),
    memberships: await file(
      'organization,user,role,grants,status,expiresAt',
      'none,fine,admin,,,',
      'unowned,taken,owner,,,',
      'a,fine,owner,,,',
      'b,fine,owner,,,',
      'a,costly,member,,,',
      'a,fine,boss,,,',
      'a,fine',
      'a,fine,owner,,suspended,',
      'a,fine,member,"[{""role"":""secret-name""}]",,',
      'a,fine,member,,,2001-01-31T00:00:00Z',
    ),
    identities: await file(
      'user,provider,subject,email',
      ...Array.from({ length: 11 }, (_, n) => `fine,Google,secret-name-${n},secret-name@example.com`),
      'taken,Google,secret-name-0,',
      'fine,secret-name,secret-name,',
      `${stranger},Google,secret-name,`,
      `${stranger},Google,secret-name-0,`,
      'fine,Google,,secret-name',
    ),
    applications: await file(
      ...Array.from({ length: 51 }, (_, n) => ({ ...anApplication, name: `secret-name-${n}` })),
      { ...anApplication, name: 'secret-name-0' },
    ),
    webhooks: await file(
      'organization,name,url',
      ...Array.from({ length: 21 }, (_, n) => `,secret-name-${n},https://secret-name.example.com/`),
      ',secret-name-0,https://secret-name.example.com/',
      'none,secret-name,https://secret-name.example.com/',
      `a,secret-name,https://ann${':'}secret-name@example.com/`,
    ),
  }
  const trial = await bring(world, tenant, paths, { isTrial: true })
  const report = await bring(world, tenant, paths)
  assert.deepEqual(trial, report, 'a trial tells the same')
  assert.deepEqual(
    report
      .filter((line) => 'row' in line && ['users', 'organizations', 'memberships'].includes(line.file))
      .sort((one, other) => one.row - other.row || one.file.localeCompare(other.file)),
    [
      { file: 'memberships', row: 1, organization: 'none', user: 'fine', reason: 'unknown_organization' },
      { file: 'organizations', row: 1, externalId: 'none', reason: 'no_owner' },
      { file: 'users', row: 1, externalId: 'taken', reason: 'email_taken' },
      { file: 'memberships', row: 2, organization: 'unowned', user: 'taken', reason: 'unknown_organization' },
      { file: 'organizations', row: 2, externalId: 'unowned', reason: 'no_owner' },
      { file: 'users', row: 2, externalId: 'taken', reason: 'duplicate' },
      { file: 'users', row: 3, externalId: 'elsewhere', reason: 'email_domain_not_allowed' },
      { file: 'memberships', row: 4, organization: 'b', user: 'fine', reason: 'unknown_organization' },
      { file: 'organizations', row: 4, externalId: 'b', reason: 'slug_taken' },
      { file: 'users', row: 4, externalId: 'costly', reason: 'costly_hash' },
      { file: 'memberships', row: 5, organization: 'a', user: 'costly', reason: 'unknown_user' },
      { file: 'users', row: 5, externalId: 'unknown', reason: 'unknown_hash' },
      {
        file: 'memberships',
        row: 6,
        organization: 'a',
        user: 'fine',
        reason: 'invalid',
        faults: [{ column: 'role', code: 'not_allowed' }],
      },
      {
        file: 'users',
        row: 6,
        externalId: 'invalid',
        reason: 'invalid',
        faults: [
          { column: 'surname', code: 'unknown_field' },
          { column: 'email', code: 'invalid_format' },
          { column: 'name', code: 'invalid_format' },
          { column: 'metadata', code: 'wrong_type' },
        ],
      },
      { file: 'memberships', row: 7, reason: 'malformed' },
      { file: 'users', row: 7, reason: 'malformed' },
      { file: 'memberships', row: 8, organization: 'a', user: 'fine', reason: 'owner_cannot_end' },
      { file: 'users', row: 8, reason: 'malformed' },
      { file: 'memberships', row: 9, organization: 'a', user: 'fine', reason: 'unknown_role' },
      { file: 'memberships', row: 10, organization: 'a', user: 'fine', reason: 'ended' },
      { file: 'users', row: 10, externalId: 'twin', reason: 'email_taken' },
    ],
  )
  assert.deepEqual(
    report.filter((line) => 'row' in line && line.file === 'identities').sort((one, other) => one.row - other.row),
    [
      { file: 'identities', row: 11, user: 'fine', reason: 'too_many_identities' },
      { file: 'identities', row: 12, user: 'taken', reason: 'unknown_user' },
      { file: 'identities', row: 13, user: 'fine', reason: 'unknown_provider' },
      { file: 'identities', row: 14, user: stranger, reason: 'email_not_verified' },
      { file: 'identities', row: 15, user: stranger, reason: 'identity_taken' },
      {
        file: 'identities',
        row: 16,
        user: 'fine',
        reason: 'invalid',
        faults: [
          { column: 'subject', code: 'required' },
          { column: 'email', code: 'invalid_format' },
        ],
      },
    ],
  )
  assert.deepEqual(
    report.filter((line) => 'row' in line && line.file === 'applications'),
    [
      { file: 'applications', row: 51, reason: 'too_many_applications' },
      { file: 'applications', row: 52, reason: 'name_taken' },
    ],
  )
  assert.deepEqual(
    report.filter((line) => 'row' in line && line.file === 'webhooks'),
    [
      { file: 'webhooks', row: 21, reason: 'too_many_webhooks' },
      { file: 'webhooks', row: 22, reason: 'name_taken' },
      { file: 'webhooks', row: 23, organization: 'none', reason: 'unknown_organization' },
      {
        file: 'webhooks',
        row: 24,
        organization: 'a',
        reason: 'invalid',
        faults: [{ column: 'url', code: 'not_allowed' }],
      },
    ],
  )
  assert.deepEqual([...new Set(report.flatMap(({ reason }) => reason ?? []))].sort(), Object.keys(reasons).sort())
  for (const secret of ['secret-name', '$2b$', 'd41d8', '@']) assert.ok(!JSON.stringify(report).includes(secret))
})

test('a file that cannot be read is reported, before anything is created if its beginning shows the fault', async () => {
  const tenant = await world.tenant()
  const users = await file({ externalId: '1', email: 'ann@example.com' })
  const latin = newPath('csv')
  await writeFile(latin, Buffer.from('organization,user,role\na,Zo\xeb,owner\n', 'latin1'))
  for (const [memberships, message] of [
    [newPath('csv'), /\.csv: the file cannot be opened \(ENOENT\)/],
    [await file('organization,user,role,salary', 'a,1,owner,7'), /an unknown column in position 4/],
    [await file('organization,user,user,role', 'a,1,1,owner'), /has the column "user" twice/],
    [await file('organization,role', 'a,owner'), /no column "user"/],
    [await file('organization,user,role', 'a,"1,owner'), /line \d is not valid CSV \(CSV_QUOTE_NOT_CLOSED\)/],
    [latin, /the file is not in UTF-8/],
  ] as const)
    await assert.rejects(
      bring(world, tenant, { users, memberships }),
      (error) => error instanceof TransferError && message.test(error.message),
    )
  assert.deepEqual(await query('select from users where tenant_id = $1', [tenant.id]), [])

  const long = `{"externalId":"long","email":"${'x'.repeat(600_000)}"}`
  const [malformed] = await bring(world, tenant, {
    users: await file(long, '', { externalId: '1', email: 'ann@example.com' }),
  })
  assert.deepEqual([malformed.row, malformed.reason], [1, 'malformed'])
  const [person] = await query('select email from users where tenant_id = $1', [tenant.id])
  assert.deepEqual(person, { email: 'ann@example.com' })
})

test('a file without rows has a line in the summary', async () => {
  const tenant = await world.tenant()
  const [users, organizations] = [newPath('ndjson'), await file('externalId,name')]
  await writeFile(users, '')
  const memberships = await file('organization,user,role')
  const none = [
    ['users', 0, 0, 0],
    ['organizations', 0, 0, 0],
    ['memberships', 0, 0, 0],
    ['identities', 0, 0, 0],
  ]
  const identities = await file('user,provider,subject')
  assert.deepEqual(counts(await bring(world, tenant, { users, organizations, memberships, identities })), none)
})

test('progress is a bar in a terminal, and lines elsewhere', () => {
  for (const [isTTY, pattern] of [
    [true, /^\r.\[2Kusers +\[#{15} {15}\] 50 %, 1,234 rows, [\d,]+\/s, \d+ s to go\n$/],
    [false, /^users +50 %, 1,234 rows, [\d,]+\/s, \d+ s to go\n$/],
  ] as const) {
    let shown = ''
    const progress = openProgress({ isTTY, write: (text) => (shown += text) })
    progress.begin('users', 200)
    progress.advance(100, 1_234)
    progress.end()
    assert.match(shown, pattern)
  }
})

test('docs/operate/import.md names every column and every reason', async () => {
  const text = await readFile('docs/operate/import.md', 'utf8')
  for (const word of [...Object.keys(reasons), ...kinds.flatMap((kind) => columnsOf(kind).all)])
    assert.match(text, new RegExp(`^\\| .*\`${word}\`.* \\|$`, 'm'), word)
})

test('an import does not begin if its report cannot be written', async () => {
  await assert.rejects(openReport(join(newPath('none'), 'report')), /report: the file cannot be opened \(ENOENT\)/)
})

test('a number of metadata that would be stored as another one is invalid, in both formats', async () => {
  const tenant = await world.tenant()
  for (const users of [
    await file('externalId,email,metadata', 'a,a@example.com,"{""id"":9007199254740993}"'),
    await file('{"externalId":"a","email":"a@example.com","metadata":{"id":9007199254740993}}'),
  ]) {
    const report = await bring(world, tenant, { users })
    assert.deepEqual(
      report.filter((line) => 'row' in line),
      [
        {
          file: 'users',
          row: 1,
          externalId: 'a',
          reason: 'invalid',
          faults: [{ column: 'metadata', code: 'out_of_range' }],
        },
      ],
    )
  }
})
