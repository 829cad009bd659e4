/** Applications: `guildhall application`, by which the operator makes, lists, changes and deletes the applications of a tenant. */
import { lockTenant, type Transact } from '../domain/access/tenant-lock.ts'
import {
  makeApplication,
  rotateSecret,
  updateApplication,
  type WantedApplication,
} from '../domain/applications/administration.ts'
import {
  type Application,
  type ApplicationRow,
  selectApplications,
  toApplication,
} from '../domain/applications/applications.ts'
import { deleteApplication } from '../domain/applications/deletion.ts'
import { SecretRotation, usualOverlap } from '../domain/secrets.ts'
import { issuerOf } from '../domain/signing-keys/issuer.ts'
import { makeFirstKey } from '../domain/signing-keys/signing-keys.ts'
import { ApplicationChange, NewApplication } from '../features/applications/applications.ts'
import { getTenantBySlug, operator, TenantError } from '../features/tenants/tenants.ts'
import type { Sql } from '../platform/database/database.ts'
import type { Fault } from '../platform/http/faults.ts'
import { Problem } from '../platform/http/problems.ts'
import { uuidToTenantId } from '../platform/http/schemas.ts'
import type { Config } from '../platform/settings/config.ts'
import { checkBody, explain } from './refusals.ts'
import { type OpenResources, withResources } from './resources.ts'

/** Where the command works: in a tenant. */
interface Place {
  readonly config: Config
  readonly slug: string
}

/** What the work of a command has. The operator changes any version. */
type Surroundings = OpenResources & { readonly wantedTags: undefined; readonly issuer: string }

/** @param wanted fields that the command line names, of any form @throws EmbeddedError, SchemaError, TenantError */
export async function addApplication(place: Place, wanted: object): Promise<void> {
  checkBody(NewApplication, wanted, sayFaults)
  const make = async (sql: Sql, surroundings: Surroundings) =>
    sayMade(surroundings.issuer, await makeApplication(sql, surroundings, operator, wanted as WantedApplication)) // it is checked
  await inTenant(place, make, makeFirstKey)
  if ('kind' in wanted && wanted.kind === 'server') console.error(shownOnce)
}

/** @throws EmbeddedError, SchemaError, TenantError */
export async function showApplications(place: Place): Promise<void> {
  await withResources(place.config, async ({ config, database }) => {
    const { id } = await getTenantBySlug(database, place.slug)
    const applications = await database.inTenant(
      id,
      (sql) => sql<ApplicationRow>`${selectApplications(sql.tenant)} order by a.created_at, a.id`,
    )
    if (applications.length === 0) return console.log(`The tenant "${place.slug}" has no applications.`)
    console.log(
      [`Issuer  ${issuerOf(config, uuidToTenantId(id))}`, ...applications.map(toApplication).map(describe)].join(
        '\n\n',
      ),
    )
  })
}

/** @throws EmbeddedError, SchemaError, TenantError */
export async function changeApplication(place: Place, id: string, wanted: object): Promise<void> {
  checkBody(ApplicationChange, wanted, sayFaults)
  await inTenant(place, async (sql, surroundings) =>
    describe(await updateApplication(sql, surroundings, operator, id, wanted)),
  )
}

/** @throws EmbeddedError, SchemaError, TenantError */
export async function replaceSecret(place: Place, id: string, overlapSeconds = usualOverlap): Promise<void> {
  checkBody(SecretRotation, { overlapSeconds }, sayFaults)
  await inTenant(place, async (sql, surroundings) =>
    sayMade(surroundings.issuer, await rotateSecret(sql, surroundings, operator, id, overlapSeconds)),
  )
  console.error(shownOnce)
}

/** @throws EmbeddedError, SchemaError, TenantError */
export async function removeApplication(place: Place, id: string): Promise<void> {
  await onTenant(place, async (transact, surroundings) => {
    const { name } = await deleteApplication(transact, surroundings, id, undefined)
    return `Deleted the application ${id} (${name}). Its tokens are refused from now on.`
  })
}

/**
 * Works in one transaction.
 *
 * @param work    returns what is to be said once it is committed
 * @param prepare is called before it, with the tenant
 */
async function inTenant(
  place: Place,
  work: (sql: Sql, surroundings: Surroundings) => Promise<string>,
  prepare?: typeof makeFirstKey,
): Promise<void> {
  await onTenant(place, async (transact, surroundings, tenant) => {
    await prepare?.(surroundings, tenant)
    return transact((sql) => work(sql, surroundings))
  })
}

/** @param work gets a way to transactions, and returns what is to be said at the end */
async function onTenant(
  { config, slug }: Place,
  work: (transact: Transact, surroundings: Surroundings, tenant: string) => Promise<string>,
): Promise<void> {
  await withResources(config, async (resources) => {
    const { id } = await getTenantBySlug(resources.database, slug)
    const issuer = issuerOf(resources.config, uuidToTenantId(id))
    const transact: Transact = (change) =>
      resources.database.inTenant(id, async (sql) => {
        await lockTenant(sql)
        return change(sql, operator)
      })
    console.log(await work(transact, { ...resources, wantedTags: undefined, issuer }, id))
  }).catch((error: unknown) => {
    if (error instanceof Problem && error.code === 'not_found')
      throw new TenantError(`The tenant "${slug}" has no such application.`)
    explain(error, sayFaults)
  })
}

/** Beside the output, which a script may read. */
const shownOnce = 'The secret is shown once. Store it now.'

function sayMade(issuer: string, { application, secret }: Awaited<ReturnType<typeof makeApplication>>): string {
  return [`Issuer  ${issuer}`, `Id      ${application.id}`, ...(secret === null ? [] : [`Secret  ${secret}`])].join(
    '\n',
  )
}

function describe(application: Application): string {
  const { id, name, kind, redirectUris, postLogoutUris, startUrl, logoUrl, backChannelLogoutUri, scopes } = application
  const { requireVerifiedEmail, chooseOrganization, isHome, enabled, secrets, lastLogout } = application
  const yesOrNo = (value: boolean) => (value ? 'yes' : 'no')
  return [
    id,
    `  Name           ${name}`,
    `  Kind           ${kind}`,
    `  Redirects      ${redirectUris.join(', ')}`,
    `  Sign-out       ${postLogoutUris.join(', ') || 'none'}`,
    `  Back-channel   ${backChannelLogoutUri ?? 'none'}${lastLogout ? ` (${lastLogout.outcome} ${lastLogout.at})` : ''}`,
    `  Start          ${startUrl ?? 'none'}`,
    `  Logo           ${logoUrl ?? 'none'}`,
    `  Scopes         ${scopes.join(', ')}`,
    `  Verified only  ${yesOrNo(requireVerifiedEmail)}`,
    `  Organization   ${chooseOrganization ? 'people choose one' : 'none, unless the application names one'}`,
    `  Home           ${yesOrNo(isHome)}`,
    `  Enabled        ${yesOrNo(enabled)}`,
    ...(kind === 'server' ? [`  Secrets        ${secrets.map(describeSecret).join('; ') || noSecret}`] : []),
  ].join('\n')
}

const noSecret = 'none; "guildhall application rotate-secret" makes one'

function describeSecret({ createdAt, expiresAt, lastUsedAt }: Application['secrets'][number]): string {
  const end = expiresAt === null ? '' : `, ends ${expiresAt}`
  return `of ${createdAt}, ${lastUsedAt === null ? 'never used' : `used ${lastUsedAt}`}${end}`
}

/** The options of the fields. */
const optionOf: Readonly<Record<string, string>> = {
  redirectUris: '--redirect-uri',
  postLogoutUris: '--post-logout-uri',
  backChannelLogoutUri: '--back-channel-logout-uri',
  startUrl: '--start-url',
  logoUrl: '--logo-url',
  overlapSeconds: '--overlap-seconds',
}

/** Says which option is wrong; of several addresses or scopes, which of them. */
function sayFaults(faults: readonly Fault[]): string {
  return faults
    .map(({ pointer, detail }) => {
      const [, field = '', index] = pointer.split('/')
      return `${optionOf[field] ?? `--${field}`}${index === undefined ? '' : `, number ${Number(index) + 1}`}: ${detail}`
    })
    .join('\n')
}
