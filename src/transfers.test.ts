/** Import and export as the operator meets them. */
import assert from 'node:assert/strict'
import { readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { makeFolder, run } from '../test/processes.ts'

test('the commands tell how far they are and what became of the rows, and end with 1 where they could not go on', async () => {
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
users                    1  invalid: A value does not fit its column.
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
  for (const [args, message] of [
    [exported, /^guildhall: out\.csv: there is such a file already\.$/m],
    [['import', '--users', path('none.csv')], /^guildhall: none\.csv: it cannot be opened \(ENOENT\)\.$/m],
  ] as const) {
    const { code, err } = await guildhall(...args)
    assert.equal(code, 1)
    assert.match(err, message)
    assert.doesNotMatch(err, /\n\s+at /, 'no stack')
  }
})
