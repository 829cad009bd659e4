/**
 * Checks whether the time of "forgot password" tells known addresses from unknown ones: 300 samples, known and unknown in random order,
 * compared by the Mann–Whitney rank test. The service and its worker run in a process of their own, as in production.
 *
 *   node tools/run.mjs bench/forgot-password.ts [samples]
 */
import { randomBytes, randomInt } from 'node:crypto'
import { setTimeout } from 'node:timers/promises'
import { post, quantiles, startService } from './service.ts'

await measure(Number(process.argv[2] ?? 300))

async function measure(samples: number): Promise<void> {
  const service = await startService()
  try {
    const url = `${service.url}/api/auth`
    const warmUp = 20
    const addresses = Array.from({ length: warmUp + samples }, () => ({
      kind: randomInt(2) === 0 ? ('known' as const) : ('unknown' as const),
      email: `somebody-${randomBytes(6).toString('hex')}@example.com`,
    }))
    for (const { kind, email } of addresses) {
      if (kind === 'known') await post(`${url}/sign-up`, { email, password: 'a long enough passphrase' }, 201)
    }
    const times = { known: [] as number[], unknown: [] as number[] }
    for (const [index, { kind, email }] of addresses.entries()) {
      await setTimeout(randomInt(30)) // lets the worker handle earlier requests at random moments, for either kind
      const started = performance.now()
      await post(`${url}/forgot-password`, { email }, 202)
      if (index >= warmUp) times[kind].push(performance.now() - started)
    }
    for (const [kind, of] of Object.entries(times)) console.log(`${kind.padEnd(8)} n=${of.length}  ${quantiles(of)}`)
    const z = compare(times.known, times.unknown)
    console.log(`Mann–Whitney: z = ${z.toFixed(2)}; beyond ±2.58 (p < 0.01) the two differ`)
  } finally {
    await service.stop()
  }
}

/** @returns the z of the rank test in its normal approximation; ties between times are negligible */
function compare(one: readonly number[], other: readonly number[]): number {
  const all = [...one, ...other].sort((left, right) => left - right)
  const ranks = one.reduce((sum, value) => sum + all.indexOf(value) + 1, 0)
  const [n, m] = [one.length, other.length]
  const u = ranks - (n * (n + 1)) / 2
  return (u - (n * m) / 2) / Math.sqrt((n * m * (n + m + 1)) / 12)
}
