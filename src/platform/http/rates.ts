/**
 * Rates: limit how often something may be done in a period, for example how many mails a network may cause.
 *
 * The counts are rows in the database, so all processes share them and a restart does not reset them. Their keys are HMACs and do not show
 * who is counted. While the database is unavailable, requests that must be counted are refused.
 */
import type { Keyring } from '../cryptography.ts'
import { type Database, type Purge, statement } from '../database/database.ts'
import { UnavailableError } from '../database/errors.ts'
import type { Counted, RateCounter, RequestContext } from './context.ts'
import { RequestProblem } from './problems.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The policies under which the route counts its requests, in addition to the general ones. */
    rates?: readonly string[]
    /** Its requests are not counted: they cost next to nothing, and come as often as they must. */
    isUncounted?: true
  }
}

export class Rates implements RateCounter {
  readonly #pool
  /** The name of the prepared statement. Empty behind a pooler, where prepared statements do not last. */
  readonly #name: { readonly name?: string }
  readonly #keyring: Keyring
  readonly #isOff: boolean
  /** The outcomes of each request, so that a retried transaction counts its request only once. */
  readonly #outcomes = new WeakMap<RequestContext, Map<string, Outcome & { taken: number }>>()

  /** @param isOff whether nothing is counted or refused */
  constructor(database: Database, keyring: Keyring, isOff: boolean) {
    this.#pool = database.libraryPool(2)
    this.#name = database.isPooled ? {} : { name: 'add to a rate' }
    this.#keyring = keyring
    this.#isOff = isOff
  }

  /**
   * Counts a request under each policy, and sets `RateLimit-Policy` and `RateLimit` (draft-ietf-httpapi-ratelimit-headers).
   *
   * @throws Problem rate_limited with `Retry-After` in seconds and the `policy`; UnavailableError
   */
  async count(context: RequestContext, counted: readonly Counted[]): Promise<void> {
    if (this.#isOff) return
    // One after the other and always in the same order, so that exactly the allowed number of concurrent requests passes.
    const outcomes = []
    for (const each of counted) {
      checkDeclared(context, each)
      const outcome = { ...each, ...(await this.#countOnce(context, each)) }
      outcomes.push(outcome)
      if (outcome.isOver) break
    }
    const refused = outcomes.find(({ isOver }) => isOver)
    const shown = outcomes.filter((each) => !each.isHidden || each === refused)
    announceRates(context, shown)
    if (!refused) return
    // A refused request must not count under the policies that the caller shares with others.
    await this.takeBack(outcomes.filter(({ isOver }) => !isOver))
    throw new RequestProblem('rate_limited', { policy: refused.policy }, { 'retry-after': String(refused.seconds) })
  }

  /**
   * Counts many actions of a request at once under one policy, and takes back those over the rate.
   *
   * @returns how many of them are within the rate
   * @throws UnavailableError
   */
  async take(context: RequestContext, counted: Counted, wanted: number): Promise<number> {
    checkDeclared(context, counted)
    if (this.#isOff || wanted === 0) return wanted
    const outcome = await this.#countOnce(context, counted, wanted)
    announceRates(context, counted.isHidden ? [] : [outcome].map((each) => ({ ...each, ...counted })))
    return outcome.taken
  }

  /** Undoes the count of an action that did not happen. @throws UnavailableError */
  async takeBack(counted: readonly Counted[]): Promise<void> {
    if (this.#isOff) return
    for (const each of counted) await this.#add(each, -1)
  }

  /** Counts a request under one policy, without headers and without refusing it. @returns whether it is within the rate @throws UnavailableError */
  async tryCount(context: RequestContext, counted: Counted): Promise<boolean> {
    checkDeclared(context, counted)
    return this.#isOff || !(await this.#countOnce(context, counted)).isOver
  }

  async close(): Promise<void> {
    await this.#pool.end()
  }

  #keyOf({ policy, tenant, whose }: Counted): string {
    return this.#keyring.hmac('rate', policy, tenant ?? '', whose).toString('base64url')
  }

  async #countOnce(context: RequestContext, counted: Counted, wanted = 1): Promise<Outcome & { taken: number }> {
    const known = this.#outcomes.get(context) ?? new Map<string, Outcome & { taken: number }>()
    this.#outcomes.set(context, known)
    const key = `${counted.policy} ${this.#keyOf(counted)}`
    const outcome = known.get(key) ?? (await this.#consume(counted, wanted))
    known.set(key, outcome)
    return outcome
  }

  async #consume(counted: Counted, wanted: number): Promise<Outcome & { taken: number }> {
    const { points, ms } = await this.#add(counted, wanted)
    const left = counted.rate.count - points
    const taken = Math.max(0, wanted + Math.min(0, left))
    if (wanted > 1 && taken < wanted) await this.#add(counted, taken - wanted)
    return { isOver: left < 0, left: Math.max(0, left), seconds: Math.max(1, Math.ceil(ms / 1000)), taken }
  }

  /**
   * Adds to the count, which starts at 0 when its period is over. The database's clock decides, because those of the processes differ.
   *
   * @returns the count, and the milliseconds until its period is over
   */
  async #add(counted: Counted, points: number): Promise<{ points: number; ms: number }> {
    const { policy, rate } = counted
    const { text, values } = statement`
      insert into rates as r (key, points, expire)
      values (${`${policy}:${this.#keyOf(counted)}`}, greatest(0, ${points}::integer), ${databaseTime} + ${rate.seconds * 1000}::bigint)
      on conflict (key) do update set
        points = greatest(0, case when r.expire > ${databaseTime} then r.points else 0 end + ${points}::integer),
        expire = case when r.expire > ${databaseTime} then r.expire else excluded.expire end
      returning points, (expire - ${databaseTime})::float8 as ms`
    try {
      const { rows } = await this.#pool.query<{ points: number; ms: number }>({ ...this.#name, text, values })
      if (rows[0]) return rows[0]
    } catch (error) {
      throw new UnavailableError(error)
    }
    throw new Error('A row that was just written was not returned.')
  }
}

/** The current time in the unit of `rates.expire`: milliseconds since 1970. */
const databaseTime = statement`(extract(epoch from now()) * 1000)::bigint`

/** Checks that the route declares the policy in its `config`, from which documents are generated. @throws Error */
function checkDeclared({ route }: RequestContext, { policy }: Counted): void {
  if (!route.rates.includes(policy))
    throw new Error(`${route.url} counts "${policy}" without declaring it: set config.rates.`)
}

/** The result of counting a request under a policy. */
export interface Outcome {
  readonly isOver: boolean
  /** How many more requests are allowed. */
  readonly left: number
  /** Until the period is over. */
  readonly seconds: number
}

/** Adds the policies and the rest of each to the headers `RateLimit-Policy` and `RateLimit`. */
export function announceRates(
  context: Pick<RequestContext, 'getHeader' | 'setHeader'>,
  outcomes: readonly (Outcome & Pick<Counted, 'policy' | 'rate'>)[],
): void {
  const add = (name: string, items: readonly string[]) => {
    // A retried transaction announces a policy again: the old item is replaced.
    const others = context
      .getHeader(name)
      .split(', ')
      .filter((item) => {
        return item !== '' && !outcomes.some(({ policy }) => item.startsWith(`"${policy}";`))
      })
    context.setHeader(name, [...others, ...items].join(', '))
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

/** Deletes counts whose period is over, in all tenants. */
export const purgeRates: Purge = (sql, batch) => sql`
  with over as (
    select key from rates
    where expire < ${databaseTime}
    order by expire
    limit ${batch}
    for update skip locked)
  delete from rates r
  using over
  where r.key = over.key
  returning r.key`
