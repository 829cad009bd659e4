/**
 * Measures more serving processes: `GET /api/users/me` over 32 connections with WORKERS=1 and 2, in alternating rounds; then the requests
 * while one of two serving processes is killed.
 *
 *   node tools/run.mjs bench/workers.ts [rounds, each of twice 5 s]
 */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { Agent } from 'node:http'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { send } from '../faults/requests.ts'
import { post, type Running, servingProcesses, start, stop } from '../test/processes.ts'
import { until } from '../test/smtp.ts'
import { password } from '../test/world.ts'
import { checkLoad, load } from './load.ts'
import { median } from './results.ts'
import { cpuOf, cpuOfFamily } from './usage.ts'

const connections = 32

await measure(Number(process.argv[2] ?? 5))

async function measure(rounds: number): Promise<void> {
  checkLoad()
  const candidates = [await startCandidate(1), await startCandidate(2)] as const
  for (let round = 0; round < rounds; round++) for (const each of candidates) each.rounds.push(await play(each, 5))
  for (const { workers, rounds } of candidates) {
    const of = (name: keyof Round) => median(rounds.map((round) => round[name])).toFixed(name === 'p99' ? 1 : 0)
    const cpu = `${of('cpu')} µs of CPU for each in the service, ${of('cpuOfPostgres')} in PostgreSQL`
    console.log(`WORKERS=${workers}  ${of('rate')} a second, 99%: ${of('p99')} ms; ${cpu}`)
  }
  const [one, two] = candidates
  await stop(one.service)
  for (let round = 0; round < rounds; round++) console.log(await killUnderLoad(two))
  await stop(two.service)
}

interface Candidate {
  readonly workers: number
  readonly service: Running
  readonly token: string
  readonly rounds: Round[]
}

interface Round {
  readonly rate: number
  readonly p99: number
  readonly cpu: number
  readonly cpuOfPostgres: number
}

async function startCandidate(workers: number): Promise<Candidate> {
  const service = await start({ env: { WORKERS: String(workers), LIMITS: 'off', LOG_LEVEL: 'warn' } })
  const { body } = await post(service, '/api/auth/sign-up', { email: 'ann@example.com', password })
  const candidate = { workers, service, token: body.session.token, rounds: [] }
  await play(candidate, 3) // warms up
  return candidate
}

async function play({ service, token }: Candidate, seconds: number): Promise<Round> {
  const { child, folder, port } = service
  const pids = [child.pid ?? 0, ...servingProcesses(service)]
  const postgres = Number.parseInt(readFileSync(join(folder, '.guildhall/postgres/postmaster.pid'), 'utf8'), 10)
  const cpu = () => pids.reduce((sum, pid) => sum + cpuOf(pid), 0)
  const before = [cpu(), cpuOfFamily(postgres)] as const
  const me = { method: 'GET', path: '/api/users/me', headers: { authorization: `Bearer ${token}` } }
  const { requests, microseconds, p99 } = await load({ port, connections, seconds, requests: [me], isOnce: false })
  return {
    rate: requests / (microseconds / 1e6),
    p99: p99 / 1000,
    cpu: (cpu() - before[0]) / requests,
    cpuOfPostgres: (cpuOfFamily(postgres) - before[1]) / requests,
  }
}

/** @returns a sentence on the requests while one of the processes was killed */
async function killUnderLoad({ service, token }: Candidate): Promise<string> {
  const agent = new Agent({ keepAlive: true, maxSockets: connections })
  const failures = new Map<string, number>()
  let [answered, isOver, longest] = [0, false, 0]
  const clients = Array.from({ length: connections }, async () => {
    while (!isOver) {
      const began = performance.now()
      try {
        const { status } = await send(service.url, { method: 'GET', path: '/api/users/me', token }, agent)
        assert.equal(status, 200)
        answered++
      } catch (error) {
        const { code = String(error) } = error as NodeJS.ErrnoException // an error of node:net
        failures.set(code, (failures.get(code) ?? 0) + 1)
      }
      longest = Math.max(longest, performance.now() - began)
    }
  })
  await setTimeout(1000)
  const said = service.out.length
  const [victim] = servingProcesses(service)
  assert.ok(victim)
  process.kill(victim, 'SIGKILL')
  const killed = performance.now()
  await until(() => service.out.slice(said).includes('took its place'), 'another process to serve')
  const replaced = performance.now() - killed
  await setTimeout(1000)
  isOver = true
  await Promise.all(clients)
  agent.destroy()
  const lost = [...failures].map(([code, count]) => `${count} ${code}`).join(', ') || 'none'
  return `one of two killed: ${answered} answered, lost: ${lost}; the slowest took ${longest.toFixed(0)} ms; replaced after ${replaced.toFixed(0)} ms`
}
