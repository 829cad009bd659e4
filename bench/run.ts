/**
 * npm run bench: measures the service beside Fastify with one statement, pgbench and better-auth, on the same PostgreSQL and equal data.
 *
 *   npm run bench                         everything, in about a quarter of an hour; the first run takes some minutes more for the seed
 *   npm run bench -- me members           operations with these words in their names; also sign-ins, and starts
 *   npm run bench -- --quick me members   few data and one short round, as a quick check
 *   npm run bench -- --scale 10 read administration     these kinds, with a million users and ten times of everything else
 *   npm run bench -- --rounds 5 --seconds 4
 *   npm run bench -- --fresh              replaces the seed
 *   npm run bench -- --document           measures nothing, and writes the latest results of a complete run, and those of all
 *                                         reads at each scale, into docs/performance.md
 *
 * It prints a table and stores the results in bench/results. An unexpected answer ends it.
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { availableParallelism, constants, cpus, release, totalmem } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { type Contender, type ContenderName, checkAll, connections, type Round } from './contenders/contender.ts'
import { type Contest, installOthers, startContest } from './contenders.ts'
import { type Data, openData } from './data.ts'
import { growth, plotGrowth } from './growth.ts'
import { checkLoad, load } from './load.ts'
import type { Operation } from './operations/operation.ts'
import { chooseOperations } from './operations.ts'
import { type Population, populationOf } from './population.ts'
import { report } from './report.ts'
import { keep, type Measured, type Results, readGrowth, readLatest, type Summary, summarize } from './results.ts'
import { freshen, freshenOther } from './seed.ts'
import { measureSignIns } from './sign-ins.ts'
import { measureStarts } from './starts.ts'
import { cpuOf, peakMemoryOf } from './usage.ts'

const { values: flags, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    quick: { type: 'boolean', default: false },
    fresh: { type: 'boolean', default: false },
    document: { type: 'boolean', default: false },
    scale: { type: 'string' },
    rounds: { type: 'string' },
    seconds: { type: 'string' },
  },
})

/** Cleaning up, before this process ends. */
const opened: (() => Promise<void>)[] = []
let isAskedToEnd = false
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
  process.once(signal, () => {
    isAskedToEnd = true
    void putAway().finally(() => process.exit(128 + constants.signals[signal]))
  })
}

if (flags.document) document()
else {
  const parts = ['sign-ins', 'starts']
  const words = positionals.filter((word) => !parts.includes(word))
  const isIn = (part: string) => positionals.length === 0 || positionals.includes(part)
  const chosen = words.length > 0 || positionals.length === 0 ? chooseOperations(words) : []
  const results = await measure(chosen, {
    scale: Number(flags.scale ?? (flags.quick ? 0.2 : 1)),
    rounds: Number(flags.rounds ?? (flags.quick ? 1 : 3)),
    seconds: Number(flags.seconds ?? (flags.quick ? 1 : 2)),
    hasSignIns: isIn('sign-ins'),
    hasStarts: isIn('starts'),
  })
    .catch((error) => {
      if (isAskedToEnd) return new Promise<never>(() => {}) // the running measurement fails, and the signal's handler ends the process
      throw error
    })
    .finally(putAway)
  console.log(`\n${report(results)}\n\nstored in ${keep(results)}`)
}

interface Extent {
  readonly scale: number
  readonly rounds: number
  readonly seconds: number
  readonly hasSignIns: boolean
  readonly hasStarts: boolean
}

async function measure(
  chosen: readonly Operation[],
  { scale, rounds, seconds, hasSignIns, hasStarts }: Extent,
): Promise<Results> {
  checkLoad()
  installOthers()
  const population = populationOf(scale)
  const data = await openData(scale, flags.fresh)
  opened.push(() => data.close())
  const contest = await startContest(data, population)
  opened.push(() => contest.stop())
  const { guildhall, betterAuth } = contest.servers
  const constant = await measureConstant(contest, rounds, seconds)
  const measured: Measured[] = []
  for (const operation of chosen)
    measured.push(await compare(operation, contest, data, population, { rounds, seconds }))
  const signIns = hasSignIns && (await measureSignIns(contest, data, rounds, seconds))
  const memory = {
    guildhall: peakMemoryOf(guildhall.pid),
    atStart: contest.memoryAtStart,
    betterAuth: peakMemoryOf(betterAuth.pid),
  }
  const starts = hasStarts && (await measureStarts(5))
  return {
    date: new Date().toISOString().slice(0, 19),
    machine: describeMachine(data),
    scale,
    rounds,
    seconds,
    operations: measured,
    constant,
    memory,
    ...(signIns && { signIns }),
    ...(starts && { starts }),
  }
}

/** Stops and closes everything that was started and opened, the last first. */
async function putAway(): Promise<void> {
  for (let close = opened.pop(); close; close = opened.pop()) await close()
}

/** Measures all contenders in turn, each round in another order. */
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
  for (const database of [data.guildhall, data.betterAuth]) await database.query('checkpoint')
  await checkAll(operation, present)
  for (const contender of present) if (contender.name !== 'pgbench') await contender.measure(operation, 1) // warms up
  const measured = new Map<Contender, Round[]>(present.map((contender) => [contender, []]))
  for (let round = 0; round < rounds; round++) {
    const turns = [...present.slice(round % present.length), ...present.slice(0, round % present.length)]
    // A contender does not always follow the same one.
    for (const contender of round % 2 === 0 ? turns : turns.reverse())
      measured.get(contender)?.push(await contender.measure(operation, seconds))
  }
  const by = Object.fromEntries([...measured].map(([{ name }, of]) => [name, summarize(of)])) as Record<
    ContenderName,
    Summary
  >
  const rates = Object.entries(by).map(([name, { rate }]) => `${name} ${Math.round(rate)}/s`)
  console.log(`${operation.name.padEnd(20)} ${rates.join('  ')}`)
  return { name: operation.name, kind: operation.kind, by }
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

/** Replaces tables and plot in the document. */
function document(): void {
  const [folder, plot] = [join(import.meta.dirname, '../docs'), 'performance-growth.svg']
  const file = join(folder, 'performance.md')
  const sizes = readGrowth()
  writeFileSync(join(folder, plot), plotGrowth(sizes))
  const text = readFileSync(file, 'utf8')
  writeFileSync(file, fill(fill(text, 'results', report(readLatest())), 'growth', growth(sizes, plot)))
}

/** @throws Error if the text has no such markers */
function fill(text: string, place: string, content: string): string {
  const [begin, end] = [`<!-- ${place} -->`, `<!-- end of ${place} -->`]
  const [before, after] = [text.split(begin)[0], text.split(end)[1]]
  if (after === undefined) throw new Error(`The markers ${begin} and ${end} are missing.`)
  return `${before}${begin}\n\n${content}\n\n${end}${after}`
}
