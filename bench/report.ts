/** Report: results as tables in Markdown. CPU time comes first: what else the machine does changes it less than rates. */
import type { ContenderName } from './contenders/contender.ts'
import { besideMe, writers } from './keys.ts'
import { mixed } from './mixed.ts'
import { costOf, type Measured, type Results, type Summary } from './results.ts'
import { mebibyte, milliseconds, round, short, table } from './tables.ts'

export function report(results: Results): string {
  const keys = besideMe(results)
  return [
    about(results),
    '### CPU time of a request',
    costs(results),
    ...depth(results),
    '### Rates and latency',
    rates(results),
    '### Each contender',
    details(results),
    ...(keys ? ['### By key, and for applications', keys] : []),
    ...(results.mixed ? ['### `me` beside lists and writes', mixed(results.mixed)] : []),
    ...(results.signIns ? ['### Sign-ins', signIns(results)] : []),
    ...(results.writers ? ['### Writers with one key', writers(results.writers)] : []),
    '### Memory and start',
    rest(results),
  ].join('\n\n')
}

export function about({ date, machine, others, scale, rounds, seconds }: Results): string {
  const users = (100_000 * scale).toLocaleString('en')
  return `Measured on ${date.slice(0, 10)}, with ${users} users: ${machine.cores} cores (${machine.processor}), ${machine.gibibytes} GiB of memory,
Linux ${machine.kernel}, Node.js ${machine.node}, PostgreSQL ${machine.postgres}, better-auth ${machine.betterAuth}; ${rounds} rounds of ${seconds} s of CPU time. Other processes took ${Math.round(others * 100)} %
of the cores' time meanwhile.`
}

/** The CPU time of a request, and its ratios: of the server, of PostgreSQL, and of both. */
function costs({ operations }: Results): string {
  const rows = operations.map(({ name, by: { guildhall: own, bare, 'better-auth': other } }) => [
    name,
    ...(own ? [round(own.cpu), round(own.cpuOfPostgres)] : ['–', '–']),
    ...(own && bare ? ratios(own, bare) : absent),
    ...(own && other ? ratios(other, own) : absent),
  ])
  return table(
    [
      'Operation',
      'Node.js, µs',
      'PostgreSQL, µs',
      'times Fastify with one statement: Node.js',
      'PostgreSQL',
      'both',
      'better-auth, times ours: Node.js',
      'PostgreSQL',
      'both',
    ],
    rows,
  )
}

const absent = ['–', '–', '–']

function ratios(one: Summary, other: Summary): string[] {
  return [one.cpu / other.cpu, one.cpuOfPostgres / other.cpuOfPostgres, costOf(one) / costOf(other)].map(short)
}

function rates({ operations }: Results): string {
  const rows = operations.map((operation) => {
    const { kind, by } = operation
    const own = by.guildhall
    return [
      operation.name,
      own ? round(own.rate) : '–',
      ...[by.bare, by.pgbench, by['better-auth']].map((other) => (own && other ? short(own.rate / other.rate) : '–')),
      ...(own ? [milliseconds(own.p50), milliseconds(own.p99)] : ['–', '–']),
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
      'p50, ms',
      'p99, ms',
      'p99 of `me`',
    ],
    rows,
  )
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
    `Page 1,000 costs ${own} times the CPU time of the first page, of server and PostgreSQL together${other ? `; at better-auth ${other} times` : ''}.`,
  ]
}

function tailOf({ by }: Measured, operations: readonly Measured[]): string {
  const me = operations.find(({ name }) => name === 'me')?.by.guildhall
  if (!by.guildhall || !me) return '–'
  return `${(by.guildhall.p99 / me.p99).toFixed(1)} times`
}

export const titles: Readonly<Record<ContenderName, string>> = {
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
    ['Operation', '', 'CPU of the server, µs', 'CPU of PostgreSQL, µs', 'requests/s', 'p50, ms', 'p99, ms'],
    all,
  )
}

function cellsOf({ rate, p50, p99, cpu, cpuOfPostgres }: Summary): string[] {
  return [cpu > 0 ? round(cpu) : '–', round(cpuOfPostgres), round(rate), milliseconds(p50), milliseconds(p99)]
}

function signIns({ signIns }: Results): string {
  if (!signIns) return ''
  const { rate, hashes, hashesOfAllCores, rateOfBetterAuth, quiet, storm } = signIns
  return table(
    ['', '', 'ratio'],
    [
      ['Sign-ins a second, 32 at a time', rate.toFixed(1), ''],
      ['The hash alone, as many at once as the service computes', hashes.toFixed(1), short(rate / hashes)],
      ['The hash alone, on all cores', hashesOfAllCores.toFixed(1), short(rate / hashesOfAllCores)],
      ['better-auth (scrypt)', rateOfBetterAuth.toFixed(1), short(rate / rateOfBetterAuth)],
      ['p99 of `me` over four connections, quiet', `${milliseconds(quiet.p99)} ms`, ''],
      [
        'the same in a storm of sign-ins',
        `${milliseconds(storm.p99)} ms`,
        `${(storm.p99 / quiet.p99).toFixed(1)} times`,
      ],
    ],
  )
}

function rest({ memory, starts }: Results): string {
  const [own, atStart, other] = [memory.guildhall, memory.atStart, memory.betterAuth].map((bytes) => bytes / mebibyte)
  const rows = [
    ['Most memory resident, under all of this load', `${round(own ?? 0)} MiB`],
    ['The same when it had just started', `${round(atStart ?? 0)} MiB`],
    ['better-auth under load', `${round(other ?? 0)} MiB`],
  ]
  if (starts) {
    const times = starts.map((time) => (time / 1000).toFixed(2)).join(', ')
    rows.push(['From the command to ready, embedded data', `${times} s`])
  }
  return table(['', ''], rows)
}
