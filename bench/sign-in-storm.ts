/**
 * What a storm of sign-ins does to other requests: `GET /api/users/me` is asked over four connections, in rounds that take turns:
 * quiet, and while 32 others sign in without a pause. Then how many sign-ins a second there were, beside the bare hash's rate.
 *
 *   node bench/sign-in-storm.ts [rounds, each of twice 3 s]
 */
import { availableParallelism } from 'node:os'
import { setTimeout } from 'node:timers/promises'
import { hashSecretly } from '../src/cryptography.ts'
import { post, quantiles, startService } from './service.ts'

const roundMs = 3000
const password = 'a long enough passphrase'

await measure(Number(process.argv[2] ?? 5))

async function measure(rounds: number): Promise<void> {
  const service = await startService()
  try {
    const emails = Array.from({ length: 32 }, (_, index) => `somebody-${index}@example.com`)
    const sessions = []
    for (const email of emails) {
      sessions.push((await post(`${service.url}/api/auth/sign-up`, { email, password }, 201)) as Session)
    }
    const tokens = sessions.slice(0, 4).map(({ session }) => session.token)
    await readMe(service.url, tokens, Date.now() + 1000) // warms up

    const quiet: number[] = []
    const stormy: number[] = []
    let signIns = 0
    for (let round = 0; round < rounds; round++) {
      quiet.push(...(await readMe(service.url, tokens, Date.now() + roundMs)))
      const until = Date.now() + roundMs
      const [times, ...counts] = await Promise.all([
        readMe(service.url, tokens, until),
        ...emails.map((email) => signIn(service.url, email, until)),
      ])
      stormy.push(...times)
      signIns += counts.reduce((sum, count) => sum + count, 0)
      await setTimeout(500)
    }
    const parts = [0.5, 0.9, 0.99]
    console.log(`me, quiet          n=${quiet.length}  ${quantiles(quiet, parts)}`)
    console.log(`me, in the storm   n=${stormy.length}  ${quantiles(stormy, parts)}`)
    console.log(`sign-ins           ${perSecond(signIns, rounds * roundMs)}`)
  } finally {
    await service.stop()
  }
  console.log(`the bare hash      ${await hashRate()}, at ${hashesAtOnce()} at once`)
}

interface Session {
  readonly session: { readonly token: string }
}

/** Asks over one connection for each token until then. @returns the milliseconds that each answer took */
async function readMe(url: string, tokens: readonly string[], until: number): Promise<number[]> {
  const times: number[] = []
  await Promise.all(
    tokens.map(async (token) => {
      while (Date.now() < until) {
        const started = performance.now()
        const answer = await fetch(`${url}/api/users/me`, { headers: { authorization: `Bearer ${token}` } })
        await answer.arrayBuffer()
        if (answer.status !== 200) throw new Error(`me answered ${answer.status}`)
        times.push(performance.now() - started)
      }
    }),
  )
  return times
}

/** Signs in, one after the other, until then. @returns how often */
async function signIn(url: string, email: string, until: number): Promise<number> {
  let count = 0
  for (; Date.now() < until; count++) await post(`${url}/api/auth/sign-in`, { email, password }, 200)
  return count
}

/** The rate of the hash alone, as many at once as the service computes. */
async function hashRate(): Promise<string> {
  const until = Date.now() + roundMs
  const counts = await Promise.all(
    Array.from({ length: hashesAtOnce() }, async () => {
      let count = 0
      for (; Date.now() < until; count++) await hashSecretly(password)
      return count
    }),
  )
  return perSecond(
    counts.reduce((sum, count) => sum + count, 0),
    roundMs,
  )
}

function hashesAtOnce(): number {
  return Math.max(1, availableParallelism() - 1)
}

function perSecond(count: number, ms: number): string {
  return `${((count * 1000) / ms).toFixed(1)} a second`
}
