/** Import: who comes from elsewhere, and how often. */
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { writeFile } from 'node:fs/promises'
import { type TestContext, test } from 'node:test'
import { hashSync } from 'bcryptjs'
import sharp from 'sharp'
import { hashAtRealCost } from '../../../test/hash-cost.ts'
import { until } from '../../../test/smtp.ts'
import { patient } from '../../../test/timeout.ts'
import { bring, counts, file, foreign, newPath, quiet, signIn } from '../../../test/transfers.ts'
import { createWorld, type Json } from '../../../test/world.ts'
import { lockTenant } from '../../domain/access/tenant-lock.ts'
import { renewSetUpLink } from '../../features/tenants/set-up.ts'
import { Database } from '../../platform/database/database.ts'
import { mostCharacters } from './batches.ts'
import { TransferError } from './files.ts'
import { importFiles } from './import.ts'
import { openReport } from './report.ts'

const world = await createWorld()
const { query } = world.postgres

test('an import brings people with their passwords, and organizations with their members', async () => {
  const tenant = await world.tenant()
  const report = await bring(world, tenant, {
    users: await file(
      'externalId,email,emailVerified,name,locale,timeZone,metadata,appMetadata,role,status,createdAt,passwordHash,avatarUrl',
      `1,Ann@Example.COM,true,"Ann, ""the first""",en-GB,Europe/Berlin,"{""plan"":""gold"",""gone"":null}",{},user,,2020-02-03T04:05:06.123456+00:00,${foreign.hash},https://example.com/a.png`,
      '2,ben@example.com,,,,,,,admin,,,,',
      '3,cleo@example.com,,,,,,,,suspended,,,',
    ),
    organizations: await file(
      {
        externalId: 'a',
        name: 'Acme',
        slug: 'acme',
        logoUrl: null,
        metadata: { size: 3 },
        createdAt: '2020-02-03T04:05:06Z',
      },
      { externalId: 'b', name: 'Acme' },
    ),
    memberships: await file(
      'organization,user,role,joinedAt',
      'a,2,member,2021-02-03T04:05:06Z',
      'b,3,admin,',
      'a,1,owner,',
      'b,2,owner,',
      'a,3,owner,',
    ),
  })
  assert.deepEqual(counts(report), [
    ['users', 3, 0, 0],
    ['organizations', 2, 0, 0],
    ['memberships', 5, 0, 0],
  ])

  const { status, body } = await signIn(world, tenant, 'ann@example.com')
  assert.equal(status, 200)
  const { id, updatedAt, lastActiveAt, ...ann } = body.user
  assert.deepEqual(ann, {
    email: 'ann@example.com',
    emailVerified: true,
    pendingEmail: null,
    name: 'Ann, "the first"',
    avatarUrl: 'https://example.com/a.png',
    locale: 'en-GB',
    timeZone: 'Europe/Berlin',
    metadata: { plan: 'gold' },
    appMetadata: {},
    role: 'user',
    status: 'active',
    hasPassword: true,
    hasSecondFactor: false,
    createdAt: '2020-02-03T04:05:06.123Z',
  })
  const headers = { authorization: `Bearer ${body.session.token}` }
  const { data } = (await world.nobody.get('/api/organizations', headers)).body
  assert.deepEqual(
    data.map(({ slug, role, memberCount, metadata }: Json) => [slug, role, memberCount, metadata]),
    [['acme', 'owner', 3, { size: 3 }]],
  )
  assert.deepEqual(
    await query(
      'select owner_count as owners, member_count as members from organizations where tenant_id = $1 order by 1, 2',
      [tenant.id],
    ),
    [
      { owners: 1, members: 2 },
      { owners: 2, members: 3 },
    ],
  )
  const { body: members } = await world.nobody.get('/api/organizations/acme/members', headers)
  assert.equal(members.data.find(({ role }: Json) => role === 'member').joinedAt, '2021-02-03T04:05:06.000Z')
})

test('the first sign-in replaces an imported hash with one of ours', async (t) => {
  hashAtRealCost(t)
  const tenant = await world.tenant()
  await bring(world, tenant, {
    users: await file({ externalId: '1', email: 'ann@example.com', passwordHash: foreign.hash }),
  })
  const stored = async () =>
    (await query<{ hash: string }>('select password_hash as hash from users where tenant_id = $1', [tenant.id]))[0]
      ?.hash
  assert.equal(await stored(), foreign.hash)

  const wrong = { email: 'ann@example.com', password: 'another long passphrase' }
  assert.equal((await world.nobody.post('/api/auth/sign-in', wrong, { 'guildhall-tenant': tenant.slug })).status, 401)
  assert.equal(await stored(), foreign.hash)
  for (const _ of ['by bcrypt', 'by Argon2id']) {
    assert.equal((await signIn(world, tenant, 'ann@example.com')).status, 200)
    assert.match((await stored()) ?? '', /^\$argon2id\$v=19\$m=19456,t=2,p=1\$/)
  }
})

test('a password longer than bcrypt reads keeps its bcrypt hash, because its end is unproven', async () => {
  const tenant = await world.tenant()
  const beginning = 'x'.repeat(72)
  const kept = hashSync(`${beginning} and its own end`, 4)
  await bring(world, tenant, { users: await file({ externalId: '1', email: 'ann@example.com', passwordHash: kept }) })
  for (const typed of [`${beginning} and another end`, beginning, `${beginning} and its own end`]) {
    const credentials = { email: 'ann@example.com', password: typed }
    const { status } = await world.nobody.post('/api/auth/sign-in', credentials, { 'guildhall-tenant': tenant.slug })
    assert.equal(status, 200, typed)
    assert.deepEqual(await query('select password_hash from users where tenant_id = $1', [tenant.id]), [
      { password_hash: kept },
    ])
  }
})

test('a repeated import changes nothing, and after an abort it imports the rest', async () => {
  const tenant = await world.tenant()
  const people = Array.from({ length: 1_500 }, (_, n) => ({
    externalId: `${n}`,
    email: `p${n}@example.com`,
    name: 'Pat',
  }))
  const paths = {
    users: await file(...people),
    organizations: await file({ externalId: 'a', name: 'Acme' }),
    memberships: await file(
      { organization: 'a', user: '1499', role: 'owner' },
      { organization: 'a', user: '7', role: 'admin' },
    ),
  }
  const stopping = new AbortController()
  const progress = { ...quiet, advance: () => stopping.abort(new TransferError('stopped')) }
  await assert.rejects(bring(world, tenant, paths, { progress, signal: stopping.signal }), /stopped/)
  const left = await query<{ count: string }>('select count(*) from users where tenant_id = $1', [tenant.id])
  assert.equal(left[0]?.count, '1000')

  const again = await bring(world, tenant, paths)
  assert.deepEqual(counts(again), [
    ['users', 500, 1_000, 0],
    ['organizations', 1, 0, 0],
    ['memberships', 2, 0, 0],
  ])
  await query(`update users set name = 'Changed since' where tenant_id = $1`, [tenant.id])
  const rows = () =>
    query(`select md5(string_agg(u::text, '' order by id)) from users u where tenant_id = $1`, [tenant.id])
  const entries = () =>
    query(`select details from audit_entries where tenant_id = $1 and action = 'tenant.imported' order by id`, [
      tenant.id,
    ])
  const before = [await rows(), await entries()]
  assert.deepEqual(
    before[1],
    [{ users: 1_000 }, { users: 500 }, { organizations: 1 }, { memberships: 1 }].map((details) => ({ details })),
  )
  assert.deepEqual(counts(await bring(world, tenant, paths)), [
    ['users', 0, 1_500, 0],
    ['organizations', 0, 1, 0],
    ['memberships', 0, 2, 0],
  ])
  assert.deepEqual([await rows(), await entries()], before)
})

test('a dry run creates nothing', async () => {
  const tenant = await world.tenant()
  const paths = {
    users: await file({ externalId: '1', email: 'ann@example.com', role: 'admin' }),
    organizations: await file({ externalId: 'a', name: 'Acme' }),
    memberships: await file({ organization: 'a', user: '1', role: 'owner' }),
  }
  const made = [
    ['users', 1, 0, 0],
    ['organizations', 1, 0, 0],
    ['memberships', 1, 0, 0],
  ]
  assert.deepEqual(counts(await bring(world, tenant, paths, { isTrial: true })), made)
  for (const table of [
    'users',
    'organizations',
    'memberships',
    'external_users',
    'external_organizations',
    'audit_entries',
  ])
    assert.deepEqual(
      await query(
        `select from ${table} where tenant_id = $1 ${table === 'audit_entries' ? `and action <> 'tenant.created'` : ''}`,
        [tenant.id],
      ),
      [],
      table,
    )
  assert.deepEqual(counts(await bring(world, tenant, paths)), made)
})

/** Imports a user and an organization in a trial, where transactions end in which nothing happens, and calls `pause` between two statements. */
async function tryWithPause(t: TestContext, pause: () => Promise<unknown>): Promise<number | undefined> {
  const tenant = await world.tenant()
  const files = {
    users: await file({ externalId: '1', email: 'ann@example.com' }),
    organizations: await file({ externalId: 'a', name: 'Acme' }),
    memberships: await file({ organization: 'a', user: '1', role: 'owner' }),
  }
  const { app, postgres } = world
  const url = new URL(postgres.url)
  url.searchParams.set('application_name', trial)
  const database = new Database(url.href, { timeouts: { ...patient, idle: 100 } })
  t.after(() => database.close())
  const report = await openReport(undefined)
  let paused: Promise<unknown> | undefined
  const settle = async () => {
    paused ??= pause()
    await paused
  }
  const options = {
    report: { ...report, settle },
    progress: quiet,
    isTrial: true,
    signal: new AbortController().signal,
  }
  await importFiles({ config: app.config, keyring: app.keyring, database }, tenant.id, files, options)
  return report.tallies.get('memberships')?.made
}

/** What PostgreSQL calls the connection of the trial, beside those of the world. */
const trial = 'a trial of an import'
const waiting = `from pg_stat_activity where application_name = '${trial}' and state = 'idle in transaction'`

test('a dry run goes on after a pause between two statements, such as for encoding pictures', async (t) => {
  const isOver = async () =>
    (await query(`select ${waiting} and state_change > now() - interval '1 second'`)).length === 0
  assert.equal(await tryWithPause(t, () => until(isOver, 'a second to pass, or the transaction to end')), 1)
})

test('a dry run that loses its connection says what has happened', async (t) => {
  const lose = async () => {
    assert.equal((await query(`select pg_terminate_backend(pid) ${waiting}`)).length, 1)
    await until(async () => (await query(`select ${waiting}`)).length === 0, 'the transaction to end')
  }
  await assert.rejects(tryWithPause(t, lose), /^TransferError: The trial was interrupted: .*connection/)
})

test('a slug that is made from a name does not take one that another row of the batch asks for', async () => {
  const tenant = await world.tenant()
  const report = await bring(world, tenant, {
    users: await file({ externalId: '1', email: 'ann@example.com' }),
    organizations: await file(
      { externalId: 'a', name: 'Acme Works' },
      { externalId: 'b', name: 'B', slug: 'acme-works' },
    ),
    memberships: await file(...['a', 'b'].map((organization) => ({ organization, user: '1', role: 'owner' }))),
  })
  assert.deepEqual(counts(report)[1], ['organizations', 2, 0, 0])
})

test('an organization whose slug is a word for pages is skipped, and a name of such a word gets a suffix', async () => {
  const tenant = await world.tenant()
  const report = await bring(world, tenant, {
    users: await file({ externalId: '1', email: 'ann@example.com' }),
    organizations: await file({ externalId: 'a', name: 'New' }, { externalId: 'b', name: 'B', slug: 'new' }),
    memberships: await file(...['a', 'b'].map((organization) => ({ organization, user: '1', role: 'owner' }))),
  })
  assert.deepEqual(counts(report)[1], ['organizations', 1, 0, 1])
  const lines = report.filter((line) => line.file === 'organizations' && 'row' in line)
  assert.deepEqual(lines, [{ file: 'organizations', row: 2, externalId: 'b', reason: 'slug_taken' }])
  const slugs = await world.postgres.query(`select slug from organizations where tenant_id = '${tenant.id}'`)
  assert.match(JSON.stringify(slugs), /"new-[a-z0-9]{6}"/)
})

test('two imports of the same files at once import everybody once', async () => {
  const tenant = await world.tenant()
  const names = Array.from({ length: 200 }, (_, n) => `${n}`)
  const users = await file(...names.map((externalId) => ({ externalId, email: `p${externalId}@example.com` })))
  const groups = {
    organizations: await file(...names.map((externalId) => ({ externalId, name: 'Acme' }))),
    memberships: await file(
      ...names.flatMap((organization) => ['1', '2'].map((user) => ({ organization, user, role: 'owner' }))),
    ),
  }
  for (const [paths, made] of [
    [{ users }, 200],
    [groups, 200 + 400],
  ] as const) {
    let done = 0
    const importing = () => bring(world, tenant, paths).finally(() => done++)
    const underWay = await world.database.inTenant(tenant.id, async (sql) => {
      await lockTenant(sql)
      const both = [importing(), importing()]
      await world.postgres.awaitLine(2, () => done)
      assert.equal(done, 0, 'both wait')
      return both
    })
    const reports = await Promise.all(underWay)
    assert.equal(
      reports.flatMap(counts).reduce((sum, line) => sum + line[1], 0),
      made,
    )
    assert.ok(!reports.flat().some(({ reason }) => reason))
  }
})

test('an import refuses external ids that the API refuses, and names them in no report', async () => {
  const tenant = await world.tenant()
  const tess = await world.tenantAdmin(tenant.slug)
  const ids = ['left\u200eto right', 'two\u2028lines', '  ', '\u2800']
  for (const externalId of ids) {
    const { status } = await tess.patch(`/api/admin/users/${tess.id}`, { externalId })
    assert.equal(status, 400, JSON.stringify(externalId))
  }

  const report = await bring(world, tenant, {
    users: await file(...ids.map((externalId, row) => ({ externalId, email: `p${row}@example.com` }))),
    organizations: await file(...ids.map((externalId) => ({ externalId, name: 'Acme' }))),
    memberships: await file({ organization: 'a', user: ids[0], role: 'owner' }),
  })

  const invalid = (column: string) => ({ reason: 'invalid', faults: [{ column, code: 'invalid_format' }] })
  const row = (file: string, row: number) => ({ file, row })
  assert.deepEqual(
    report.filter((line) => 'row' in line),
    [
      ...['users', 'organizations'].flatMap((file) =>
        ids.map((_, at) => ({ ...row(file, at + 1), ...invalid('externalId') })),
      ),
      { ...row('memberships', 1), organization: 'a', ...invalid('user') },
    ],
  )
})

test('an imported admin ends the set-up link', async () => {
  const tenant = await world.tenant()
  assert.ok(await renewSetUpLink(world.database, world.app.config, tenant))
  await bring(world, tenant, { users: await file({ externalId: '1', email: 'ann@example.com', role: 'admin' }) })
  assert.deepEqual(await query('select from set_up_links where tenant_id = $1', [tenant.id]), [])
})

test('an address that somebody may still take back cannot be imported for anybody else', async () => {
  const tenant = await world.tenant()
  const ann = await world.person('Ann', { tenant: tenant.slug })
  await query(
    `insert into mailed_tokens (tenant_id, user_id, purpose, email, expires_at)
     values ($1, $2, 'undo_email_change', 'before@example.com', now() + interval '1 day')`,
    [tenant.id, ann.id],
  )
  const [line] = await bring(world, tenant, { users: await file({ externalId: '1', email: 'before@example.com' }) })
  assert.equal(line.reason, 'email_taken')
})

test('organizations with large logos are imported in several parts', async () => {
  const tenant = await world.tenant()
  // A row of an export: it is decoded, and keeps its bytes.
  const raw = { width: 300, height: 200, channels: 4 } as const
  const logo = (
    await sharp(randomBytes(300 * 200 * 4), { raw })
      .webp({ lossless: true })
      .toBuffer()
  ).toString('base64')
  const names = Array.from({ length: Math.ceil(mostCharacters / logo.length) + 1 }, (_, n) => `${n}`)
  const files = {
    users: await file({ externalId: '1', email: 'ann@example.com' }),
    organizations: await file(...names.map((externalId) => ({ externalId, name: 'Acme', logo }))),
    memberships: await file(...names.map((organization) => ({ organization, user: '1', role: 'owner' }))),
  }
  let label = ''
  const done: number[] = []
  const begin = (kind: string) => {
    label = kind
  }
  const advance = (_: number, rows: number) => {
    if (label === 'organizations') done.push(rows)
  }
  const report = await bring(world, tenant, files, { progress: { ...quiet, begin, advance } })
  assert.deepEqual(counts(report)[1], ['organizations', names.length, 0, 0])
  assert.deepEqual(done, [names.length - 1, names.length])
  const [stored] = await query<{ length: number }>(
    'select max(length(content)) as length from pictures where tenant_id = $1',
    [tenant.id],
  )
  assert.equal(stored?.length, Buffer.from(logo, 'base64').length)
})

const hostile = {
  'an object with a toString': '{"toString":1}',
  'an array of many levels': `${'['.repeat(10_000)}${']'.repeat(10_000)}`,
}
for (const [what, organization] of Object.entries(hostile)) {
  test(`${what} in place of an organization makes its row invalid, and no other`, async () => {
    const memberships = newPath('ndjson')
    await writeFile(
      memberships,
      `{"organization":${organization},"user":"1","role":"owner"}\n{"organization":"a","user":"1","role":"owner"}\n`,
    )
    const report = await bring(world, await world.tenant(), {
      users: await file({ externalId: '1', email: 'ann@example.com' }),
      organizations: await file({ externalId: 'a', name: 'Acme' }),
      memberships,
    })
    assert.deepEqual(counts(report), [
      ['users', 1, 0, 0],
      ['organizations', 1, 0, 0],
      ['memberships', 1, 0, 1],
    ])
  })
}
