/** Explain: the plans of statements, and the rows that they read, according to PostgreSQL. */
import type { Mock } from 'node:test'
import pg from 'pg'
import { Pipeline } from '../src/platform/database/pipeline.ts'
import { NotOnCluster } from './database.ts'
import type { Json, World } from './world.ts'

/** A statement as the driver gets it. */
export interface Statement {
  readonly text: string
  readonly values: readonly unknown[]
}

/** The driver's method, mocked: its arguments are pipelines, whose statements are prepared under a name, and statements of the rates. */
type Driver = Mock<typeof pg.Client.prototype.query>

/** @returns the statements with plans since the last reset of the calls */
export function statementsOf(driver: Driver): Statement[] {
  const given = driver.mock.calls.map((call) => (call.arguments as unknown[])[0] as Pipeline | Statement | string) // the service calls it with these
  return given
    .flatMap<Statement | string>((each) => (each instanceof Pipeline ? each.items : [each]))
    .flatMap((each) => (typeof each === 'object' && each.values ? [each] : []))
    .filter(({ text }) => !/^(begin|commit|rollback|explain|set)\b/.test(text))
}

/** @returns those that match, but for the relay's, which may be sent at any time. */
export function matchingOf(driver: Driver, text: RegExp): Statement[] {
  return statementsOf(driver).filter((each) => text.test(each.text) && !/from outbox/.test(each.text))
}

/** @returns a connection of the service's role, in the tenant of the world; it lasts until the database is dropped */
export async function connectExplainer({
  postgres,
  tenantId,
}: Pick<World, 'postgres' | 'tenantId'>): Promise<pg.Client> {
  const explainer = new pg.Client({ connectionString: postgres.url })
  explainer.on('error', () => {})
  await explainer.connect()
  await explainer.query(`set guildhall.tenant = '${tenantId}'`)
  return explainer
}

/**
 * @param plan   of `explain (analyze, format json)`
 * @param tables whose rows count
 * @returns how many rows were looked at, shown or not
 */
export function rowsRead(plan: Json, tables: ReadonlySet<string>): number {
  const {
    'Relation Name': table,
    'Actual Rows': shown,
    'Rows Removed by Filter': passed = 0,
    'Actual Loops': loops,
  } = plan
  const own = tables.has(table) ? (shown + passed) * loops : 0
  return (plan.Plans ?? []).reduce((sum: number, below: Json) => sum + rowsRead(below, tables), own)
}

/** @returns the value as it is written in SQL */
function literal(value: unknown): string {
  return Buffer.isBuffer(value) ? `'\\x${value.toString('hex')}'` : pg.escapeLiteral(String(value))
}

/** @param used gets the indexes in the plan @returns the tables that a plan scans completely */
export function scannedTables(plan: Json, tables: ReadonlySet<string>, used: Set<string>): string[] {
  const { 'Node Type': type, 'Relation Name': name, 'Index Name': index, Plans: below = [] } = plan
  if (index) used.add(index)
  const own = type === 'Seq Scan' && tables.has(name) ? [name] : []
  return [...own, ...below.flatMap((each: Json) => scannedTables(each, tables, used))]
}

/** A plan for the values, or one for all values. */
type Kind = 'custom' | 'generic'

/** PostgreSQL's cost for planning a statement of a dozen tables. */
const planningCost = 40

/** @returns functions that ask PostgreSQL for plans. @param tables whose rows count */
export function planner(explainer: pg.Client, tables: ReadonlySet<string>) {
  async function planOf(explain: { text: string; values?: unknown[] }): Promise<Json> {
    if (process.env.CITUS_URL) throw new NotOnCluster('the plan of a cluster does not say what its nodes read')
    const { rows } = await explainer.query(explain)
    return rows[0]['QUERY PLAN'][0].Plan
  }

  async function planWhenRun({ text, values }: Statement, kind: Kind): Promise<Json> {
    await explainer.query(`set plan_cache_mode = 'force_${kind}_plan'`)
    await explainer.query(`prepare looked as ${text}`)
    const literals = values.map((value) => (Array.isArray(value) ? `array[${value.map(literal)}]` : literal(value)))
    const plan = await planOf({ text: `explain (analyze, buffers, format json) execute looked (${literals})` })
    await explainer.query('deallocate looked')
    return plan
  }

  return {
    /** The plan for the values, and the generic plan, which PostgreSQL keeps if it does not expect it to cost more than planning each time. */
    async plansOf({ text, values }: Statement) {
      const custom = await planOf({ text: `explain (format json) ${text}`, values: [...values] })
      const generic = await planOf({ text: `explain (format json, generic_plan) ${text}` })
      return { custom, generic, keepsGeneric: generic['Total Cost'] <= custom['Total Cost'] + planningCost }
    },

    /** @returns how many rows of tables are looked at when a statement runs, shown or not */
    async rowsOf(each: Statement, kind: Kind): Promise<number> {
      return rowsRead(await planWhenRun(each, kind), tables)
    },

    /** @returns how many pages PostgreSQL touches when a statement runs: in its memory, on disk, and of temporary files */
    async buffersOf(each: Statement, kind: Kind): Promise<number> {
      const plan = await planWhenRun(each, kind)
      const kinds = ['Shared Hit', 'Shared Read', 'Temp Read', 'Temp Written']
      return kinds.reduce((sum, kind) => sum + plan[`${kind} Blocks`], 0)
    },
  }
}
