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

/** The cells of a line as lenient programs read them: a quote counts only where a cell begins, and may be followed by more of the cell. */
function readLeniently(line: string, separator: string): string[] {
  const cells = ['']
  let [isAtBegin, isQuoted] = [true, false]
  for (let index = 0; index < line.length; index++) {
    const character = line[index]
    if (isQuoted && character === '"' && line[index + 1] === '"') cells.push(`${cells.pop()}${line[index++]}`)
    else if (character === '"' && (isQuoted || isAtBegin)) isQuoted = !isQuoted
    else if (isQuoted || (character !== separator && character !== '\r' && character !== '\n'))
      cells.push(`${cells.pop()}${character}`)
    else cells.push('')
    isAtBegin = !isQuoted && cells.at(-1) === '' && character !== '"'
  }
  return cells
}

test('a quote behind a separator of another program hides no formula', () => {
  assert.deepEqual(readLeniently('a;"b;""c";d"e";""=1', ';'), ['a', 'b;"c', 'd"e"', '=1'], 'the reader of this test')
  for (const sign of ['=', '+', '-', '@', '＝'])
    for (const between of ['"', '" ', ' "', '""', ' " "', '"""', ''])
      for (const separator of [';', '\t', '\n', '\r']) {
        const line = lineOf('x', `a${separator}${between}${sign}1${separator}b`, 'y')
        for (const other of [';', '\t', ','])
          for (const cell of readLeniently(line, other)) assert.doesNotMatch(cell, /^ *[=+\-@＝]/, JSON.stringify(line))
      }
  assert.equal(lineOf('a;"=1;b'), `"a;""'=1;b"\r\n`)
})
