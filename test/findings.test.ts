/** Our own checks: that they find what they are for, in the files of the repository and in nothing else that stands in its folder. */
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { type TestContext, test } from 'node:test'

/** A folder with our checks and what is put into it. */
function makeFolder(t: TestContext) {
  const folder = mkdtempSync(join(tmpdir(), 'guildhall-findings-'))
  t.after(() => rmSync(folder, { recursive: true }))
  const put = (path: string, content: string | object) => {
    mkdirSync(dirname(join(folder, path)), { recursive: true })
    writeFileSync(join(folder, path), typeof content === 'string' ? content : JSON.stringify(content))
  }
  for (const file of [
    'citus.ts',
    'findings.ts',
    'groups.ts',
    'house.ts',
    'lengths.ts',
    'lock.ts',
    'mutation-parts.ts',
    'sleeps.ts',
    'statements.ts',
    'supply.ts',
    'tree.ts',
    'writers.ts',
  ])
    cpSync(join(import.meta.dirname, '../tools', file), join(folder, 'tools', file))
  put('package.json', { type: 'module' })
  put('.gitignore', '.env\n')
  /** @returns the findings of a check, in order */
  const run = (
    file: 'citus' | 'findings' | 'house' | 'lengths' | 'mutation-parts' | 'sleeps' | 'statements' | 'supply',
    check: string,
  ) => {
    const script = `import('./tools/${file}.ts').then(async (checks) => console.log(await checks.${check}()))`
    const found = execFileSync(process.execPath, ['--eval', script], { cwd: folder, encoding: 'utf8' })
    return found.trim().split('\n').filter(Boolean).sort()
  }
  return { folder, put, run }
}

for (const place of ['a repository', 'an archive without git']) {
  test(`in ${place} the checks read our own files, and not the data of a service that runs there`, (t) => {
    const { folder, put, run } = makeFolder(t)
    const foreign = ['', 'home', 'ann', 'guildhall'].join('/')
    put('kept.md', foreign)
    if (place === 'a repository') {
      put('deleted.md', foreign)
      execFileSync('git', ['init', '--quiet'], { cwd: folder })
      execFileSync('git', ['add', '.'], { cwd: folder })
      rmSync(join(folder, 'deleted.md'))
    }
    put('new.md', foreign)
    put('.env', foreign)
    put('data2/.gitignore', '*\n')
    put('data2/postgres.log', foreign)
    symlinkSync(tmpdir(), join(folder, 'link'))

    assert.deepEqual(run('findings', 'findForeignPaths'), [`kept.md:1: ${foreign}`, `new.md:1: ${foreign}`])
  })
}

test('a requirement without a test, or with a missing test or file, is found', (t) => {
  const { put, run } = makeFolder(t)
  put('src/kept.ts', '')
  put(
    'src/a.test.ts',
    [
      `test('it\\'s \`%\`', f)`,
      `test(\`\${what}: ends by \${when}\`, f)`,
      `// test('off', f)`,
      `await f() // test('aside', f)`,
      `/*\ntest('blocked', f)\n*/`,
      `const files = 'src/**/*.test.ts'`,
    ].join('\n'),
  )
  put(
    'docs/security/asvs.md',
    [
      'Prose names `src/kept.ts` and `If-Match`.',
      '',
      '| Id | Where | Shown by |',
      '| --- | --- | --- |',
      "| 1 | `src/kept.ts` | `src/a.test.ts` “…: ends by …”, “it's `%`” |",
      '| 2 | `src/gone.ts` | `src/a.test.ts` “…: ends by …” |',
      '| 3 | `src/kept.ts` | `src/a.test.ts` “…: ends” |',
      '| 4 | `src/kept.ts` | `src/a.test.ts` |',
      '| 5 | `src/kept.ts` | “…: ends by …” |',
      '| 6 | `src/kept.ts` | `src/a.test.ts` “off”, “aside”, “blocked” |',
      '',
      '| Id | Where |',
      '| --- | --- |',
      '| 7 | `src/kept.ts` |',
    ].join('\n'),
  )

  assert.deepEqual(run('findings', 'findUnshownRequirements'), [
    'docs/security/asvs.md:10: no “aside” in src/a.test.ts',
    'docs/security/asvs.md:10: no “blocked” in src/a.test.ts',
    'docs/security/asvs.md:10: no “off” in src/a.test.ts',
    'docs/security/asvs.md:6: there is no src/gone.ts',
    'docs/security/asvs.md:7: no “…: ends” in src/a.test.ts',
    'docs/security/asvs.md:8: names no test in its last column',
    'docs/security/asvs.md:9: no “…: ends by …” in src/kept.ts',
  ])
})

test('cryptography, random numbers, connections and code from text outside the lists are found', (t) => {
  const { put, run } = makeFolder(t)
  put('src/tokens.ts', `import { randomUUID } from 'node:crypto'\n`)
  put('src/dice.ts', 'export const wait = Math.random()\n')
  put('src/dice.test.ts', 'export const address = Math.random()\n')
  put('src/hook.ts', 'await fetch(url)\n')
  put('console/page.tsx', 'await fetch(url)\n')
  put('src/rules.ts', 'export const judge = new Function(text)\n')
  put('src/sandbox.ts', `import { runInNewContext } from 'node:vm'\n`)
  const added = (check: string) =>
    run('findings', check)
      .filter((line) => line.endsWith('but is not listed'))
      .map((line) => line.split(' ')[0])

  assert.deepEqual(added('findUnlistedCryptography'), ['src/dice.ts', 'src/tokens.ts'])
  assert.deepEqual(added('findUnlistedConnections'), ['src/hook.ts'])
  assert.deepEqual(added('findCodeFromText'), ['src/rules.ts', 'src/sandbox.ts'])
})

test('the licences of everything shipped are checked, through all its dependencies', (t) => {
  const { put, run } = makeFolder(t)
  put('package-lock.json', {
    packages: {
      '': { dependencies: { a: '1', builds: '1', nested: '1', 'nested-too': '1' }, devDependencies: { tool: '1' } },
      console: { devDependencies: { page: '1', '@fontsource-variable/inter': '1' } },
      'node_modules/a': { license: '(MIT OR GPL-3.0)', dependencies: { b: '1' } },
      'node_modules/a/node_modules/b': { license: 'AGPL-3.0' },
      'node_modules/b': { license: 'ISC' },
      'node_modules/builds': { license: 'Apache-2.0', optionalDependencies: { '@builds/linux': '1' } },
      'node_modules/@builds/linux': { optional: true },
      'node_modules/page': { license: 'MIT AND CC-BY-3.0', peerDependencies: { nameless: '1' } },
      'node_modules/nameless': {},
      'node_modules/@fontsource-variable/inter': { license: 'OFL-1.1' },
      'node_modules/tool': { license: 'GPL-3.0' },
      'node_modules/nested': { license: '(MIT OR GPL-3.0) AND GPL-3.0' },
      'node_modules/nested-too': { license: 'GPL-3.0 AND (ISC OR MIT OR 0BSD)' },
    },
  })

  assert.deepEqual(run('supply', 'findForeignLicences'), [
    'b: AGPL-3.0',
    'nameless: has no known licence',
    'nested-too: GPL-3.0 AND (ISC OR MIT OR 0BSD)',
    'nested: (MIT OR GPL-3.0) AND GPL-3.0',
    'page: MIT AND CC-BY-3.0',
  ])
})

test('unpinned packages and install scripts are found', (t) => {
  const { put, run } = makeFolder(t)
  const version = '1.0.0'
  const integrity = `sha512-${'a'.repeat(86)}==`
  const elsewhere = { version, optional: true, os: ['darwin'], cpu: ['arm64'] }
  for (const folder of ['bench', 'tools/helm', 'tools/on-demand']) {
    put(`${folder}/package.json`, {})
    put(`${folder}/package-lock.json`, { packages: {} })
  }
  put('package.json', { type: 'module', workspaces: ['console'], allowScripts: { decided: false } })
  put('console/package.json', { name: '@ours/console' })
  put('package-lock.json', {
    packages: {
      '': {},
      console: { version: '' },
      'node_modules/@ours/console': { resolved: 'console', link: true },
      'node_modules/folder': { resolved: 'tools/folder', link: true },
      'node_modules/taken': { resolved: 'console', link: true },
      'node_modules/file': { version, integrity, resolved: 'file:tools/file.tgz' },
      'node_modules/path': { version, integrity, resolved: 'tools/path.tgz' },
      'node_modules/right': { version, integrity, optionalDependencies: { '@right/mac': version } },
      'node_modules/@right/mac': elsewhere,
      'node_modules/@wrong/mac': elsewhere,
      'node_modules/@right/linux': { version, optional: true, os: ['linux'], cpu: ['x64'] },
      'node_modules/loose': { version: '^1.0.0', integrity },
      'node_modules/weak': { version, integrity: 'sha1-aaaa' },
      'node_modules/alias': { version, integrity, name: 'other' },
      'node_modules/decided': { version, integrity, hasInstallScript: true },
      'node_modules/x/node_modules/runs': { version, integrity, hasInstallScript: true },
    },
  })

  assert.deepEqual(run('supply', 'findLooseLocks'), [
    'package-lock.json: node_modules/@right/linux has no SHA-512',
    'package-lock.json: node_modules/@wrong/mac has no SHA-512',
    'package-lock.json: node_modules/alias is other',
    'package-lock.json: node_modules/file comes from file:tools/file.tgz; it must come from the registry',
    'package-lock.json: node_modules/folder comes from tools/folder; it must come from the registry',
    'package-lock.json: node_modules/folder has no SHA-512',
    'package-lock.json: node_modules/folder has no exact version',
    'package-lock.json: node_modules/folder is a link, but not to the workspace of its name',
    'package-lock.json: node_modules/loose has no exact version',
    'package-lock.json: node_modules/path comes from tools/path.tgz; it must come from the registry',
    'package-lock.json: node_modules/taken comes from console; it must come from the registry',
    'package-lock.json: node_modules/taken has no SHA-512',
    'package-lock.json: node_modules/taken has no exact version',
    'package-lock.json: node_modules/taken is a link, but not to the workspace of its name',
    'package-lock.json: node_modules/weak has no SHA-512',
    'package-lock.json: node_modules/x/node_modules/runs has an install script: decide in allowScripts of package.json whether it may run',
  ])
})

test('a migration that removes something names the code that can do without it', (t) => {
  const { put, run } = makeFolder(t)
  put('migrations/0015_older.sql', 'drop table mails;')
  put(
    'migrations/0016_addition.sql',
    '-- Once the old one will be dropped: drop column name.\nalter table users add column label text;',
  )
  put('migrations/0017_removal.sql', '-- needs 0016\nalter table users drop column name;')
  put('migrations/0018_narrowing.sql', 'alter table users\n  alter column label set not null;')
  const [found, ...more] = run('findings', 'findBreakingMigrations')
  assert.match(found ?? '', /^migrations\/0018_narrowing\.sql takes something away/)
  assert.deepEqual(more, [])
})

test('a file that is too long is found, and one that is nearly so is named', (t) => {
  const { put, run } = makeFolder(t)
  const lines = (count: number) => 'x\n'.repeat(count)
  put('src/short.ts', lines(250))
  put('src/warned.ts', lines(350))
  put('src/long.ts', lines(351))
  put('src/short.test.ts', lines(400))
  put('src/warned.test.ts', lines(401))
  put('console/long.test.ts', lines(551))
  put('client/src/openapi.d.ts', lines(1000))
  put('docs/any.md', lines(1000))

  assert.deepEqual(run('lengths', 'findLongFiles'), [
    '                src/warned.ts has 350 lines; the most is 350.',
    'console/long.test.ts has 551 lines, and may have 550: split it by noun',
    'src/long.ts has 351 lines, and may have 350: split it by noun',
    'src/warned.test.ts has 401 lines; the most is 550.',
  ])
})

test('a table written from an unlisted file is found, and so is a listed file that no longer writes it', (t) => {
  const { put, run } = makeFolder(t)
  put('src/domain/people/make-user.ts', 'sql`insert into users (id) values (1)`')
  put('src/features/me/nickname.ts', 'sql`\n  update users set nickname = null`')

  const found = run('house', 'findForeignWriters')

  assert.ok(found.includes('users src/features/me/nickname.ts: writes the table, but is not listed'))
  assert.ok(found.includes('sessions src/domain/sessions/completion.ts: is listed, but does not write the table'))
  assert.ok(!found.some((line) => line.includes('make-user.ts')))
})

test('a table of a migration that has no list of writers is found, and so is what writes it', (t) => {
  const { put, run } = makeFolder(t)
  put('migrations/0001_things.sql', 'create table users (id text);\ncreate table things (id text);')
  put('src/features/me/things.ts', 'sql`insert into things (id) values (1)`')
  put(
    'src/features/me/merging.ts',
    'sql`\n  merge into users u\n  using things t on t.id = u.id\n  when matched then delete`',
  )

  const found = run('house', 'findForeignWriters').filter((line) => !line.includes('is listed'))

  assert.deepEqual(found, [
    'things migrations/0001_things.sql: makes the table, whose writers are not listed',
    'things src/features/me/things.ts: writes the table, but is not listed',
    'users src/features/me/merging.ts: writes the table, but is not listed',
  ])
})

test('a file that is gone is found among the parts of npm run mutation', (t) => {
  const { put, run } = makeFolder(t)
  put('src/domain/permissions/held.ts', '')

  const found = run('mutation-parts', 'findGoneParts')

  const gone = (file: string) =>
    `tools/mutation-parts.ts: the part permissions names src/domain/permissions/${file}, which is not there`
  assert.deepEqual(
    found.filter((line) => line.includes('src/domain/permissions/')),
    [gone('roles.ts'), gone('rules.ts'), gone('scopes.ts')],
  )
})

test('a session that is ended beside the one function for it is found', (t) => {
  const { put, run } = makeFolder(t)
  put('src/domain/sessions/endings.ts', 'sql`update sessions s set ended_at = now()`')
  put('src/domain/sessions/uses.ts', 'sql`update sessions set last_active_at = now() where ended_at is null`')
  put('src/features/me/leaving.ts', 'sql`\n  update sessions s\n  set network = null, ended_at = now()`')

  assert.deepEqual(run('statements', 'findForeignEndings'), [
    'src/features/me/leaving.ts: ends sessions, but not by endSessions',
  ])
})

test('a test that sleeps for a time is found', (t) => {
  const { put, run } = makeFolder(t)
  put('src/features/me/slow.test.ts', `await setTimeout(${300})`)
  put('client/src/slow.test.ts', `await new Promise((done) => setTimeout(() => end(done()), ${20}))`)
  put('test/scattered.ts', `setTimeout(round % ${7}).then(act)`)
  put('test/slow.ts', `setTimeout(\n  () => {\n    end(all())\n  },\n  ${2} * ${1_000},\n)`)
  put(
    'test/patient.ts',
    "await until(isDone, 'the end')\nawait setTimeout(pause)\nsetTimeout(() => end(1, 2), timeout)",
  )
  put('src/features/me/profile.ts', `await setTimeout(${300})`)

  const found = run('sleeps', 'findSleeps').filter((line) => !line.includes('is listed'))

  assert.deepEqual(
    found,
    ['client/src/slow.test.ts', 'src/features/me/slow.test.ts', 'test/scattered.ts', 'test/slow.ts'].map(
      (file) => `${file} sleeps for a time: wait for a condition`,
    ),
  )
})

test('statements in Promise.all, a request below the routes and a circle of folders are found', (t) => {
  const { put, run } = makeFolder(t)
  put('src/features/me/both.ts', 'await Promise.all([sql`select 1`, sql`select 2`])\nawait Promise.all(timers)')
  put('src/domain/people/asked.ts', "import type { FastifyRequest } from 'fastify'\nimport { a } from '../record/a.ts'")
  put('src/domain/record/a.ts', "import { asked } from '../people/asked.ts'")
  put('src/domain/access/door.ts', "import type { FastifyRequest } from 'fastify'")

  assert.deepEqual(run('house', 'findLooseStatements'), ['src/features/me/both.ts:1: sends statements by Promise.all'])
  assert.deepEqual(run('house', 'findRequestsBelowRoutes'), [
    'src/domain/people/asked.ts knows a FastifyRequest or FastifyReply',
  ])
  assert.deepEqual(run('house', 'findFolderCircles'), [
    'src/domain/people needs itself by way of other folders',
    'src/domain/record needs itself by way of other folders',
  ])
})

test('a line of SQL that is too wide is found, and no other wide line', (t) => {
  const { put, run } = makeFolder(t)
  const wide = 'x'.repeat(130)
  put('src/features/me/wide.ts', `await sql<{ id: string }>\`\n  select ${wide} from users\``)
  put(
    'src/features/me/nested.ts',
    `statement\`select 1 ${'${'}a ? statement\`x ${'${'}b}\` : {}}\n  and ${wide} = 1234\``,
  )
  put('src/features/me/narrow.ts', `statement\`select 1\`\n// ${wide} from a comment\nconst text = '${wide} select'`)

  assert.deepEqual(run('statements', 'findWideStatements'), [
    'src/features/me/nested.ts:2: a line of SQL has more than 140 columns',
    'src/features/me/wide.ts:2: a line of SQL has more than 140 columns',
  ])
})

const value = '$' + '{t}'
/** What Citus refuses: a statement for each rule, with ? for a value, and a part of the sentence. */
const refusedByCitus = [
  ['insert into mails (tenant_id, id) values (?, (select max(id) from mails))', 'a subquery in `insert … values`'],
  ['insert into mails (id, tenant_id) select m.tenant_id, ? from mails m', 'is not the `tenant_id` of a selected row'],
  ['insert into mails (tenant_id, id) select t.id, 1 from tenants t where t.id = ?', 'without `on conflict`'],
  ['insert into mails (tenant_id, id) select m.tenant_id, x from mails m cross join unnest(?) x', 'from `unnest`'],
  ['insert into mails (tenant_id, id) select tenant_id, 1 from mails returning id', '`insert … select … returning`'],
  [
    'insert into mails (tenant_id, id) select m.tenant_id, 1 from mails m join users u on true on conflict on constraint k do nothing',
    '`on conflict on constraint`',
  ],
  [
    'insert into mails (tenant_id, id) values (?, 1) on conflict (tenant_id, id) do update set at = now()',
    'take `excluded`',
  ],
  [
    'insert into mails (tenant_id, id) values (?, 1) on conflict (tenant_id, id) do update set n = 1 where mails.at < current_timestamp',
    'take `excluded`',
  ],
  [
    "insert into mails (tenant_id, id) values (?, 1) on conflict (tenant_id, id) do update set at = excluded.at + interval '1 s'",
    "`at time zone 'UTC'`",
  ],
  ['update mails m set at = coalesce(m.at, now()) where m.tenant_id = ?', 'take `least`'],
  ['update mails set at = case when a then at else now() end where tenant_id = ?', 'take `least`'],
  ["delete from mails where tenant_id = ? and at + interval '1 day' < now()", "`at time zone 'UTC'`"],
  ['delete from mails where tenant_id = ? returning now() as deleted_at', '`returning`'],
  ["select case kind when 'a' then 1 end from mails", 'write `case when … =`'],
  [
    'select (select count(*) from mails m where m.tenant_id = u.tenant_id) from users u where u.tenant_id = ?',
    'name the tenant itself',
  ],
  ['insert into mails (tenant_id, id) ?', 'write them in one template'],
  ['insert into ? (tenant_id, id) values (?, 1)', 'without the names of its table and columns'],
  ['insert into mails (?) values (?, 1)', 'without the names of its table and columns'],
  ['insert into mails values (?, 1)', 'without the names of its table and columns'],
  ['insert into public.mails (tenant_id) select ?', 'without the names of its table and columns'],
  ['update mails set id = gen_random_uuid() where tenant_id = ?', 'a volatile function'],
  ['select from tenants where id = ? for no key update', 'take `lockTenant`'],
  [
    'select (select 1 from mails m join tenants t on t.id = m.tenant_id for share of m, t) from users',
    'take `lockTenant`',
  ],
  [`\${f} \${a > 0 && statement\`select ?, 1 from mails\`}`, 'is not the `tenant_id` of a selected row'],
] as const

for (const [text, rule] of refusedByCitus) {
  test(`a statement that Citus refuses is found: ${text}`, (t) => {
    const { put, run } = makeFolder(t)
    put(
      'src/a.ts',
      `const f = statement\`insert into mails (tenant_id, id)\`\nawait sql<Row>\`\n  ${text.replaceAll('?', value)}\``,
    )

    const [found, ...others] = run('citus', 'findWhatCitusRefuses')

    assert.ok(found?.startsWith('src/a.ts:3: ') && found.includes(rule), found)
    assert.deepEqual(others, [])
  })
}

test('a null in the condition of a left join is found, which makes Citus crash', (t) => {
  const { put, run } = makeFolder(t)
  const joined = (value: string, space = ' ') =>
    `statement\`select from tenants t\n  left join mails m on m.tenant_id = t.id${space}and m.id = ${value}\``
  const [ofNull, others] = ['$' + '{id ?? null}', '$' + "{id ?? ''}"]
  put('src/a.ts', `${joined(ofNull)}\n${joined(others)}\n${joined(ofNull, '\n')}\n${joined(`1 where id = ${ofNull}`)}`)

  const rule = 'null in the condition of a left join: take a value that no row has'
  assert.deepEqual(run('citus', 'findWhatCitusRefuses'), [`src/a.ts:2: ${rule}`, `src/a.ts:6: ${rule}`])
})

test('a statement is found by which a client asks, too', (t) => {
  const { put, run } = makeFolder(t)
  put('src/a.ts', `await client.query(\`\n  insert into mails (tenant_id, id) select ${value}, 1\`)`)

  assert.equal(run('citus', 'findWhatCitusRefuses').length, 1)
})

test('a setting of which the workers of a cluster do not learn is found', (t) => {
  const { put, run } = makeFolder(t)
  put(
    'src/a.ts',
    "sql`select set_config('guildhall.tenant', '', true)`\nsql`set local lock_timeout = 0`\nsql`\n  select set_config('lock_timeout', '0', true)`",
  )

  assert.deepEqual(run('citus', 'findWhatCitusRefuses'), ['src/a.ts:4: set_config(): write `set local`'])
})

test('a migration that Citus refuses is found, unless it was released before the rules', (t) => {
  const { put, run } = makeFolder(t)
  const key = (end: string) => `  foreign key (tenant_id, by)\n    references users (tenant_id, id) on delete ${end}`
  put('migrations/0004_older.sql', `create table a (\n${key('set null (by)')}\n);`)
  put(
    'migrations/0043_cascade.sql',
    `create table a (\n${key('cascade')},\n  c int default null\n); -- on delete set null`,
  )
  put('migrations/0044_set_null.sql', `create table a (\n${key('set null (by)')}\n);`)
  put('migrations/0045_insertion.sql', 'select 1;\ninsert into a (tenant_id, n) select id, 1 from tenants;')
  put('migrations/0046_body.sql', `do $$ begin perform 1; end $$;\ndo $do$ begin\n  perform 1;\nend $do$;`)

  assert.deepEqual(run('citus', 'findWhatCitusRefuses'), [
    'migrations/0044_set_null.sql:2: `on delete set null` in a key with `tenant_id`: let the code do it',
    'migrations/0045_insertion.sql:2: the tenant of `insert … select` is not the `tenant_id` of a selected row',
    'migrations/0046_body.sql:2: a body of several lines: on a cluster, each of its statements would run alone',
  ])
})

test('a statement that Citus takes is not found', (t) => {
  const { put, run } = makeFolder(t)
  const taken = [
    "insert into mails (tenant_id, id) values (?, coalesce(?, now())) on conflict (tenant_id, id) do update set at = (excluded.at at time zone 'UTC' + make_interval(secs => 1)) at time zone 'UTC' returning id",
    'insert into mails (tenant_id, id) select t.id, r.id from tenants t cross join jsonb_to_recordset(?) as r (id text) where t.id = ? on conflict do nothing',
    'insert into mails (tenant_id, id, n) select m.tenant_id, 1, (select now()) from users m where m.tenant_id = ?',
    "update mails set at = least(at, now()), n = coalesce(n, (select now() + interval '1 s')) where tenant_id = ? and at < now() - interval '1 day'",
    'select case when kind = ? then 1 end, (select count(*) from mails m join users u on u.tenant_id = m.tenant_id where m.tenant_id = ?) from users',
    'select array(select domain from tenant_domains d where d.tenant_id = t.id) from tenants t',
    'select from mails m join tenants t on t.id = m.tenant_id where m.tenant_id = ? for update of m skip locked',
    'select from mails where tenant_id = ? and exists (select from tenants t where t.id = ?) for update',
    'update rates set at = coalesce(at, now())',
    'insert into rates (key, at) select key, now() from unnest(?) key on conflict (key) do update set at = now() returning at',
  ]
  put('src/a.ts', taken.map((text) => `await sql\`${text.replaceAll('?', value)}\``).join('\n'))
  put('src/a.test.ts', 'sql`insert into mails (tenant_id, id) select 2, 1`')

  assert.deepEqual(run('citus', 'findWhatCitusRefuses'), [])
})

test('a call by HTTP beside the one way out is found', (t) => {
  const { put, run } = makeFolder(t)
  put('src/platform/outbound/outbound.ts', `import https from 'node:https'`)
  put('src/features/a.ts', `import { type IncomingMessage, request } from 'node:http'`)
  put('src/features/b.ts', `await fetch(url)`)
  put('src/features/c.ts', `import { createServer, type IncomingMessage } from 'node:http'`)
  put('src/features/d.ts', `import * as http from 'http'`)
  put('src/features/e.ts', `const { get } = await import('node:https')`)

  const found = run('findings', 'findUnlistedConnections').map((line) => line.replace(/ .*/, ''))

  for (const letter of ['a', 'b', 'd', 'e']) assert.ok(found.includes(`src/features/${letter}.ts`), letter)
  assert.equal(found.filter((path) => path === 'src/features/c.ts').length, 1) // knows the network, but calls nobody
})
