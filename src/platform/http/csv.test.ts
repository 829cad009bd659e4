import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Cell, type Column, toHead, toLines } from './csv.ts'

const lineOf = (...cells: Cell[]) =>
  toLines(
    cells.map((_, index): Column<Cell[]> => ['A', (item) => item[index]]),
    [cells],
  )

test('a table begins with the mark of UTF-8 and its headers', () => {
  const columns: Column<number>[] = [
    ['Id', () => 1],
    ['Name, first', () => 2],
  ]
  assert.equal(toHead(columns), '\u{feff}Id,"Name, first"\r\n')
  assert.equal(toLines(columns, [7, 8]), '1,2\r\n1,2\r\n')
  assert.equal(toLines(columns, []), '')
})

test('text with separators, quotes, line ends or blanks at an end is quoted', () => {
  assert.equal(lineOf('Fischer, Lena', 'a "b"', 'a\nb', ' a', 'b '), '"Fischer, Lena","a ""b""","a\nb"," a","b "\r\n')
  assert.equal(
    lineOf('Lena Fischer', '李雷', 'שלום', null, undefined, true, -1),
    'Lena Fischer,李雷,שלום,,,true,-1\r\n',
  )
})

test('text that a spreadsheet would run gets an apostrophe', () => {
  for (const text of ['=1+1', '+49', '-1', '@SUM(1)', '＝1', '＋1', '－1', '＠a'])
    assert.equal(lineOf(text), `'${text}\r\n`)
  for (const text of ['\t=1', '\r=1', '\n=1']) assert.equal(lineOf(text), `"'${text.replace('=', "'=")}"\r\n`)
  assert.equal(lineOf('  =1'), `'  =1\r\n`)
  assert.equal(lineOf(`=HYPERLINK("https://evil.example","a")`), `"'=HYPERLINK(""https://evil.example"",""a"")"\r\n`)
  assert.equal(lineOf('a;=1;b'), `"a;'=1;b"\r\n`, 'where `;` separates cells')
  assert.equal(lineOf('Chrome on macOS', 'a=b', 'a-b@example.com'), 'Chrome on macOS,a=b,a-b@example.com\r\n')
})
