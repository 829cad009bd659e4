/**
 * Rates: how often something may be done in a time, so that nobody sends our mails by the thousand.
 *
 * The counts are in the database, under HMACs: all processes share them, a restart forgets none, and who is counted cannot be read.
 * While they cannot be asked, what they guard is refused.
 */
import type { FastifyReply } from 'fastify'
import { RateLimiterPostgres, RateLimiterRes } from 'rate-limiter-flexible'
import type { Rate } from '../config.ts'
import type { Keyring } from '../cryptography.ts'
import type { Database } from '../database/database.ts'
import { UnavailableError } from '../database/errors.ts'
import { Problem } from './problems.ts'

/** What a request counts for: `whose` is counted apart under each policy. */
export interface Counted {
  /** As `RateLimit-Policy` names it. */
  readonly policy: string
  readonly rate: Rate
  /** Absent: counted in all tenants together. */
  readonly tenant?: string
  readonly whose: string
  /** How much is left is nobody's business but ours: it would tell what others did. */
  readonly isHidden?: boolean
}

export class Rates {
  readonly #pool
  readonly #keyring: Keyring
  readonly #isOff: boolean
  readonly #limiters = new Map<string, RateLimiterPostgres>()

  /** @param isOff counts nothing */
  constructor(database: Database, keyring: Keyring, isOff: boolean) {
    this.#pool = database.libraryPool(2)
    this.#keyring = keyring
    this.#isOff = isOff
  }

  /**
   * Counts a request under each policy, and says so in `RateLimit-Policy` and `RateLimit` (draft-ietf-httpapi-ratelimit-headers).
   *
   * @throws Problem rate_limited with `Retry-After` in seconds and the `policy`; UnavailableError
   */
  async count(reply: FastifyReply, counted: readonly Counted[]): Promise<void> {
    if (this.#isOff) return
    // One after the other, in the same order for all: of many at the same moment exactly as many get through as may.
    const outcomes = []
    for (const each of counted) {
      const outcome = { ...each, ...(await this.#consume(each)) }
      outcomes.push(outcome)
      if (outcome.isOver) break
    }
    const refused = outcomes.find(({ isOver }) => isOver)
    const shown = outcomes.filter((each) => !each.isHidden || each === refused)
    announceRates(reply, shown)
    if (!refused) return
    // What is refused uses up nothing of what others share with the caller.
    await this.takeBack(outcomes.filter(({ isOver }) => !isOver))
    throw new Problem('rate_limited', { policy: refused.policy }, { 'retry-after': String(refused.seconds) })
  }

  /** Takes back what was counted for something that then did not happen. @throws UnavailableError */
  async takeBack(counted: readonly Counted[]): Promise<void> {
    if (this.#isOff) return
    for (const each of counted) {
      await this.#limiter(each.policy, each.rate)
        .reward(this.#keyOf(each))
        .catch((error: unknown) => {
          throw new UnavailableError(error)
        })
    }
  }

  /** Counts a request under one policy, and tells the caller nothing. @throws UnavailableError */
  async isWithin(counted: Counted): Promise<boolean> {
    return this.#isOff || !(await this.#consume(counted)).isOver
  }

  async close(): Promise<void> {
    await this.#pool.end()
  }

  #keyOf({ policy, tenant, whose }: Counted): string {
    return this.#keyring.hmac('rate', policy, tenant ?? '', whose).toString('base64url')
  }

  async #consume(counted: Counted): Promise<Outcome> {
    try {
      return outcomeOf(await this.#limiter(counted.policy, counted.rate).consume(this.#keyOf(counted)), false)
    } catch (error) {
      if (error instanceof RateLimiterRes) return outcomeOf(error, true)
      throw new UnavailableError(error)
    }
  }

  #limiter(policy: string, { count, seconds }: Rate): RateLimiterPostgres {
    const name = `${policy} ${count}/${seconds}`
    const known = this.#limiters.get(name)
    if (known) return known
    const limiter = new RateLimiterPostgres({
      storeClient: this.#pool,
      storeType: 'pool',
      tableName: 'rates',
      tableCreated: true,
      keyPrefix: policy,
      points: count,
      duration: seconds,
      clearExpiredByTimeout: false, // jobs/retention.ts
    })
    this.#limiters.set(name, limiter)
    return limiter
  }
}

/** What became of a request under a policy. */
interface Outcome {
  readonly isOver: boolean
  /** How many more may come. */
  readonly left: number
  /** Until then. */
  readonly seconds: number
}

/** Says what is limited and what is left, beside what was said already. */
export function announceRates(
  reply: FastifyReply,
  outcomes: readonly (Outcome & Pick<Counted, 'policy' | 'rate'>)[],
): void {
  const add = (name: string, items: readonly string[]) => {
    // What is tried again is counted again, and said once.
    const said = `${reply.getHeader(name) ?? ''}`.split(', ').filter((item) => {
      return item !== '' && !outcomes.some(({ policy }) => item.startsWith(`"${policy}";`))
    })
    reply.header(name, [...said, ...items].join(', '))
  }
  add(
    'ratelimit-policy',
    outcomes.map(({ policy, rate }) => `"${policy}";q=${rate.count};w=${rate.seconds}`),
  )
  add(
    'ratelimit',
    outcomes.map(({ policy, left, seconds }) => `"${policy}";r=${left};t=${seconds}`),
  )
}

export function outcomeOf({ remainingPoints, msBeforeNext }: RateLimiterRes, isOver: boolean): Outcome {
  return { isOver, left: remainingPoints, seconds: Math.max(1, Math.ceil(msBeforeNext / 1000)) }
}
