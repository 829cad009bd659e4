/** Operations: the operator's commands. They may run while the service runs. */
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { linkBaseOf } from '../domain/mail/mail.ts'
import { rotateKeys } from '../domain/signing-keys/rotation.ts'
import { resetFactors } from '../features/administration/factors.ts'
import { deleteTenant } from '../features/tenants/deletion.ts'
import { checkUnlocated, keepPasskeys } from '../features/tenants/passkey-domain.ts'
import { createAdmin, hasAdmin, renewSetUpLink } from '../features/tenants/set-up.ts'
import {
  createTenant,
  getTenantBySlug,
  listTenants,
  type OperatorSettings,
  operator,
  TenantError,
  type TenantRecord,
  updateTenant,
} from '../features/tenants/tenants.ts'
import type { Database } from '../platform/database/database.ts'
import { distributeDatabase } from '../platform/database/distribute.ts'
import { SchemaError } from '../platform/database/requirements.ts'
import { normalizeEmail, uuidToTenantId } from '../platform/http/schemas.ts'
import type { Config } from '../platform/settings/config.ts'
import { isLocationKnown, isLocationSet, openResources, withResources } from './resources.ts'
import { abortOn, awaitStop } from './stop.ts'
import { UsageError } from './usage.ts'

/** @throws EmbeddedError, SchemaError, also when it is stopped */
export async function migrateData(config: Config): Promise<void> {
  const signal = abortOn(awaitStop(), new SchemaError('Stopped. Run the same command again to apply the rest.'))
  const { migrated, close } = await openResources(config, 'migrate', { signal })
  await close()
  console.log(migrated.length > 0 ? `Applied ${migrated.join(', ')}.` : 'The schema is up to date.')
}

/** @throws SchemaError */
export async function distributeData({ databaseUrl, isPooled }: Config, isDry: boolean): Promise<void> {
  if (databaseUrl === undefined)
    throw new SchemaError(
      'The embedded database is one server. Set DATABASE_URL to the coordinator of a Citus cluster.',
    )
  await distributeDatabase(databaseUrl, { isDry, isPooled, say: (line) => console.log(line) })
}

/** @throws EmbeddedError, SchemaError */
export async function showTenants(config: Config): Promise<void> {
  await withResources(config, async ({ config, database }) => {
    const tenants = await listTenants(database)
    printTenants(config, tenants, await withoutAdmin(database, tenants))
  })
}

/** @returns the tenants that have no admin yet */
export async function withoutAdmin(database: Database, tenants: readonly TenantRecord[]): Promise<TenantRecord[]> {
  const found: TenantRecord[] = []
  for (const tenant of tenants) if (!(await database.inTenant(tenant.id, hasAdmin))) found.push(tenant)
  return found
}

/** @throws EmbeddedError, SchemaError, TenantError */
export async function makeTenant(
  config: Config,
  settings: OperatorSettings & { readonly slug: string; readonly name: string },
): Promise<void> {
  await withResources(config, async ({ config, database }) => {
    await checkDomains(config, settings)
    const tenant = await createTenant(database, settings)
    printTenants(config, [tenant])
    await printWayIn(database, config, tenant)
  })
}

/** @throws EmbeddedError, SchemaError, TenantError */
export async function changeTenant(
  config: Config,
  slug: string,
  settings: OperatorSettings,
  isForced: boolean,
): Promise<void> {
  await withResources(config, async (resources) => {
    const { config, database } = resources
    await checkDomains(config, settings)
    const isKnown = await isLocationKnown(config)
    let deletedPasskeys = 0
    const tenant = await updateTenant(database, slug, settings, async (sql, before, after) => {
      if (isKnown) deletedPasskeys = await keepPasskeys(sql, resources, before, after, isForced)
      else await checkUnlocated(sql, before, after, isForced)
    })
    printTenants(config, [tenant])
    if (deletedPasskeys > 0) console.error(`\nDeleted ${deletedPasskeys} passkeys of another domain.`)
    if (tenant.slug !== slug && !tenant.baseUrl)
      console.error(`\nLinks in mails that were sent before lead to /t/${slug} and no longer work.`)
  })
}

/** @throws EmbeddedError, SchemaError, TenantError */
export async function removeTenant(config: Config, slug: string): Promise<void> {
  await withResources(config, ({ database }) => deleteTenant(database, slug))
  console.log(`Deleted the tenant "${slug}" and everything in it.`)
}

/** @throws EmbeddedError, SchemaError, TenantError */
export async function rotateTenantKeys(config: Config, slug: string, isNow: boolean): Promise<void> {
  await withResources(config, async (resources) => {
    const { id } = await getTenantBySlug(resources.database, slug)
    const signsFrom = await rotateKeys(resources, id, operator, { isNow })
    console.log(`The next signing key of the tenant "${slug}" is published. It signs from ${signsFrom}.`)
    if (isNow)
      console.log('All other keys are withdrawn. Services refuse their tokens once they have read the keys again.')
  })
}

/** @throws UsageError, EmbeddedError, SchemaError, TenantError */
export async function makeAdmin(config: Config, slug: string, email: string): Promise<void> {
  if (!normalizeEmail(email)) throw new UsageError(`"${email}" is not an email address.`)
  await withResources(config, async (resources) => {
    const tenant = await getTenantBySlug(resources.database, slug)
    const password = process.env.GUILDHALL_ADMIN_PASSWORD || (await prompt('Password: '))
    if (!password) throw new UsageError('The password is empty.')
    await createAdmin(resources, tenant, { email, password })
    console.log(`${email} is now an admin of the tenant "${slug}".`)
  })
}

/** @throws UsageError, EmbeddedError, SchemaError, TenantError */
export async function resetUserFactors(config: Config, slug: string, email: string): Promise<void> {
  const address = normalizeEmail(email)
  if (!address) throw new UsageError(`"${email}" is not an email address.`)
  await withResources(config, async ({ database, keyring }) => {
    const { id } = await getTenantBySlug(database, slug)
    const { removed, endedSessions } = await database.inTenant(id, async (sql) => {
      const [user] = await sql<{ id: string }>`
        select id from users where tenant_id = ${sql.tenant} and email = ${address}`
      if (!user) throw new TenantError(`The tenant "${slug}" has no user with the address ${address}.`)
      return resetFactors(sql, keyring, operator, user.id)
    })
    console.log(
      `Turned off the password of ${address}. Factors and linked accounts removed: ${removed}. Sessions ended: ${endedSessions}.`,
    )
    console.log('A mail with a link to choose a new password goes out. A suspended user gets none.')
  })
}

/** @throws TenantError if one of the domains is the host of the service, or might be */
async function checkDomains(config: Config, { domains = [] }: OperatorSettings): Promise<void> {
  if (domains.length === 0) return
  if (!(await isLocationKnown(config)))
    throw new TenantError(
      "A tenant's domain must not be the host of the service, which this command does not know. " +
        'Set PUBLIC_URL for it as for the service.',
    )
  const { hostname } = new URL(config.publicUrl)
  if (domains.includes(hostname))
    throw new TenantError(`"${hostname}" is the host of PUBLIC_URL, which cannot be a tenant's domain.`)
}

/** @param unattended the tenants among them that have no admin */
function printTenants(
  config: Config,
  tenants: readonly TenantRecord[],
  unattended: readonly TenantRecord[] = [],
): void {
  const blocks = tenants.map((tenant) =>
    [
      tenant.slug,
      `  Name      ${tenant.name}`,
      `  Id        ${uuidToTenantId(tenant.id)}`,
      `  Domains   ${tenant.domains.join(', ') || 'none'}`,
      `  Base URL  ${linkBaseOf(config, tenant)}${tenant.baseUrl ? '' : ' (this service)'}`,
      `  Origins   ${tenant.allowedOrigins.join(', ') || 'none'}`,
      `  Sender    ${tenant.mailFrom ?? `${config.mailFrom} (MAIL_FROM)`}`,
      ...(tenant.signInDomain ? [`  Sign-in   ${tenant.signInDomain}`] : []),
      ...(tenant.passkeyDomain ? [`  Passkeys  ${tenant.passkeyDomain}`] : []),
      ...(unattended.includes(tenant) ? [`  Admins    none: ${adminCommandFor(tenant)}`] : []),
    ].join('\n'),
  )
  console.log(blocks.join('\n\n'))
}

/** @returns the command that creates a tenant's first admin */
export function adminCommandFor({ slug }: TenantRecord): string {
  return `guildhall admin create --email … --tenant ${slug}`
}

/** Prints a new tenant's set-up link and the address of its mailbox. */
async function printWayIn(database: Database, config: Config, tenant: TenantRecord): Promise<void> {
  const { publicUrl, smtpUrl, mailboxKey } = config
  const link = await renewSetUpLink(database, config, tenant)
  console.log(`\nThis link creates its first admin. It works once, within 24 hours:\n${link}`)
  if (!isLocationSet())
    console.log(
      `\nThe link assumes that the service is at ${publicUrl}. If it is not, set PUBLIC_URL for this command too.`,
    )
  if (smtpUrl !== undefined) return
  const mailbox = `${publicUrl}/t/${tenant.slug}/mailbox`
  if (mailboxKey) console.log(`\nIts mailbox:\n${mailbox}#${mailboxKey}`)
  else
    console.log(
      `\nIts mailbox, which needs the key that the service prints after /mailbox# when it starts:\n${mailbox}`,
    )
}

/** Reads a line from the terminal without echoing it. @returns '' if the input ends before a line */
async function prompt(question: string): Promise<string> {
  process.stderr.write(question)
  const reader = createInterface({ input: process.stdin, terminal: process.stdin.isTTY === true })
  try {
    const answer = await Promise.race([once(reader, 'line'), once(reader, 'close')])
    const [line = ''] = answer as [string?] // the arguments of these events
    return line
  } finally {
    reader.close()
    process.stderr.write('\n')
  }
}
