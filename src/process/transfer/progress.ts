/** Progress of a transfer: a bar in a terminal, and a line every ten seconds elsewhere. */

export interface Progress {
  /** @param whole the size of the file in bytes; without it, only rows are shown */
  begin(label: string, whole?: number): void
  /** @param part the bytes that are done so far @param rows the rows that are done so far */
  advance(part: number, rows: number): void
  end(): void
}

/** @param output the stream to write to, such as stderr */
export function openProgress(output: Pick<NodeJS.WriteStream, 'isTTY'> & { write(text: string): unknown }): Progress {
  const pause = output.isTTY ? 100 : 10_000 // in milliseconds
  let [label, whole, part, rows] = ['', 0, 0, 0]
  let [begun, shown, shownRows] = [0, 0, 0]
  const share = () => Math.min(1, part / whole)
  const barOf = () => {
    const filled = Math.round(share() * 30)
    const bar = output.isTTY ? `[${'#'.repeat(filled)}${' '.repeat(30 - filled)}] ` : ''
    return `${bar}${Math.floor(share() * 100)} %, `
  }
  const timeLeft = (seconds: number) =>
    share() > 0 && share() < 1 ? `, ${Math.ceil((seconds * (1 - share())) / share())} s to go` : ''
  const show = () => {
    shown = performance.now()
    shownRows = rows
    const seconds = Math.max(0.001, (shown - begun) / 1000)
    const done = `${rows.toLocaleString('en')} rows, ${Math.round(rows / seconds).toLocaleString('en')}/s`
    const text = label.padEnd(14) + (whole > 0 ? `${barOf()}${done}${timeLeft(seconds)}` : done)
    output.write(output.isTTY ? `\r\x1b[2K${text}` : `${text}\n`)
  }
  return {
    begin: (nextLabel, nextWhole = 0) => {
      ;[label, whole, part, rows] = [nextLabel, nextWhole, 0, 0]
      begun = performance.now()
      shown = begun
      shownRows = 0
    },
    advance: (nextPart, nextRows) => {
      ;[part, rows] = [nextPart, nextRows]
      if (performance.now() - shown >= pause) show()
    },
    end: () => {
      if (output.isTTY || shownRows !== rows || rows === 0) show()
      if (output.isTTY) output.write('\n')
    },
  }
}
