/** Operations: what the operator's commands do, also while the service runs. */
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { linkBaseOf } from '../domain/mail/mail.ts'
import { createAdmin, hasAdmin, renewSetUpLink } from '../features/tenants/set-up.ts'
import {
  createTenant,
  deleteTenant,
  ensureDefaultTenant,
  getTenantBySlug,
  listTenants,
  TenantError,
  type TenantRecord,
  type TenantSettings,
  updateTenant,
} from '../features/tenants/tenants.ts'
import type { Database } from '../platform/database/database.ts'
import { checkEmbedded } from '../platform/database/embedded.ts'
import { normalizeEmail, uuidToTenantId } from '../platform/http/schemas.ts'
import type { Config } from '../platform/settings/config.ts'
import { type OpenResources, openResources, readPublicUrl } from './resources.ts'
import { UsageError } from './usage.ts'

/** @throws EmbeddedError, SchemaError */
export async function migrateData(config: Config): Promise<void> {
  const { migrated, close } = await openResources(config, 'migrate')
  await close()
  console.log(migrated.length > 0 ? `Applied ${migrated.join(', ')}.` : 'The schema is up to date.')
}

/** @throws EmbeddedError, SchemaError */
export async function showTenants(config: Config): Promise<void> {
  await withResources(config, async ({ config, database }) => {
    const tenants = await listTenants(database)
    printTenants(config, tenants, await withoutAdmin(database, tenants))
  })
}

/** @returns those tenants that nobody can administer so far */
export async function withoutAdmin(database: Database, tenants: readonly TenantRecord[]): Promise<TenantRecord[]> {
  const found: TenantRecord[] = []
  for (const tenant of tenants) if (!(await database.inTenant(tenant.id, hasAdmin))) found.push(tenant)
  return found
}

/** @throws EmbeddedError, SchemaError, TenantError */
export async function makeTenant(
  config: Config,
  settings: TenantSettings & { readonly slug: string; readonly name: string },
): Promise<void> {
  await withResources(config, async ({ config, database }) => {
    checkDomains(config, settings)
    const tenant = await createTenant(database, settings)
    printTenants(config, [tenant])
    await printWayIn(database, config, tenant)
  })
}

/** @throws EmbeddedError, SchemaError, TenantError */
export async function changeTenant(config: Config, slug: string, settings: TenantSettings): Promise<void> {
  await withResources(config, async ({ config, database }) => {
    checkDomains(config, settings)
    const tenant = await updateTenant(database, slug, settings)
    printTenants(config, [tenant])
    if (tenant.slug !== slug && !tenant.baseUrl)
      console.error(`\nLinks in mails that went out before lead to /t/${slug}, and no longer work.`)
  })
}

/** @throws EmbeddedError, SchemaError, TenantError */
export async function removeTenant(config: Config, slug: string): Promise<void> {
  await withResources(config, ({ database }) => deleteTenant(database, slug))
  console.log(`Deleted the tenant "${slug}" and everything in it.`)
}

/** @throws UsageError, EmbeddedError, SchemaError, TenantError */
export async function makeAdmin(config: Config, slug: string, email: string): Promise<void> {
  if (!normalizeEmail(email)) throw new UsageError(`"${email}" is not an email address.`)
  await withResources(config, async (resources) => {
    const tenant = await getTenantBySlug(resources.database, slug)
    const password = process.env.GUILDHALL_ADMIN_PASSWORD || (await ask('Password: '))
    if (!password) throw new UsageError('No password was given.')
    await createAdmin(resources, tenant, { email, password })
    console.log(`${email} is an admin of the tenant "${slug}" now.`)
  })
}

/** @throws TenantError */
function checkDomains({ publicUrl }: Config, { domains }: TenantSettings): void {
  const { hostname } = new URL(publicUrl)
  if (domains?.includes(hostname))
    throw new TenantError(`"${hostname}" is the host of PUBLIC_URL, which belongs to no tenant alone.`)
}

/** Works on what a start of the service leaves: the tenant `default` is there in any case. */
export async function withResources(config: Config, work: (resources: OpenResources) => Promise<void>): Promise<void> {
  await withData(config, async (resources) => {
    await ensureDefaultTenant(resources.database)
    await work(resources)
  })
}

/** Works on data that is there, as it is: none is made for a command that was typed in the wrong folder. */
export async function withData(config: Config, work: (resources: OpenResources) => Promise<void>): Promise<void> {
  if (config.databaseUrl === undefined) checkEmbedded(config.dataFolder)
  const resources = await openResources({ ...config, publicUrl: await findPublicUrl(config) }, 'check')
  try {
    await work(resources)
  } finally {
    await resources.close()
  }
}

/** @param unattended those of them that have no admin */
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
      ...(unattended.includes(tenant) ? [`  Admins    none: ${adminCommandFor(tenant)}`] : []),
    ].join('\n'),
  )
  console.log(blocks.join('\n\n'))
}

/** What makes a tenant's first admin. */
export function adminCommandFor({ slug }: TenantRecord): string {
  return `guildhall admin create --email … --tenant ${slug}`
}

/** Where a new tenant's first admin is made, and where its mails are read. */
async function printWayIn(database: Database, config: Config, tenant: TenantRecord): Promise<void> {
  const { publicUrl, smtpUrl, mailboxKey } = config
  const link = await renewSetUpLink(database, config, tenant)
  console.log(`\nThe link that makes its first admin (once, within 24 hours):\n${link}`)
  if (!isTold())
    console.log(
      `\nThe service is taken to be at ${publicUrl}. If it is elsewhere, set PUBLIC_URL for this command too.`,
    )
  if (smtpUrl !== undefined) return
  const mailbox = `${publicUrl}/t/${tenant.slug}/mailbox`
  if (mailboxKey) console.log(`\nIts mailbox:\n${mailbox}#${mailboxKey}`)
  else
    console.log(
      `\nIts mailbox, which asks for the key that stands after /mailbox# where the service started:\n${mailbox}`,
    )
}

/** Where the service is: as the settings here say; where they say nothing, as it noted beside its data when it started. */
async function findPublicUrl({ publicUrl, databaseUrl, dataFolder }: Config): Promise<string> {
  if (isTold() || databaseUrl !== undefined) return publicUrl
  return (await readPublicUrl(dataFolder)) ?? publicUrl
}

/** Whether this command was told where the service is. */
function isTold(): boolean {
  return Boolean(process.env.PUBLIC_URL || process.env.PORT)
}

/** Reads a line without showing it. */
async function ask(question: string): Promise<string> {
  process.stderr.write(question)
  const reader = createInterface({ input: process.stdin, terminal: process.stdin.isTTY === true })
  try {
    // The input may end without a line, as at Ctrl-C.
    const answer = await Promise.race([once(reader, 'line'), once(reader, 'close')])
    const [line = ''] = answer as [string?] // what these events hand over
    return line
  } finally {
    reader.close()
    process.stderr.write('\n')
  }
}
