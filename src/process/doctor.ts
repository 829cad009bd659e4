/**
 * Doctor: looks at what the service stands on (settings, database, wall, queue, mail, clock, way in) and says what to do about what is not
 * well. It changes nothing, and may be asked while the service runs.
 */
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseEnv } from 'node:util'
import { openTransport } from '../domain/mail/mail.ts'
import { builtConsole } from '../features/pages/console.ts'
import { listTenants } from '../features/tenants/tenants.ts'
import { statement } from '../platform/database/database.ts'
import { type Config, ConfigError, loadConfig, settings } from '../platform/settings/config.ts'
import { isLoopback } from '../platform/settings/hosts.ts'
import { version } from '../platform/version.ts'
import { adminCommandFor, withData, withoutAdmin } from './operations.ts'
import type { OpenResources } from './resources.ts'

/** `fail`: the service does not start, or does not do its work. `warn`: it does, but not as in production. */
type Level = 'ok' | 'warn' | 'fail'

/** In milliseconds: what people would notice in times, and what ends links and cursors too early. */
const noticeable = 2_000
const harmful = 60_000

/** Prints what it finds, one line for each subject. Sets the exit code to 1 where something fails. */
export async function examine(): Promise<void> {
  const counts = { ok: 0, warn: 0, fail: 0 }
  const tell = (subject: string, level: Level, text: string) => {
    counts[level]++
    console.log(`  ${level.padEnd(4)}  ${subject.padEnd(9)}  ${text.replaceAll('\n', `\n${' '.repeat(19)}`)}`)
  }
  tell('Guildhall', 'ok', `${version}, on Node.js ${process.versions.node}.`)
  const config = readSettings(tell)
  if (config) {
    tellWayIn(config, tell)
    const { metrics } = config
    if (metrics && !isLoopback(metrics.host))
      tell('Metrics', 'warn', `are read by whoever reaches ${metrics.host}:${metrics.port}: let in Prometheus alone.`)
    await withData(config, (resources) => examineDatabase(resources, tell)).catch((error: unknown) =>
      tell('Database', 'fail', messageOf(error)),
    )
    await examineMail(config, openTransport(config), tell)
    if (existsSync(join(builtConsole, 'index.html'))) tell('Console', 'ok', 'is built.')
    else
      tell(
        'Console',
        'warn',
        'is not built, so there are no pages for people. npm start, or node console/build.ts, builds it.',
      )
  }
  console.log(`\n${counts.fail} failed, ${counts.warn} to look at, ${counts.ok} well.`)
  if (counts.fail > 0) process.exitCode = 1
}

type Tell = (subject: string, level: Level, text: string) => void

function readSettings(tell: Tell): Config | undefined {
  try {
    const config = loadConfig()
    const inFile = existsSync('.env') ? Object.keys(parseEnv(readFileSync('.env', 'utf8'))) : undefined
    const from = inFile ? 'from the environment and from .env' : 'from the environment; there is no .env here'
    const unknown = inFile?.filter((name) => !(settings as readonly string[]).includes(name)) ?? []
    if (config.limitsOff) tell('Settings', 'warn', 'LIMITS is off: nothing is limited but guesses.')
    else if (unknown.length > 0) tell('Settings', 'warn', `.env has what is no setting of ours: ${unknown.join(', ')}.`)
    else tell('Settings', 'ok', `read ${from}.`)
    return config
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error
    tell('Settings', 'fail', error.message)
    return undefined
  }
}

/** How people get to it, and what of that it can know. */
function tellWayIn({ publicUrl, trustProxy, host }: Config, tell: Tell): void {
  const { protocol, hostname } = new URL(publicUrl)
  if (isLoopback(hostname))
    tell('Address', 'warn', `${publicUrl} is reached from this machine alone. For others, set PUBLIC_URL.`)
  else if (protocol === 'http:')
    tell(
      'Address',
      'warn',
      `${publicUrl} is not encrypted: passwords can be read on the way. Put a proxy that speaks TLS in front.`,
    )
  else if (trustProxy.length === 0)
    tell(
      'Address',
      'warn',
      `${publicUrl} comes through a proxy that TRUST_PROXY does not name: cookies are not Secure, and all people share one rate.`,
    )
  else tell('Address', 'ok', `${publicUrl}, by way of ${trustProxy.join(', ')} to ${host}.`)
}

async function examineDatabase({ config, database, dataPath }: OpenResources, tell: Tell): Promise<void> {
  const [about] = await database.acrossTenants(
    (sql) => sql<{ version: string; role: string; schema: number }>`
      select current_setting('server_version') as version, current_user as role,
        (select max(version) from migrations) as schema`,
  )
  const asked = performance.now()
  const [{ now } = { now: '' }] = await database.acrossTenants(
    (sql) => sql<{ now: string }>`select clock_timestamp() as now`,
  )
  const took = performance.now() - asked
  const place = dataPath ? `embedded in ${dataPath}` : `at ${new URL(config.databaseUrl ?? '').host}`
  tell(
    'Database',
    took > 100 ? 'warn' : 'ok',
    `PostgreSQL ${about?.version} ${place}, which answers in ${took.toFixed(0)} ms.`,
  )
  tell(
    'Wall',
    'ok',
    `holds for the role ${about?.role} on every table of the schema, which is at version ${about?.schema}.`,
  )

  const apart = Math.abs(Date.now() - took / 2 - Date.parse(now))
  const text = `is ${apart < 1_000 ? `${apart.toFixed(0)} ms` : `${(apart / 1_000).toFixed(0)} s`} from the database's.`
  const level = apart > harmful ? 'fail' : apart > noticeable ? 'warn' : 'ok'
  tell('Clock', level, level === 'ok' ? text : `${text} Have both kept by NTP.`)

  if (!(await examineRights({ database }, tell))) return // to look further needs them, too
  await examineQueue({ database }, tell)
  const tenants = await listTenants(database)
  if (tenants.length === 0)
    tell('Admins', 'warn', 'There is no tenant so far. The service makes the first one, "default", when it starts.')
  for (const tenant of await withoutAdmin(database, tenants))
    tell('Admins', 'warn', `The tenant "${tenant.slug}" has none: ${adminCommandFor(tenant)}`)
}

/** The service reads and writes every table, its own and those of the queue. @returns whether it may */
async function examineRights({ database }: Pick<OpenResources, 'database'>, tell: Tell): Promise<boolean> {
  const barred = await database.acrossTenants(
    (sql) => sql<{ name: string }>`
      select c.oid::regclass::text as name
      from pg_class c
      join pg_namespace n on n.oid = c.relnamespace
      where c.relkind in ('r', 'p', 'v') and (n.oid = current_schema()::regnamespace or n.nspname = 'graphile_worker')
        and (not has_schema_privilege(n.oid, 'usage')
          or exists (
            select from unnest(array['select', 'insert', 'update', 'delete']) p
            where not has_table_privilege(c.oid, p) and (p = 'select' or c.relkind <> 'v'))
          or (n.nspname = 'graphile_worker' and row_security_active(c.oid)))
      order by c.relnamespace, c.relname`,
  )
  if (barred.length === 0) tell('Rights', 'ok', 'suffice on every table.')
  else
    tell(
      'Rights',
      'fail',
      `The role may not read and write all of: ${barred.map(({ name }) => name).join(', ')}.\n` +
        'Make it the owner of each (alter table … owner to …), as it is of what it has made itself.',
    )
  return barred.length === 0
}

async function examineQueue({ database }: Pick<OpenResources, 'database'>, tell: Tell): Promise<void> {
  const found = await database.acrossTenants(
    (sql) => sql`select from pg_views where schemaname = 'graphile_worker' and viewname = 'jobs'`,
  )
  if (found.length === 0)
    return tell(
      'Queue',
      'fail',
      'is not in this database, so no mail goes out: start the service or run "guildhall migrate", which make it.',
    )
  const [jobs] = await database.acrossTenants(
    (sql) => sql<{ late: number; givenUp: number; reason: string | null }>`
      select count(*) filter (where ${isWaiting} and run_at < now() - interval '5 minutes') as late,
        count(*) filter (where not ${isWaiting}) as given_up,
        (array_agg(last_error order by updated_at desc) filter (where last_error is not null))[1] as reason
      from graphile_worker.jobs`,
  )
  const { late = 0, givenUp = 0, reason = null } = jobs ?? {}
  const why = reason ? ` The last that failed: ${reason.split('\n')[0]}` : ''
  if (givenUp > 0) tell('Queue', 'fail', `${givenUp} jobs were given up after 25 attempts.${why}`)
  else if (late > 0)
    tell(
      'Queue',
      'warn',
      `${late} jobs wait for more than five minutes: is a service running, and does the mail server take mails?${why}`,
    )
  else tell('Queue', 'ok', 'no job waits for long.')
}

const isWaiting = statement`(attempts < max_attempts)`

async function examineMail(
  { mailFrom, smtpUrl }: Config,
  transport: ReturnType<typeof openTransport>,
  tell: Tell,
): Promise<void> {
  if (!transport || !smtpUrl)
    return tell(
      'Mail',
      'warn',
      'goes to the local mailbox, and to nobody else. For others, set SMTP_URL and MAIL_FROM.',
    )
  const { host } = new URL(smtpUrl)
  try {
    await transport.verify()
    tell('Mail', 'ok', `goes out by ${host}, which lets us in, from ${mailFrom}.`)
  } catch (error) {
    tell('Mail', 'fail', `${host} does not let us in: ${messageOf(error)}. Does it run, and is SMTP_URL right?`)
  } finally {
    transport.close()
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
