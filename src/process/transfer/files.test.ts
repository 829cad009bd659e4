/** Files: what of them is read, replaced and left as it is. */
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { link, open, readFile, stat, symlink, unlink, writeFile } from 'node:fs/promises'
import { Readable } from 'node:stream'
import { test } from 'node:test'
import { timeout } from '../../../test/timeout.ts'
import { file, newPath } from '../../../test/transfers.ts'
import { checkRecords, readRecords, writeRecords } from './files.ts'
import { openReport } from './report.ts'
import { columnsOf } from './rows.ts'

async function recordsOf(path: string, columns = columnsOf('users')) {
  const records = []
  for await (const record of readRecords(path, columns)) records.push(record)
  return records
}

test('a pipe cannot be imported, because files are read twice', { timeout }, async () => {
  const path = newPath('ndjson')
  execFileSync('sh', ['-c', 'mkfifo "$0"', path])
  await assert.rejects(checkRecords(path, columnsOf('users')), /\.ndjson: this is not a regular file/)
})

test('a CSV file needs a header line, and an error about that line does not repeat its content', async () => {
  const empty = newPath('csv')
  await writeFile(empty, '')
  await assert.rejects(
    checkRecords(empty, columnsOf('users')),
    /the file is empty\. Its first line must name the columns/,
  )
  await assert.rejects(
    checkRecords(await file('7,ann@example.com,$2b$04$secret'), columnsOf('users')),
    ({ message }: Error) => /an unknown column in position 1\./.test(message) && !/ann|secret/.test(message),
  )
})

test('a file that Excel wrote is read, whatever separates its values, and its empty rows and columns are none', async () => {
  const expected = [
    { number: 1, fields: { externalId: '1', email: 'ann@example.com', name: 'Novák; Ann, "A"' } },
    { number: 3, fields: { externalId: '2', email: 'ben@example.com', name: '' } },
    { number: 5, fields: undefined },
  ]
  for (const separator of [',', ';', '\t']) {
    const header = ['externalId', '"email"', 'name', '', ''].join(separator)
    const ann = ['1', 'ann@example.com', '"Novák; Ann, ""A"""', '', ''].join(separator)
    const ben = ['2', 'ben@example.com', ''].join(separator)
    const nobody = separator.repeat(4)
    const malformed = ['3', 'cleo@example.com', '', 'more'].join(separator)
    const path = newPath('csv')
    await writeFile(path, `\ufeff${[nobody, header, ann, nobody, ben, nobody, malformed, nobody].join('\r\n')}`)
    const records = await recordsOf(path)
    assert.deepEqual(
      records.map(({ number, fields }) => ({ number, fields })),
      expected,
      JSON.stringify(separator),
    )
  }
})

test('a CSV file of nothing but separators is empty, whichever they are', async () => {
  for (const line of [',,,', ';;;', '\t\t\t', '"";"";""', ' ; ; '])
    await assert.rejects(checkRecords(await file(line, line), columnsOf('users')), /: the file is empty\./, line)
})

test('if a CSV file names no known column, the message says by what it was separated', async () => {
  for (const [header, separated] of [
    ['id;mail', 'It was read as separated by semicolons'],
    ['id\tmail', 'It was read as separated by tabs'],
    ['id,mail', 'It was read as separated by commas'],
    ['"a,b,c";mail', 'It was read as separated by semicolons'],
    ['externalId|email', 'It has no commas, semicolons or tabs between names'],
  ] as const)
    await assert.rejects(
      checkRecords(await file(header, '1'), columnsOf('users')),
      ({ message }: Error) => message.includes(`has an unknown column in position 1. ${separated}. The columns are`),
      header,
    )
})

test('a CSV file may have spaces around the names of its columns, and Excel’s first line about the separator', async () => {
  for (const [separator, ...beginning] of [
    [';', 'externalId; email '],
    ['\t', ' externalId \t email'],
    [';', 'sep=;', 'externalId;email'],
    ['|', '\ufeffSEP=|\r', 'externalId|email\r'],
    [',', '"sep=,"', 'externalId,email'],
  ] as const) {
    const path = newPath('csv')
    await writeFile(path, [...beginning, `1${separator}ann@example.com`].join('\n'))
    const records = await recordsOf(path)
    const expected = [{ number: 1, fields: { externalId: '1', email: 'ann@example.com' }, isText: true }]
    assert.deepEqual(records, expected, beginning.join())
  }
  await assert.rejects(recordsOf(await file('sep=;', 'externalId;email', '1;a"b')), /: line 3 is not valid CSV/)
  await assert.rejects(recordsOf(await file('sep=;', ';;')), /: the file is empty\./)
})

test('values may contain the other separators, and a file of one column is read', async () => {
  const path = await file('externalId,email', '"a;b\tc",ann@example.com', 'd;e,ben@example.com')
  const ids = (await recordsOf(path)).map(({ fields }) => fields?.externalId)
  assert.deepEqual(ids, ['a;b\tc', 'd;e'])
  const single = await file('email', 'ann@example.com')
  const [record] = await recordsOf(single, { ...columnsOf('users'), required: ['email'] })
  assert.deepEqual(record?.fields, { email: 'ann@example.com' })
})

test('a file that is written is on the disk before it gets its name', async (t) => {
  const [part, path] = [newPath('part'), newPath('csv')]
  const handle = await open(part, 'w')
  const syncing = t.mock.method(Object.getPrototypeOf(handle), 'sync')
  await handle.close()
  await unlink(part)
  const records = Readable.from([{ externalId: '1', email: 'ann@example.com' }])
  await writeRecords({ part, path }, ['externalId', 'email'], records, new AbortController().signal)
  assert.equal(syncing.mock.callCount(), 1)
  assert.equal(await readFile(part, 'utf8'), 'externalId,email\r\n1,ann@example.com\r\n')
})

test('a report replaces an older one, and only its owner can read it', async () => {
  const path = newPath('report')
  await writeFile(path, 'older\n', { mode: 0o644 })
  const report = await openReport(path)
  report.begin('users')
  await report.close(true)
  assert.equal((await stat(path)).mode & 0o777, 0o600)
  assert.match(await readFile(path, 'utf8'), /^\{"file":"users".*\}\n$/)
})

test('a report never replaces a file to import, under any name, nor a link or a device', async () => {
  const input = await file({ externalId: '1', email: 'ann@example.com' })
  const [linked, hard, elsewhere] = [newPath('ndjson'), newPath('report'), newPath('report')]
  await symlink(input, linked)
  await link(input, hard)
  await symlink(input, elsewhere)
  const text = await readFile(input, 'utf8')
  for (const [path, read] of [
    [input, input],
    [input, linked],
    [hard, input],
  ] as const)
    await assert.rejects(openReport(path, [read]), /the report must not replace a file that is being imported/)
  for (const path of [elsewhere, '/dev/null'])
    await assert.rejects(openReport(path), /the report must not replace anything but a regular file/)
  assert.equal(await readFile(input, 'utf8'), text)
})
