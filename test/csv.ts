/** CSV as RFC 4180 has it, for tests. */
import assert from 'node:assert/strict'

/** @returns the lines by their headers @throws AssertionError for a text that is not exactly in the form */
export function parseCsv(text: string): Record<string, string>[] {
  const [headers = [], ...lines] = linesOf(text.replace(/^\u{feff}/u, ''))
  return lines.map((cells) => {
    assert.equal(cells.length, headers.length, 'each line has all cells')
    return Object.fromEntries(headers.map((header, index) => [header, cells[index] ?? '']))
  })
}

function linesOf(text: string): string[][] {
  const lines: string[][] = []
  let cells: string[] = []
  const field = /(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r\n)/gy
  while (field.lastIndex < text.length) {
    const at = field.lastIndex
    const [, quoted, plain = '', end] = field.exec(text) ?? assert.fail(`no field at ${at}: ${text.slice(at, at + 80)}`)
    cells.push(quoted?.replaceAll('""', '"') ?? plain)
    if (end === ',') continue
    lines.push(cells)
    cells = []
  }
  assert.deepEqual(cells, [], 'the last line has an end')
  return lines
}
