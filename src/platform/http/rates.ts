/**
 * Rates: how often something may be done in a time, so that nobody sends our mails by the thousand.
 *
 * The counts are in the database, under HMACs: all processes share them, a restart forgets none, and who is counted cannot be read.
 * While they cannot be asked, what they guard is refused.
 */
import type { Keyring } from '../cryptography.ts'
import { type Database, statement } from '../database/database.ts'
import { UnavailableError } from '../database/errors.ts'
import type { Counted, RateCounter, RequestContext } from './context.ts'
import { Problem } from './problems.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The rates under which the route's requests are counted beside the general ones, as `Counted` names their policies. */
    rates?: readonly string[]
    /** Its requests are not counted: they cost next to nothing, and come as often as they must. */
    isUncounted?: true
  }
}

export class Rates implements RateCounter {
  readonly #pool
  /** Under which its one statement is prepared, where that lasts. */
  readonly #name: { readonly name?: string }
  readonly #keyring: Keyring
  readonly #isOff: boolean
  /** What became of each request. Its transaction may be tried again, and is one request all the same. */
  readonly #outcomes = new WeakMap<RequestContext, Map<string, Outcome>>()

  /** @param isOff counts nothing */
  constructor(database: Database, keyring: Keyring, isOff: boolean) {
    this.#pool = database.libraryPool(2)
    this.#name = database.isPooled ? {} : { name: 'add to a rate' }
    this.#keyring = keyring
    this.#isOff = isOff
  }

  /**
   * Counts a request under each policy, and says so in `RateLimit-Policy` and `RateLimit` (draft-ietf-httpapi-ratelimit-headers).
   *
   * @throws Problem rate_limited with `Retry-After` in seconds and the `policy`; UnavailableError
   */
  async count(context: RequestContext, counted: readonly Counted[]): Promise<void> {
    if (this.#isOff) return
    // One after the other, in the same order for all: of many at the same moment exactly as many get through as may.
    const outcomes = []
    for (const each of counted) {
      checkDeclared(context, each)
      const outcome = { ...each, ...(await this.#once(context, each)) }
      outcomes.push(outcome)
      if (outcome.isOver) break
    }
    const refused = outcomes.find(({ isOver }) => isOver)
    const shown = outcomes.filter((each) => !each.isHidden || each === refused)
    announceRates(context, shown)
    if (!refused) return
    // What is refused uses up nothing of what others share with the caller.
    await this.takeBack(outcomes.filter(({ isOver }) => !isOver))
    throw new Problem('rate_limited', { policy: refused.policy }, { 'retry-after': String(refused.seconds) })
  }

  /** Takes back what was counted for something that then did not happen. @throws UnavailableError */
  async takeBack(counted: readonly Counted[]): Promise<void> {
    if (this.#isOff) return
    for (const each of counted) await this.#add(each, -1)
  }

  /** Counts a request under one policy, and tells the caller nothing. @throws UnavailableError */
  async isWithin(context: RequestContext, counted: Counted): Promise<boolean> {
    checkDeclared(context, counted)
    return this.#isOff || !(await this.#once(context, counted)).isOver
  }

  async close(): Promise<void> {
    await this.#pool.end()
  }

  #keyOf({ policy, tenant, whose }: Counted): string {
    return this.#keyring.hmac('rate', policy, tenant ?? '', whose).toString('base64url')
  }

  async #once(context: RequestContext, counted: Counted): Promise<Outcome> {
    const known = this.#outcomes.get(context) ?? new Map<string, Outcome>()
    this.#outcomes.set(context, known)
    const key = `${counted.policy} ${this.#keyOf(counted)}`
    const outcome = known.get(key) ?? (await this.#consume(counted))
    known.set(key, outcome)
    return outcome
  }

  async #consume(counted: Counted): Promise<Outcome> {
    const { points, ms } = await this.#add(counted, 1)
    const left = counted.rate.count - points
    return { isOver: left < 0, left: Math.max(0, left), seconds: Math.max(1, Math.ceil(ms / 1000)) }
  }

  /**
   * Adds to what was counted, or to nothing when its time is over: by the clock of the database, which no process can be ahead of.
   *
   * @returns how much was counted, and in how many milliseconds that is over
   */
  async #add(counted: Counted, points: 1 | -1): Promise<{ points: number; ms: number }> {
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

/** As `rates.expire` is counted. */
const databaseTime = statement`(extract(epoch from now()) * 1000)::bigint`

/** What a route counts stands in its `config`, so that documents can tell it. */
function checkDeclared({ route }: RequestContext, { policy }: Counted): void {
  if (!route.rates.includes(policy))
    throw new Error(`${route.url} counts "${policy}", but does not say so: set config.rates.`)
}

/** What became of a request under a policy. */
export interface Outcome {
  readonly isOver: boolean
  /** How many more may come. */
  readonly left: number
  /** Until then. */
  readonly seconds: number
}

/** Says what is limited and what is left, beside what was said already. */
export function announceRates(
  context: Pick<RequestContext, 'getHeader' | 'setHeader'>,
  outcomes: readonly (Outcome & Pick<Counted, 'policy' | 'rate'>)[],
): void {
  const add = (name: string, items: readonly string[]) => {
    // What is tried again is said once.
    const said = context
      .getHeader(name)
      .split(', ')
      .filter((item) => {
        return item !== '' && !outcomes.some(({ policy }) => item.startsWith(`"${policy}";`))
      })
    context.setHeader(name, [...said, ...items].join(', '))
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

/** Deletes counts whose time is over. */
export async function purgeRates(database: Database): Promise<void> {
  await database.acrossTenants((sql) => sql`delete from rates where expire < ${databaseTime}`)
}
