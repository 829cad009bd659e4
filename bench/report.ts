/** Report: results and targets as tables in Markdown. */
import type { ContenderName } from './contenders/contender.ts'
import type { Measured, Results, Summary } from './results.ts'

/** The targets by kind: a part of Fastify with one statement, a multiple of better-auth. */
const targets: Readonly<Record<Measured['kind'], { readonly bare?: number; readonly other: number }>> = {
  read: { bare: 0.75, other: 8 },
  write: { other: 5 },
  administration: { other: 50 },
}
const mebibyte = 2 ** 20

export function report(results: Results): string {
  return [
    about(results),
    '### Ratios',
    ratios(results),
    ...depth(results),
    '### Each contender',
    details(results),
    ...(results.signIns ? ['### Sign-ins', signIns(results)] : []),
    '### Memory and start',
    rest(results),
  ].join('\n\n')
}

function about({ date, machine, scale, rounds, seconds }: Results): string {
  const users = (100_000 * scale).toLocaleString('en')
  return `Measured on ${date.slice(0, 10)}, with ${users} users: ${machine.cores} cores (${machine.processor}), ${machine.gibibytes} GiB of memory,
Linux ${machine.kernel}, Node.js ${machine.node}, PostgreSQL ${machine.postgres}, better-auth ${machine.betterAuth}; ${rounds} rounds of ${seconds} s.`
}

function ratios({ operations }: Results): string {
  const rows = operations.map((operation) => {
    const { name, kind, by } = operation
    const own = by.guildhall
    const target = targets[kind]
    const cells = [
      [by.bare, target.bare],
      [by.pgbench, undefined],
      [by['better-auth'], target.other],
    ] as const
    return [
      name,
      own ? round(own.rate) : '–',
      ...cells.map(([other, wanted]) => (own && other ? compared(own.rate / other.rate, wanted) : '–')),
      own && by.bare ? `${(costOf(own) / costOf(by.bare)).toFixed(1)} times` : '–',
      own ? milliseconds(own.p99) : '–',
      kind === 'administration' ? tailOf(operation, operations) : '',
    ]
  })
  return table(
    [
      'Operation',
      'requests/s',
      'of Fastify with one statement',
      'of pgbench',
      'times better-auth',
      'CPU time of Fastify with one statement',
      'p99, ms',
      'p99 of `me`',
    ],
    rows,
  )
}

/** The CPU time of a request, of server and PostgreSQL together. */
export function costOf({ cpu, cpuOfPostgres }: Summary): number {
  return cpu + cpuOfPostgres
}

/** Whether the first page and a late page cost the same. */
function depth({ operations }: Results): string[] {
  const costs = ['users, first page', 'users, page 1,000']
    .map((name) => operations.find((operation) => operation.name === name)?.by)
    .map((by) => [by?.guildhall, by?.['better-auth']].map((summary) => summary && costOf(summary)))
  const [own, other] = [0, 1].map((index) => {
    const [first, deep] = costs.map((each) => each[index])
    return first && deep ? (deep / first).toFixed(1) : undefined
  })
  if (!own) return []
  return [
    `Page 1,000 costs ${own} times the CPU time of the first page, of server and PostgreSQL together; at better-auth ${other} times.`,
  ]
}

/** A page of an admin's list may take at most three times as long as `me`. */
function tailOf({ by }: Measured, operations: readonly Measured[]): string {
  const me = operations.find(({ name }) => name === 'me')?.by.guildhall
  if (!by.guildhall || !me) return '–'
  const ratio = by.guildhall.p99 / me.p99
  return `${ratio.toFixed(1)} times (at most 3: ${ratio < 3 ? 'met' : '**missed**'})`
}

function compared(ratio: number, wanted: number | undefined): string {
  const text = ratio >= 10 ? ratio.toFixed(0) : ratio.toFixed(2)
  return wanted === undefined ? text : `${text} (at least ${wanted}: ${ratio >= wanted ? 'met' : '**missed**'})`
}

const titles: Readonly<Record<ContenderName, string>> = {
  guildhall: 'Guildhall',
  bare: 'Fastify with one statement',
  pgbench: 'pgbench',
  'better-auth': 'better-auth',
}

function details({ operations, constant }: Results): string {
  const rows = operations.flatMap(({ name, by }) =>
    Object.entries(by).map(([contender, summary], index) => [
      index === 0 ? name : '',
      titles[contender as ContenderName], // stored under these keys
      ...cellsOf(summary),
    ]),
  )
  const all = [['constant answer', 'Fastify', ...cellsOf(constant)], ...rows]
  return table(
    ['Operation', '', 'requests/s', 'p50, ms', 'p99, ms', 'CPU of the server, µs', 'CPU of PostgreSQL, µs'],
    all,
  )
}

function cellsOf({ rate, p50, p99, cpu, cpuOfPostgres }: Summary): string[] {
  return [round(rate), milliseconds(p50), milliseconds(p99), cpu > 0 ? round(cpu) : '–', round(cpuOfPostgres)]
}

function signIns({ signIns }: Results): string {
  if (!signIns) return ''
  const { rate, hashes, hashesOfAllCores, rateOfBetterAuth, quiet, storm } = signIns
  const tail = storm.p99 / quiet.p99
  return table(
    ['', '', 'ratio'],
    [
      ['Sign-ins a second, 32 at a time', rate.toFixed(1), ''],
      ['The hash alone, as many at once as the service computes', hashes.toFixed(1), compared(rate / hashes, 0.9)],
      ['The hash alone, on all cores', hashesOfAllCores.toFixed(1), compared(rate / hashesOfAllCores, undefined)],
      ['better-auth (scrypt)', rateOfBetterAuth.toFixed(1), compared(rate / rateOfBetterAuth, undefined)],
      ['p99 of `me` over four connections, quiet', `${milliseconds(quiet.p99)} ms`, ''],
      [
        'the same in a storm of sign-ins',
        `${milliseconds(storm.p99)} ms`,
        `${tail.toFixed(1)} times (at most 5: ${tail < 5 ? 'met' : '**missed**'})`,
      ],
    ],
  )
}

function rest({ memory, starts }: Results): string {
  const [own, atStart, other] = [memory.guildhall, memory.atStart, memory.betterAuth].map((bytes) => bytes / mebibyte)
  const rows = [
    [
      'Most memory resident, under all of this load',
      `${round(own ?? 0)} MiB (under 200 MB: ${memory.guildhall < 2e8 ? 'met' : '**missed**'})`,
    ],
    ['The same when it had just started', `${round(atStart ?? 0)} MiB`],
    ['better-auth under load', `${round(other ?? 0)} MiB`],
  ]
  if (starts) {
    const slowest = Math.max(...starts)
    const times = starts.map((time) => (time / 1000).toFixed(2)).join(', ')
    rows.push([
      'From the command to ready, embedded data',
      `${times} s (under 2 s: ${slowest < 2000 ? 'met' : '**missed**'})`,
    ])
  }
  return table(['', ''], rows)
}

export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const lines = [head, head.map((_, index) => (index === 0 ? '---' : '---:')), ...rows]
  return lines.map((cells) => `| ${cells.join(' | ')} |`).join('\n')
}

export function round(value: number): string {
  return Math.round(value).toLocaleString('en')
}

function milliseconds(microseconds: number): string {
  return (microseconds / 1000).toFixed(1)
}
