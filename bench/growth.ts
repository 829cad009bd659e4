/** Growth: the cost of reading at each size of the data, from the latest results, as a table and a plot (SVG). */
import { costOf, type Measured, type Results, type Summary } from './results.ts'
import { round, table } from './tables.ts'

/** @param all results of several scales, smallest first, which measured only reads */
export function growth(all: readonly Results[], plot: string): string {
  const sizes = all.map(({ scale }) => `${(100_000 * scale).toLocaleString('en')} users`)
  const rows = operationsOf(all).map((name) => {
    const costs = all.map((results) => pointOf(results, name))
    const [first, last] = [costs[0], costs.at(-1)]
    return [
      name,
      ...costs.map((by) => (by.own ? round(costOf(by.own)) : '–')),
      first?.own && last?.own ? (costOf(last.own) / costOf(first.own)).toFixed(1) : '–',
      ...costs.map((by) => (by.other ? round(costOf(by.other)) : '–')),
      first?.other && last?.other ? (costOf(last.other) / costOf(first.other)).toFixed(1) : '–',
    ]
  })
  const head = ['CPU time of a request, µs', ...sizes, 'times', ...sizes.map((size) => `better-auth, ${size}`), 'times']
  const days = new Set(all.map(({ date }) => date.slice(0, 10)).sort())
  const measured = `Measured on ${[...days].join(' and ')}.`
  return `${measured}\n\n![What each read costs as the data grow](${plot})\n\n${table(head, rows)}`
}

interface Point {
  readonly own: Summary | undefined
  readonly other: Summary | undefined
}

function pointOf({ operations }: Results, name: string): Point {
  const by = operations.find((operation) => operation.name === name)?.by
  const [own, other] = [by?.guildhall, by?.['better-auth']].map((summary) =>
    summary && summary.rate > 0 ? summary : undefined,
  )
  return { own, other }
}

/** The operations that were measured at every size. */
function operationsOf(all: readonly Results[]): string[] {
  const [first, ...others] = all
  const isEverywhere = ({ name }: Measured) =>
    others.every(({ operations }) => operations.some((operation) => operation.name === name))
  return (first?.operations ?? [])
    .filter(({ kind }) => kind !== 'write')
    .filter(isEverywhere)
    .map(({ name }) => name)
}

const panel = { width: 168, height: 120, left: 40, top: 26, right: 12, bottom: 26 }
const columns = 5
/** The vertical axis, in microseconds. */
const [lowest, highest] = [100, 1_000_000]

/**
 * A small panel for each operation, with the same logarithmic axes. A cost in proportion to the data rises by one line from mark to mark.
 */
export function plotGrowth(all: readonly Results[]): string {
  const names = operationsOf(all)
  const rows = Math.ceil(names.length / columns)
  const [width, height] = [columns * panel.width, rows * panel.height + 34]
  const panels = names.map((name, index) => {
    const [x, y] = [(index % columns) * panel.width, Math.floor(index / columns) * panel.height + 34]
    return `<g transform="translate(${x} ${y})">${panelOf(name, all)}</g>`
  })
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" font-family="system-ui, sans-serif" font-size="10" role="img" aria-label="CPU time of a request against the number of users, for each operation">
<style>
  text { fill: #24292f } .quiet { fill: #57606a } .grid { stroke: #d0d7de } .own { stroke: #0969da; fill: #0969da } .other { stroke: #8c959f; fill: #8c959f }
  @media (prefers-color-scheme: dark) { text { fill: #e6edf3 } .quiet { fill: #8b949e } .grid { stroke: #30363d } .own { stroke: #4493f8; fill: #4493f8 } .other { stroke: #7d8590; fill: #7d8590 } }
  path.own, path.other { fill: none; stroke-width: 2 }
</style>
<g transform="translate(${panel.left} 14)"><circle class="own" r="3" cx="3" cy="-3"/><text x="12">Guildhall</text><circle class="other" r="3" cx="83" cy="-3"/><text x="92">better-auth</text><text class="quiet" x="170">CPU time of a request, of server and PostgreSQL; both axes are logarithmic</text></g>
${panels.join('\n')}
</svg>
`
}

function panelOf(name: string, all: readonly Results[]): string {
  const scales = all.map(({ scale }) => scale)
  const [from, to] = [Math.log10(Math.min(...scales)), Math.log10(Math.max(...scales))]
  const [inner, depth] = [panel.width - panel.left - panel.right, panel.height - panel.top - panel.bottom]
  const x = (scale: number) => panel.left + (inner * (Math.log10(scale) - from)) / (to - from || 1)
  const y = (cost: number) => panel.top + depth * (1 - Math.log10(cost / lowest) / Math.log10(highest / lowest))
  const marks = [100, 1_000, 10_000, 100_000, 1_000_000].map(
    (cost) =>
      `<line class="grid" x1="${panel.left}" x2="${panel.width - panel.right}" y1="${y(cost)}" y2="${y(cost)}"/><text class="quiet" text-anchor="end" x="${panel.left - 5}" y="${y(cost) + 3}">${timeOf(cost)}</text>`,
  )
  const sizes = scales.map(
    (scale) =>
      `<text class="quiet" text-anchor="middle" x="${x(scale)}" y="${panel.height - panel.bottom + 14}">${sizeOf(scale)}</text>`,
  )
  const lines = (['other', 'own'] as const).map((whose) => {
    const points = all.flatMap((results) => {
      const summary = pointOf(results, name)[whose]
      return summary ? [[x(results.scale), y(costOf(summary))] as const] : []
    })
    const path = points
      .map(([left, top], index) => `${index === 0 ? 'M' : 'L'}${left.toFixed(1)} ${top.toFixed(1)}`)
      .join('')
    const dots = points.map(
      ([left, top]) => `<circle class="${whose}" r="2.5" cx="${left.toFixed(1)}" cy="${top.toFixed(1)}"/>`,
    )
    return points.length > 0 ? `<path class="${whose}" d="${path}"/>${dots.join('')}` : ''
  })
  return `<text x="${panel.left}" y="16" font-weight="600">${name}</text>${marks.join('')}${sizes.join('')}${lines.join('')}`
}

function timeOf(microseconds: number): string {
  return microseconds < 1_000_000 ? `${microseconds / 1_000} ms` : '1 s'
}

function sizeOf(scale: number): string {
  const users = 100_000 * scale
  return users < 1_000_000 ? `${users / 1_000}k` : `${users / 1_000_000}M`
}
