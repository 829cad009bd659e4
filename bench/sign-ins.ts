/**
 * Sign-ins: their rate with 32 at a time, beside the rate of the hash alone. Also their effect on `me` over four connections, in
 * alternating rounds without and with these sign-ins.
 */
import { availableParallelism } from 'node:os'
import { hashSecretly } from '../src/platform/cryptography.ts'
import { connections } from './contenders/contender.ts'
import { awaitRest, emptyQueue } from './contenders/http.ts'
import type { Contest } from './contenders.ts'
import type { Data } from './data.ts'
import { load, type Outcome, type Request } from './load.ts'
import { latencyOf, readMe } from './me.ts'
import { emailOf, password } from './population.ts'
import { median, type SignIns } from './results.ts'

/** Thirty-two sign-ins wait for each other, so it takes a while until the rate is steady. */
const longer = 6
/** The users from this one on sign in; other requests come from the users before. */
const first = 2001

export async function measureSignIns(
  { servers }: Contest,
  data: Data,
  rounds: number,
  seconds: number,
): Promise<SignIns> {
  const { guildhall, betterAuth } = servers
  const read = (duration = seconds) => readMe(guildhall.port, data, duration)
  const signIn = (port: number, path: string) =>
    load({ port, connections, seconds: longer, isOnce: false, requests: signInsTo(path, `http://127.0.0.1:${port}`) })

  await read() // warms up
  const quiet: Outcome[] = []
  const storm: Outcome[] = []
  const signIns: Outcome[] = []
  const others: Outcome[] = []
  const hashes: number[] = []
  const hashesOfAllCores: number[] = []
  for (let round = 0; round < rounds; round++) {
    quiet.push(await read())
    const [, outcome] = await Promise.all([signIn(guildhall.port, '/api/auth/sign-in'), read(longer)])
    storm.push(outcome)
    await awaitRest(guildhall, data)
    signIns.push(await signIn(guildhall.port, '/api/auth/sign-in'))
    await emptyQueue(data) // of mails about new devices
    await awaitRest(guildhall, data)
    others.push(await signIn(betterAuth.port, '/api/auth/sign-in/email'))
    await awaitRest(betterAuth, data)
    hashes.push(await hashRate(Math.max(1, availableParallelism() - 1), longer))
    hashesOfAllCores.push(await hashRate(availableParallelism(), longer))
  }
  return {
    rate: rateOf(signIns),
    rateOfBetterAuth: rateOf(others),
    hashes: median(hashes),
    hashesOfAllCores: median(hashesOfAllCores),
    quiet: latencyOf(quiet),
    storm: latencyOf(storm),
  }
}

function signInsTo(path: string, origin: string): Request[] {
  return Array.from({ length: connections }, (_, index) => ({
    method: 'POST',
    path,
    headers: { origin },
    body: { email: emailOf(first + index), password },
  }))
}

/** The rate of the hash alone, with a number at once. */
async function hashRate(atOnce: number, seconds: number): Promise<number> {
  const begin = performance.now()
  let count = 0
  await Promise.all(
    Array.from({ length: atOnce }, async () => {
      for (; performance.now() < begin + seconds * 1000; count++) await hashSecretly(password)
    }),
  )
  return count / ((performance.now() - begin) / 1000)
}

function rateOf(outcomes: readonly Outcome[]): number {
  const sum = (of: (outcome: Outcome) => number) => outcomes.reduce((total, outcome) => total + of(outcome), 0)
  return sum(({ requests }) => requests) / (sum(({ microseconds }) => microseconds) / 1e6)
}
