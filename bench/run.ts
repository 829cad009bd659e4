/**
 * npm run bench: measures the service beside Fastify with one statement, pgbench and better-auth, on the same PostgreSQL and equal data.
 *
 *   npm run bench                         everything; the first run also makes the seed, and installs the other contenders
 *   npm run bench -- me members           operations with these words in their names; also mixed, sign-ins, writers,
 *                                         webhooks and starts
 *   npm run bench -- --quick me members   few data and short rounds, as a quick check
 *   npm run bench -- console              what the console's pages load, and how soon they show something on a slow phone; not in everything
 *   npm run bench -- search               how many pages PostgreSQL touches for a search, up to a million users; not in everything
 *   npm run bench -- --scale 10 read list administration   these kinds, with a million users and ten times of everything else
 *   npm run bench -- --rounds 5 --seconds 4   the seconds are of CPU time, in each round
 *   npm run bench -- --fresh              replaces the seed
 *   npm run bench -- --document           everything; then writes the latest results of a complete run, those of roles and memberships,
 *                                         those of webhooks, and those of all reads at each scale, into docs/performance.md
 *   npm run bench -- --stored --document  the same from stored results
 *
 * It prints tables and stores the results in bench/results. An unexpected answer ends it.
 */
import { readFileSync } from 'node:fs'
import { availableParallelism, constants, cpus, release, totalmem } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { measureConsole } from './console.ts'
import { consoleTable, keepConsole } from './console-report.ts'
import { type Contender, type ContenderName, checkAll, connections, type Round } from './contenders/contender.ts'
import { type Contest, installOthers, startContest } from './contenders.ts'
import { type Data, openData } from './data.ts'
import { writeResults } from './document.ts'
import { measureWriters } from './keys.ts'
import { checkLoad, load } from './load.ts'
import { measureMixed } from './mixed.ts'
import type { Operation } from './operations/operation.ts'
import { chooseOperations } from './operations.ts'
import { type Population, populationOf } from './population.ts'
import { report, titles } from './report.ts'
import { joined, keep, type Measured, type Results, ratioOf, type Summary, summarize } from './results.ts'
import { roles } from './roles.ts'
import { measureSearch } from './search.ts'
import { keepSearch, searchTables } from './search-report.ts'
import { freshen, freshenOther } from './seed.ts'
import { measureSignIns } from './sign-ins.ts'
import { measureStarts } from './starts.ts'
import { consoleTargets, targets } from './targets.ts'
import { coresTime, cpuOf, cpuOfFamily, peakMemoryOf } from './usage.ts'
import { webhookTables } from './webhook-report.ts'
import { measureWebhooks } from './webhooks.ts'

const { values: flags, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    quick: { type: 'boolean', default: false },
    fresh: { type: 'boolean', default: false },
    document: { type: 'boolean', default: false },
    stored: { type: 'boolean', default: false },
    scale: { type: 'string' },
    rounds: { type: 'string' },
    seconds: { type: 'string' },
  },
})

if (!/^[1-9]\d*$/.test(flags.seconds ?? '1')) throw new Error('--seconds takes whole seconds: wrk knows no others.')

/** For how many rounds a contender is warmed up: Node.js compiles, and PostgreSQL plans, what is used often. */
const warmUp = 3

/** The seconds of load after which a contender may rest; some lists take better-auth more than a second. */
const longestPart = 2

/** Cleaning up, before this process ends. */
const opened: (() => Promise<void>)[] = []
let isAskedToEnd = false
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
  process.once(signal, () => {
    isAskedToEnd = true
    void putAway().finally(() => process.exit(128 + constants.signals[signal]))
  })
}

if (!flags.stored && positionals.join() === 'console') {
  const results = await measureConsole(Number(flags.rounds ?? 5))
  keepConsole(results)
  console.log(`\n${consoleTable(results)}\n\n${consoleTargets(results)}`)
} else if (!flags.stored && positionals.join() === 'search') {
  const results = await measureSearch()
  keepSearch(results)
  console.log(`\n${searchTables(results)}`)
} else if (!flags.stored) {
  const parts = ['mixed', 'sign-ins', 'writers', 'webhooks', 'starts']
  const words = positionals.filter((word) => !parts.includes(word))
  const isIn = (part: string) => positionals.length === 0 || positionals.includes(part)
  const chosen = words.length > 0 || positionals.length === 0 ? chooseOperations(words) : []
  const results = await measure(chosen, {
    scale: Number(flags.scale ?? (flags.quick ? 0.2 : 1)),
    rounds: Number(flags.rounds ?? 3),
    seconds: Number(flags.seconds ?? (flags.quick ? 1 : 2)),
    hasMixed: isIn('mixed'),
    hasSignIns: isIn('sign-ins'),
    hasWriters: isIn('writers'),
    hasWebhooks: isIn('webhooks'),
    hasStarts: isIn('starts'),
  })
    .catch((error) => {
      if (isAskedToEnd) return new Promise<never>(() => {}) // the running measurement fails, and the signal's handler ends the process
      throw error
    })
    .finally(putAway)
  const shown = [
    report(results),
    roles(results),
    webhookTables(results),
    targets(results),
    `stored in ${keep(results)}`,
  ]
  console.log(`\n${shown.filter(Boolean).join('\n\n')}`)
}
if (flags.document) writeResults()

interface Extent {
  readonly scale: number
  readonly rounds: number
  readonly seconds: number
  readonly hasMixed: boolean
  readonly hasSignIns: boolean
  readonly hasWriters: boolean
  readonly hasWebhooks: boolean
  readonly hasStarts: boolean
}

async function measure(
  chosen: readonly Operation[],
  { scale, rounds, seconds, hasMixed, hasSignIns, hasWriters, hasWebhooks, hasStarts }: Extent,
): Promise<Results> {
  checkLoad()
  installOthers()
  const population = populationOf(scale)
  const data = await openData(scale, flags.fresh)
  opened.push(() => data.close())
  const contest = await startContest(data, population)
  opened.push(() => contest.stop())
  const { guildhall, betterAuth } = contest.servers
  const othersSince = watchOthers(data)
  const constant = await measureConstant(contest, rounds, seconds)
  const measured: Measured[] = []
  for (const operation of chosen)
    measured.push(await compare(operation, contest, data, population, { rounds, seconds }))
  const mixed = hasMixed && (await measureMixed(contest, data, population, rounds))
  const signIns = hasSignIns && (await measureSignIns(contest, data, rounds, seconds))
  const writers = hasWriters && (await measureWriters(contest, data, rounds, seconds))
  const memory = {
    guildhall: peakMemoryOf(guildhall.pid),
    atStart: contest.memoryAtStart,
    betterAuth: peakMemoryOf(betterAuth.pid),
  }
  const webhooks = hasWebhooks && (await measureWebhooks(contest, data, rounds))
  const others = othersSince()
  const starts = hasStarts && (await measureStarts(5))
  return {
    date: new Date().toISOString().slice(0, 19),
    machine: describeMachine(data),
    others,
    scale,
    rounds,
    seconds,
    operations: measured,
    constant,
    memory,
    ...(mixed && { mixed }),
    ...(signIns && { signIns }),
    ...(writers && { writers }),
    ...(webhooks && { webhooks }),
    ...(starts && { starts }),
  }
}

/** Stops and closes everything that was started and opened, the last first. */
async function putAway(): Promise<void> {
  for (let close = opened.pop(); close; close = opened.pop()) await close()
}

/**
 * Measures all contenders in turn, and the operation beside this one, each round in another order. Only pgbench comes after the others: it
 * writes ten times as many rows as they do, and the tables that they work on would be larger in each round.
 */
async function compare(
  operation: Operation,
  { contenders }: Contest,
  data: Data,
  population: Population,
  { rounds, seconds }: Pick<Extent, 'rounds' | 'seconds'>,
): Promise<Measured> {
  const present = contenders.filter((contender) => contender.has(operation))
  const [from, to] = operation.callers(population)
  await data.guildhall.query(freshen(data.tenant, from, to))
  await data.betterAuth.query(freshenOther(from, to))
  await data.guildhall.query('vacuum sessions, memberships, api_key_secrets, grants')
  await data.betterAuth.query('vacuum session')
  for (const database of [data.guildhall, data.betterAuth]) await database.query('checkpoint')
  await checkAll(operation, present)
  const enter = (operation: Operation) => (contender: Contender) => ({ contender, operation, played: [] as Round[] })
  const own = present.map(enter(operation))
  const { beside } = operation
  const others = beside ? present.filter(({ name }) => name === 'guildhall').map(enter(beside)) : []
  for (const { contender, operation } of others) await contender.check(operation)
  const isPgbench = ({ contender }: { contender: Contender }) => contender.name === 'pgbench'
  const all = [...own, ...others].filter((each) => !isPgbench(each))
  const part = Math.min(seconds, longestPart)
  for (const { contender, operation } of all) await play(contender, operation, warmUp * seconds, part)
  for (let round = 0; round < rounds; round++) {
    const turns = [...all.slice(round % all.length), ...all.slice(0, round % all.length)]
    // A contender does not always follow the same one. Two would have their old order again.
    for (const { contender, operation, played } of round % 2 === 0 || all.length === 2 ? turns : turns.reverse())
      played.push(await play(contender, operation, seconds, part))
  }
  for (const { contender, played } of own.filter(isPgbench))
    for (let round = 0; round < rounds; round++) played.push(await play(contender, operation, seconds, part))
  // One that answered nothing in a round has no figures.
  const answering = own.filter(({ played }) => played.every(({ requests }) => requests > 0))
  const by = Object.fromEntries(
    answering.map(({ contender, played }) => [contender.name, summarize(played)]),
  ) as Partial<Record<ContenderName, Summary>>
  const costs = Object.entries(by).map(([name, { cpu, cpuOfPostgres, rate }]) => {
    const parts = [...(cpu > 0 ? [cpu] : []), cpuOfPostgres].map((time) => Math.round(time))
    return `${titles[name as ContenderName]} ${parts.join(' + ')} µs, ${Math.round(rate)}/s` // stored under these names
  })
  console.log(`${operation.name.padEnd(20)} ${costs.join('; ')}`)
  const [one, other] = [own, others].map((all) => all.find(({ contender: { name } }) => name === 'guildhall')?.played)
  const ofBeside = one && other && ratioOf(other, one)
  return { name: operation.name, kind: operation.kind, by, ...(ofBeside && { ofBeside }) }
}

/**
 * Loads a contender until it and PostgreSQL have worked for these seconds. Its share of the cores then decides how long a round takes, and
 * not how much is measured. One that answers nothing is not loaded again.
 *
 * @param part the seconds of a load
 */
async function play(contender: Contender, operation: Operation, seconds: number, part: number): Promise<Round> {
  const rounds: Round[] = []
  for (let spent = 0; spent < seconds * 1e6; ) {
    const round = await contender.measure(operation, part)
    rounds.push(round)
    if (round.requests === 0) break
    spent += round.cpu + round.cpuOfPostgres
  }
  return joined(rounds)
}

async function measureConstant({ servers: { fastify } }: Contest, rounds: number, seconds: number): Promise<Summary> {
  const requests = [{ method: 'GET', path: '/constant', headers: {} }]
  const measured: Round[] = []
  for (let round = 0; round <= rounds; round++) {
    const before = cpuOf(fastify.pid)
    const outcome = await load({ port: fastify.port, connections, seconds, requests, isOnce: false })
    measured.push({ ...outcome, cpu: cpuOf(fastify.pid) - before, cpuOfPostgres: 0 })
  }
  return summarize(measured.slice(1)) // the first round warms up
}

/** @returns tells what part of the cores' time other processes have taken since now */
function watchOthers({ postmaster }: Data): () => number {
  const look = () => ({ ...coresTime(), own: cpuOfFamily(process.pid) + cpuOfFamily(postmaster) })
  const before = look()
  return () => {
    const now = look()
    return Math.max(0, (now.busy - before.busy - (now.own - before.own)) / (now.all - before.all))
  }
}

function describeMachine({ version }: Data): Results['machine'] {
  const manifest = join(import.meta.dirname, 'node_modules/better-auth/package.json')
  return {
    cores: availableParallelism(),
    processor: cpus()[0]?.model ?? 'unknown',
    gibibytes: Math.round(totalmem() / 2 ** 30),
    kernel: release(),
    node: process.versions.node,
    postgres: version,
    betterAuth: JSON.parse(readFileSync(manifest, 'utf8')).version,
  }
}
