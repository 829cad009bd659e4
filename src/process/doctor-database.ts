/** Examination of the database for the doctor: connection, clock, rights, queue, and what the tenants have in it. */
import { type ApplicationRow, selectApplications } from '../domain/applications/applications.ts'
import { countSealedBefore } from '../domain/sealing/resealing.ts'
import { selectCurrentKey } from '../domain/signing-keys/signing-keys.ts'
import { describeLost, findLostPasskeys } from '../features/tenants/passkey-domain.ts'
import { listTenants, type TenantRecord } from '../features/tenants/tenants.ts'
import { statement } from '../platform/database/database.ts'
import { isLoopback } from '../platform/settings/hosts.ts'
import { examineCluster } from './doctor-cluster.ts'
import { adminCommandFor, withoutAdmin } from './operations.ts'
import { describeTakenHost, isLocationKnown, type OpenResources, readPublicUrl } from './resources.ts'

/** `fail`: the service does not start or does not work. `warn`: it works, but is not ready for production. */
type Level = 'ok' | 'warn' | 'fail'

export type Report = (subject: string, level: Level, text: string) => void

/** Differences of clocks, in milliseconds: one that people notice in times, and one that ends links and cursors too early. */
const noticeable = 2_000
const harmful = 60_000

/**
 * The first release of each version in which no known fault gets around rights or row-level security (CVE-2024-10976, CVE-2025-8713). Later
 * versions never had them.
 */
const mended: Readonly<Record<number, number>> = { 15: 14, 16: 10, 17: 6 }

const isWaiting = statement`(attempts < max_attempts)`
const isLate = statement`(${isWaiting} and run_at < now() - interval '5 minutes')`

/** Examines the database and what is in it. */
export async function examineDatabase(resources: OpenResources, report: Report): Promise<void> {
  const { config, database, dataPath } = resources
  const [about] = await database.acrossTenants(
    (sql) => sql<{ version: string; role: string; schema: number }>`
      select current_setting('server_version') as version, current_user as role,
        (select max(version) from migrations) as schema`,
  )
  const began = performance.now()
  const [{ now } = { now: '' }] = await database.acrossTenants(
    (sql) => sql<{ now: string }>`select clock_timestamp() as now`,
  )
  const took = performance.now() - began
  const difference = Math.abs(Date.now() - took / 2 - Date.parse(now))
  const place = dataPath ? `embedded in ${dataPath}` : `at ${new URL(config.databaseUrl ?? '').host}`
  report(
    'Database',
    took > 100 ? 'warn' : 'ok',
    `PostgreSQL ${about?.version} ${place} answers in ${took.toFixed(0)} ms.`,
  )
  const update = updateFor(about?.version ?? '')
  report(
    'Wall',
    update ? 'warn' : 'ok',
    `applies to the role ${about?.role} on every table. The schema is at version ${about?.schema}.` +
      (update ? ` This PostgreSQL has known ways around such walls. Update it to ${update} or later.` : ''),
  )

  const isReadable =
    config.databaseUrl === undefined || (await examineCluster(config.databaseUrl, config.isPooled, report))

  const text = `is ${difference < 1_000 ? `${difference.toFixed(0)} ms` : `${(difference / 1_000).toFixed(0)} s`} from the database's clock.`
  const level = difference > harmful ? 'fail' : difference > noticeable ? 'warn' : 'ok'
  report('Clock', level, level === 'ok' ? text : `${text} Synchronize both with NTP.`)

  if (!(await examineRights(resources, report))) return // the rest needs these rights
  await examineQueue(resources, report)
  if (!isReadable) return // the rest reads rows of tenants
  const tenants = await listTenants(database)
  await examineDomains(config, tenants, report)
  await examineOutbox(resources, tenants, report)
  await examineSecrets(resources, tenants, report)
  await examinePasskeys(resources, tenants, report)
  await examineIssuer(resources, tenants, report)
  await examineApplications(resources, tenants, report)
  if (tenants.length === 0)
    report('Admins', 'warn', 'There is no tenant yet. The service creates the first one, "default", when it starts.')
  for (const tenant of await withoutAdmin(database, tenants))
    report('Admins', 'warn', `The tenant "${tenant.slug}" has none: ${adminCommandFor(tenant)}`)
}

/** @param version such as 15.3 or `16.9 (Debian 16.9-1)` @returns the release with the mends that this one lacks, if it lacks any */
export function updateFor(version: string): string | undefined {
  const [, major, minor] = /^(\d+)\.(\d+)/.exec(version) ?? []
  const first = mended[Number(major)]
  return first !== undefined && Number(minor) < first ? `${major}.${first}` : undefined
}

/** Checks that the role may read and write every table, ours and those of the queue. @returns whether it may */
async function examineRights({ database }: Pick<OpenResources, 'database'>, report: Report): Promise<boolean> {
  const missing = await database.acrossTenants(
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
  if (missing.length === 0) report('Rights', 'ok', 'are sufficient on every table.')
  else
    report(
      'Rights',
      'fail',
      `The role lacks rights on: ${missing.map(({ name }) => name).join(', ')}.\n` +
        'Make it the owner of each: alter table … owner to …',
    )
  return missing.length === 0
}

async function examineQueue({ database }: Pick<OpenResources, 'database'>, report: Report): Promise<void> {
  const found = await database.acrossTenants(
    (sql) => sql`select from pg_views where schemaname = 'graphile_worker' and viewname = 'jobs'`,
  )
  if (found.length === 0)
    return report(
      'Queue',
      'fail',
      'is not in this database, so no mail is sent. Start the service or run "guildhall migrate" to create it.',
    )
  const [jobs] = await database.acrossTenants(
    (sql) => sql<{ late: number; lateTasks: string | null; givenUp: number; reason: string | null }>`
      select count(*) filter (where ${isLate}) as late,
        string_agg(distinct task_identifier, ', ') filter (where ${isLate}) as late_tasks,
        count(*) filter (where not ${isWaiting}) as given_up,
        (array_agg(last_error order by updated_at desc) filter (where last_error is not null))[1] as reason
      from graphile_worker.jobs`,
  )
  const { late = 0, lateTasks = null, givenUp = 0, reason = null } = jobs ?? {}
  const why = reason ? ` The last failure: ${reason.split('\n')[0]}` : ''
  if (givenUp > 0)
    report(
      'Queue',
      'fail',
      `${countJobs(givenUp)} failed 25 times and will not be tried again. Failed jobs are deleted after a month.${why}`,
    )
  else if (late > 0)
    report(
      'Queue',
      'warn',
      `${countJobs(late)} waited for more than five minutes: ${lateTasks}. Check that a service runs; for send_mail, that the mail\n` +
        `server accepts mails; for send_logout, that applications answer at their back-channel addresses.${why}`,
    )
  else report('Queue', 'ok', 'no job is late.')
}

/** Reports jobs and events that no process brings into the queue and the feed. */
async function examineOutbox(
  { database }: Pick<OpenResources, 'database'>,
  tenants: readonly TenantRecord[],
  report: Report,
): Promise<void> {
  const late: string[] = []
  for (const { id, slug } of tenants) {
    const { rows } = await database.read(id, {
      rows: statement`
        select true as is_late from outbox
        where tenant_id = ${id} and written_at < now() - interval '5 minutes'
        limit 1`,
    })
    if (rows.length > 0) late.push(`"${slug}"`)
  }
  if (late.length === 0) report('Outbox', 'ok', 'nothing is late for the queue or the feed.')
  else
    report(
      'Outbox',
      'warn',
      `Jobs or events of these tenants have waited for more than five minutes: ${late.join(', ')}. Check that a service runs,\n` +
        'and what its log says about the outbox.',
    )
}

/** Reports whether the first secret of GUILDHALL_SECRET is enough for what is sealed in the database. */
async function examineSecrets(
  { database, keyring }: Pick<OpenResources, 'database' | 'keyring'>,
  tenants: readonly TenantRecord[],
  report: Report,
): Promise<void> {
  let older = 0
  const lost: string[] = []
  for (const { id, slug } of tenants) {
    const counted = await database.inTenant(id, (sql) => countSealedBefore(sql, keyring))
    const { seeds, clientSecrets, signingKeys, webhookSecrets } = counted.lost
    older += counted.older
    if (seeds + clientSecrets + signingKeys + webhookSecrets > 0)
      lost.push(
        `tenant "${slug}" (authenticator apps: ${seeds}, client secrets of providers: ${clientSecrets}, signing keys: ${signingKeys}, secrets of webhooks: ${webhookSecrets})`,
      )
  }
  if (lost.length > 0)
    report(
      'Secrets',
      'fail',
      `GUILDHALL_SECRET lacks the secret of: ${lost.join(', ')}. They do not work. Add the secret. If it is lost, tenant\n` +
        'admins enter the client secrets again, people use a recovery code or have their factors reset, secrets of webhooks are\n' +
        'rotated, and for signing keys run guildhall tenant rotate-keys <slug> --now',
    )
  if (older > 0)
    report(
      'Secrets',
      'warn',
      `Seeds, client secrets, signing keys and secrets of webhooks that are still encrypted with an older secret: ${older}. The service\n` +
        'encrypts them again every hour. Until none is left, keep the older secrets in GUILDHALL_SECRET.',
    )
  if (lost.length === 0 && older === 0)
    report('Secrets', 'ok', 'no seed, client secret, signing key or secret of a webhook needs an older secret.')
}

/** Reports whether the service would not start, because its host is a domain of a tenant. */
async function examineDomains(
  config: OpenResources['config'],
  tenants: readonly TenantRecord[],
  report: Report,
): Promise<void> {
  const hasDomains = tenants.some(({ domains }) => domains.length > 0)
  if (hasDomains && !(await isLocationKnown(config)))
    return report(
      'Domains',
      'warn',
      'PUBLIC_URL is not set, so its host may be a domain of a tenant: then no service starts.',
    )
  const taken = describeTakenHost(config, tenants)
  report(
    'Domains',
    taken === undefined ? 'ok' : 'fail',
    taken ?? `${new URL(config.publicUrl).hostname} is no domain of a tenant.`,
  )
}

/** Reports passkeys of a domain that is no longer that of the sign-in pages. */
async function examinePasskeys(
  resources: Pick<OpenResources, 'database' | 'config'>,
  tenants: readonly TenantRecord[],
  report: Report,
): Promise<void> {
  const lost = await findLostPasskeys(resources, tenants)
  const isKnown = await isLocationKnown(resources.config)
  for (const each of lost) report('Passkeys', 'fail', describeLost(resources.config, each, isKnown))
  if (lost.length === 0) report('Passkeys', 'ok', 'none belongs to another domain than the sign-in pages.')
}

/**
 * Reports tenants whose tokens name an issuer that other machines cannot reach, or that changes with the address of the service. Where the
 * service was before is known beside an embedded database.
 */
async function examineIssuer(
  { database, config: { publicUrl, dataFolder }, dataPath }: Pick<OpenResources, 'database' | 'config' | 'dataPath'>,
  tenants: readonly TenantRecord[],
  report: Report,
): Promise<void> {
  const signing: string[] = []
  for (const { id, slug } of tenants) {
    const { keys } = await database.read(id, { keys: selectCurrentKey(id) })
    if (keys.length > 0) signing.push(`"${slug}"`)
  }
  if (signing.length === 0) return report('Tokens', 'ok', 'no tenant signs any.')
  const before = dataPath === undefined ? undefined : await readPublicUrl(dataFolder)
  if (before !== undefined && before !== publicUrl)
    return report(
      'Tokens',
      'warn',
      `The service was at ${before} when it last started. If it starts at ${publicUrl}, the issuer of these tenants changes:\n` +
        `${signing.join(', ')}. Services then refuse their tokens, and applications take everybody for somebody new.`,
    )
  if (process.env.PUBLIC_URL && !isLoopback(new URL(publicUrl).hostname))
    return report('Tokens', 'ok', `name an issuer at ${publicUrl}.`)
  report(
    'Tokens',
    'warn',
    `These tenants sign tokens that name an issuer at ${publicUrl}: ${signing.join(', ')}. Set PUBLIC_URL to the URL under which\n` +
      'services reach this one, and then tell them the new issuer.',
  )
}

/** Reports applications that cannot ask for tokens, and those that were not told of ended sessions. */
async function examineApplications(
  { database }: Pick<OpenResources, 'database'>,
  tenants: readonly TenantRecord[],
  report: Report,
): Promise<void> {
  const secretless: string[] = []
  const untold: string[] = []
  for (const { id: tenant, slug } of tenants) {
    const { rows } = await database.read(tenant, { rows: selectApplications(tenant) })
    for (const { id, name, kind, secrets, lastLogout } of rows as unknown as ApplicationRow[]) {
      // as the statement selects them
      const named = `"${name}" (${id}) of "${slug}"`
      if (kind === 'server' && secrets.length === 0) secretless.push(named)
      if (lastLogout?.outcome === 'failed') untold.push(named)
    }
  }
  if (secretless.length > 0)
    report(
      'Applications',
      'warn',
      `These have no secret, so nobody can sign in to them: ${secretless.join(', ')}.\n` +
        'To make one, run guildhall application rotate-secret <id> --tenant <slug>',
    )
  if (untold.length > 0)
    report(
      'Applications',
      'warn',
      `These could not be told of an ended session for a day: ${untold.join(', ')}.\n` +
        'Check that their back-channel address answers POST with 200 or 204. The log says what it answered.',
    )
  if (secretless.length + untold.length === 0)
    report('Applications', 'ok', 'none lacks a secret, and none missed the end of a session when it was last told.')
}

function countJobs(count: number): string {
  return count === 1 ? '1 job' : `${count} jobs`
}
