/** Tables in Markdown, and the forms of figures in them. */

/** The unit of memory: that of `VmHWM`, and not the megabyte. */
export const mebibyte = 2 ** 20

export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const lines = [head, head.map((_, index) => (index === 0 ? '---' : '---:')), ...rows]
  return lines.map((cells) => `| ${cells.join(' | ')} |`).join('\n')
}

export function short(ratio: number): string {
  return ratio >= 10 ? ratio.toFixed(0) : ratio.toFixed(2)
}

export function round(value: number): string {
  return Math.round(value).toLocaleString('en')
}

export function milliseconds(microseconds: number): string {
  return (microseconds / 1000).toFixed(1)
}
