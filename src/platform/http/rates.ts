/**
 * Rates: limit how often something may be done in a period, for example how many mails a network may cause.
 *
 * The counts are rows in the database, so all processes share them and a restart does not reset them. Their keys are HMACs and do not show
 * who is counted. While the database is unavailable, requests that must be counted are refused.
 */
import type { Keyring } from '../cryptography.ts'
import { type Database, type Purge, type Statement, statement } from '../database/database.ts'
import { UnavailableError } from '../database/errors.ts'
import type { Counted, RateCounter, RequestContext, Wanted } from './context.ts'
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
  readonly #isPooled: boolean
  readonly #keyring: Keyring
  readonly #isOff: boolean
  /** The outcomes of each request, so that a retried transaction counts its request only once. */
  readonly #outcomes = new WeakMap<RequestContext, Map<string, Outcome>>()

  /** @param isOff whether nothing is counted or refused */
  constructor(database: Database, keyring: Keyring, isOff: boolean) {
    this.#pool = database.libraryPool(2)
    this.#isPooled = database.isPooled
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
   * Counts many actions of a request at once, and takes back those that do not happen. No policy counts the same subject twice.
   *
   * @param keep gets how many each policy would allow @returns how many of each happen
   * @throws UnavailableError
   */
  async take(
    context: RequestContext,
    wanted: readonly Wanted[],
    keep: (within: readonly number[]) => readonly number[],
  ): Promise<void> {
    for (const each of wanted) checkDeclared(context, each)
    if (this.#isOff) {
      keep(wanted.map(({ times }) => times))
      return
    }
    const counted = await this.#add(wanted)
    const kept = keep(counted.map(({ times, rate, points }) => Math.max(0, times + Math.min(0, rate.count - points))))
    const over = counted.map((each, index) => ({ ...each, times: each.times - (kept[index] ?? 0) }))
    const shown = over.filter(({ isHidden }) => !isHidden)
    announceRates(
      context,
      shown.map((each) => ({ ...each, ...outcomeOf({ ...each, points: each.points - each.times }) })),
    )
    await this.#subtract(over.filter(({ times }) => times > 0))
  }

  /** Undoes the count of actions that did not happen: of one under each policy, unless it says how many. @throws UnavailableError */
  async takeBack(counted: readonly (Counted & Partial<Wanted>)[]): Promise<void> {
    if (!this.#isOff) await this.#subtract(counted.map((each) => ({ times: 1, ...each })))
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
    return `${policy}:${this.#keyring.hmac('rate', policy, tenant ?? '', whose).toString('base64url')}`
  }

  async #countOnce(context: RequestContext, counted: Counted): Promise<Outcome> {
    const known = this.#outcomes.get(context) ?? new Map<string, Outcome>()
    this.#outcomes.set(context, known)
    const key = this.#keyOf(counted)
    const outcome = known.get(key)
    if (outcome) return outcome
    const [added] = await this.#add([{ ...counted, times: 1 }])
    const first = outcomeOf(added as Count) // of the only one
    known.set(key, first)
    return first
  }

  /**
   * Adds to counts, each of which starts at 0 when its period is over. The database's clock decides, because those of the processes differ.
   * A period that ends later than a new one was counted while that clock was ahead, and is over.
   *
   * @returns what was given, with the counts
   */
  async #add(wanted: readonly Wanted[]): Promise<readonly Count[]> {
    const keys = wanted.map((each) => this.#keyOf(each))
    if (new Set(keys).size < keys.length) throw new Error('A policy counts the same subject twice.')
    const rows = await this.#query<Points & { key: string }>(
      'add to rates',
      statement`
        insert into rates as r (key, points, expire)
        select key, points, ${databaseTime} + seconds * 1000
        from unnest(${keys}::text[], ${wanted.map(({ times }) => times)}::integer[],
          ${wanted.map(({ rate }) => rate.seconds)}::bigint[]) as added (key, points, seconds)
        order by key -- in one order, so that two requests do not wait for each other
        on conflict (key) do update set
          points = case when ${isRunning} then r.points else 0 end + excluded.points,
          expire = case when ${isRunning} then r.expire else excluded.expire end
        returning key, points, (expire - ${databaseTime})::float8 as ms`,
    )
    const byKey = new Map(rows.map((row) => [row.key, row]))
    return wanted.map((each, index) => {
      const points = byKey.get(keys[index] ?? '')
      if (!points) throw new Error('A row that was just written was not returned.')
      return { ...each, ...points }
    })
  }

  /** Subtracts from counts whose period is not over. */
  async #subtract(wanted: readonly Wanted[]): Promise<void> {
    if (wanted.length === 0) return
    const keys = wanted.map((each) => this.#keyOf(each))
    await this.#query(
      'subtract from rates',
      statement`
        update rates r set points = greatest(0, r.points - taken.points)
        from (
          select r.key, back.points
          from unnest(${keys}::text[], ${wanted.map(({ times }) => times)}::integer[]) as back (key, points)
          join rates r on r.key = back.key
          order by r.key
          for update of r) taken
        where r.key = taken.key and r.expire > ${databaseTime}`,
    )
  }

  /** @param name of the prepared statement; unused behind a pooler, where prepared statements do not last */
  async #query<Row extends object>(name: string, { text, values }: Statement): Promise<Row[]> {
    try {
      const { rows } = await this.#pool.query<Row>({ ...(this.#isPooled ? {} : { name }), text, values: [...values] })
      return rows
    } catch (error) {
      throw new UnavailableError(error)
    }
  }
}

/** The current time in the unit of `rates.expire`: milliseconds since 1970. */
const databaseTime = statement`(extract(epoch from now()) * 1000)::bigint`

/** Whether the period of a count is running. Two requests at once have different times: in a minute, each comes to its end. */
const isRunning = statement`r.expire > ${databaseTime} and r.expire <= excluded.expire + 60000`

/** Checks that the route declares the policy in its `config`, from which documents are generated. @throws Error */
function checkDeclared({ route }: RequestContext, { policy }: Counted): void {
  if (!route.rates.includes(policy))
    throw new Error(`${route.url} counts "${policy}" without declaring it: set config.rates.`)
}

/** How often something was counted, and the milliseconds until its period is over. */
interface Points {
  readonly points: number
  readonly ms: number
}

type Count = Wanted & Points

function outcomeOf({ rate, points, ms }: Count): Outcome {
  const left = rate.count - points
  return { isOver: left < 0, left: Math.max(0, left), seconds: Math.max(1, Math.ceil(ms / 1000)) }
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
