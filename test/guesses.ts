/** Guesses for tests: failed attempts at passwords from many networks, and what is counted of them. */
import { randomBytes } from 'node:crypto'
import { createDeviceWorld, from, wrong } from './devices.ts'
import type { Answer } from './world.ts'

export const newAddress = () => `nobody-${randomBytes(5).toString('hex')}@example.com`

/** A world behind a proxy, so that attempts can come from many networks. Call it once at the top of a test file. */
export async function createGuessWorld() {
  const { world, sink } = await createDeviceWorld()
  const { query } = world.postgres

  function attempt(email: string, typed = wrong, ip = '192.0.2.1', deviceToken?: string): Promise<Answer> {
    return world.nobody.post('/api/auth/sign-in', { email, password: typed, deviceToken }, from(ip))
  }

  function accountOf(email: string): Buffer {
    return world.keyring.hmac('guessing', 'account', world.tenantId, email)
  }

  /** What is counted of an account, from every network and known device. */
  async function counted(email: string): Promise<{ failures: number; blocked: boolean }[]> {
    return query(
      `select failures, next_at > to_timestamp(0) as blocked
      from password_attempts where account = $1 and source <> '' order by failures`,
      [accountOf(email)],
    )
  }

  /** Moves the time of the next attempt, so that no test depends on how fast it runs. */
  async function moveNextAttempt(email: string, to: 'into the past' | 'far away'): Promise<void> {
    await query(
      `update password_attempts set next_at = now() + make_interval(mins => $2)
      where account = $1 and next_at > to_timestamp(0)`,
      [accountOf(email), to === 'far away' ? 15 : -1],
    )
  }

  return { world, sink, attempt, accountOf, counted, moveNextAttempt }
}
