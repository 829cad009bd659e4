/**
 * Administration of applications: making and changing them and their secrets, by an admin of the tenant or the operator. deletion.ts
 * deletes them.
 *
 * Invariant: while a tenant has an application, it has a signing key. So the key is made first (`makeFirstKey`), outside of the transaction.
 */
import { pipeline, type Sql } from '../../platform/database/database.ts'
import type { RequestContext } from '../../platform/http/context.ts'
import { type Fault, faultOf } from '../../platform/http/faults.ts'
import { checkVersion, type Versioned } from '../../platform/http/preconditions.ts'
import { invalidRequest } from '../../platform/http/problems.ts'
import { newId, normalizeName } from '../../platform/http/schemas.ts'
import { resumeQueue } from '../../platform/jobs/queue.ts'
import type { Config } from '../../platform/settings/config.ts'
import type { Actor } from '../access/actors.ts'
import { newToken } from '../access/tokens.ts'
import { caps } from '../limits/caps.ts'
import { tellOfApplication } from '../mail/applications.ts'
import { ApiProblem, found } from '../problems.ts'
import { type Changes, changesBetween } from '../record/changes.ts'
import { record } from '../record/record.ts'
import { queueOfLogouts } from '../sessions/grants.ts'
import { faultsOfAddresses } from './addresses.ts'
import {
  type ApplicationFields,
  addSecret,
  insertApplication,
  takeHome,
  touchApplication,
  writeApplication,
} from './application-states.ts'
import {
  type Application,
  type ApplicationKind,
  type ApplicationRow,
  applicationScopes,
  selectApplications,
  toApplication,
  usualScopes,
} from './applications.ts'

/** What the work needs of its surroundings, for a request or a command. */
interface Surroundings {
  readonly config: Pick<Config, 'publicUrl'>
  readonly keyring: RequestContext['keyring']
}

/** An application that somebody wants to make. */
export type WantedApplication = Pick<ApplicationFields, 'name' | 'redirectUris'> &
  Partial<ApplicationFields> & { readonly kind: ApplicationKind }

/** An application, and the secret that is shown once. */
export interface MadeApplication {
  readonly application: Application & Versioned
  /** Null for a kind that has none. */
  readonly secret: string | null
}

const addressFields = ['redirectUris', 'postLogoutUris', 'startUrl', 'backChannelLogoutUri'] as const

/**
 * Makes an application, and mails the tenant’s admins. The tenant must be locked, and have a signing key.
 *
 * @throws Problem limit_reached; invalid_request with all faults
 */
export async function makeApplication(
  sql: Sql,
  surroundings: Surroundings,
  actor: Actor,
  wanted: WantedApplication,
): Promise<MadeApplication> {
  const application = toNewApplication(wanted)
  const { id, kind } = application
  const faults = await faultsOfFields(sql, surroundings, kind, application)
  if (faults.length > 0) throw invalidRequest(faults)
  const [existing] = await sql<{ count: number }>`select count(*) from applications where tenant_id = ${sql.tenant}`
  if ((existing?.count ?? 0) >= caps.applications.most) throw new ApiProblem('limit_reached')
  if (application.isHome) await replaceHome(sql, actor, id)
  const secret = kind === 'server' ? newToken('ghx', sql.tenant) : undefined
  await pipeline([
    insertApplication(sql, application),
    secret && addSecret(sql, id, secret.hash, 0),
    record(sql, actor, 'application.created', {
      target: { type: 'application', id },
      details: { name: application.name, kind, redirectUris: application.redirectUris },
    }),
  ])
  await tellOfApplication(sql, surroundings, application.name, 'added')
  return { application: await getApplication(sql, id), secret: secret?.token ?? null }
}

/**
 * Changes an application. The tenant must be locked.
 *
 * @throws Problem not_found, version_mismatch; invalid_request with all faults
 */
export async function updateApplication(
  sql: Sql,
  surroundings: Surroundings & Pick<RequestContext, 'wantedTags'>,
  actor: Actor,
  id: string,
  { kind, ...sent }: Partial<WantedApplication>,
): Promise<Application & Versioned> {
  const before = await getApplication(sql, id)
  checkVersion(surroundings, before)
  const wanted = asStored(sent)
  const faults =
    kind === undefined || kind === before.kind ? [] : [faultOf('/kind', 'not_allowed', 'The kind never changes.')]
  const found = [...faults, ...(await faultsOfFields(sql, surroundings, before.kind, wanted, before))]
  if (found.length > 0) throw invalidRequest(found)
  const changes = await writeChanges(sql, actor, before, wanted)
  if (!changes) return before
  // What the former address did not take need not wait for it.
  if (changes.backChannelLogoutUri) await resumeQueue(sql, queueOfLogouts(id))
  const after = await getApplication(sql, id)
  if (addressFields.some((field) => changes[field])) await tellOfApplication(sql, surroundings, after.name, 'addresses')
  return after
}

/**
 * Gives an application another secret. The tenant must be locked.
 *
 * @param overlapSeconds how long the secret before lives on
 * @throws Problem not_found, no_secret
 */
export async function rotateSecret(
  sql: Sql,
  surroundings: Surroundings,
  actor: Actor,
  id: string,
  overlapSeconds: number,
): Promise<MadeApplication> {
  const { kind, name } = await getApplication(sql, id)
  if (kind !== 'server') throw new ApiProblem('no_secret')
  const { token, hash } = newToken('ghx', sql.tenant)
  await pipeline([
    addSecret(sql, id, hash, overlapSeconds),
    touchApplication(sql, id),
    record(sql, actor, 'application.secret_rotated', {
      target: { type: 'application', id },
      details: { overlapSeconds },
    }),
  ])
  await tellOfApplication(sql, surroundings, name, 'secret')
  return { application: await getApplication(sql, id), secret: token }
}

/** @returns the application that somebody wants, with an id of its own, as it is stored */
export function toNewApplication({
  kind,
  ...wanted
}: WantedApplication): ApplicationFields & Pick<Application, 'id' | 'kind'> {
  return {
    ...{ logoUrl: null, startUrl: null, postLogoutUris: [], backChannelLogoutUri: null, scopes: [...usualScopes] },
    ...{ requireVerifiedEmail: true, chooseOrganization: false, isHome: false, enabled: true },
    ...asStored(wanted),
    ...{ id: newId('app'), kind },
  }
}

/** @returns the fields that were sent, as they are stored */
function asStored<Sent extends Partial<ApplicationFields>>(sent: Sent): Sent {
  const { name, scopes } = sent
  return {
    ...sent,
    ...(name !== undefined && { name: normalizeName(name) }),
    ...(scopes && { scopes: applicationScopes.filter((scope) => scopes.includes(scope)) }),
  }
}

/** @param stored the fields that it has, if it is there already @returns what is wrong with fields that fit the schema */
export async function faultsOfFields(
  sql: Sql,
  { config }: Pick<Surroundings, 'config'>,
  kind: ApplicationKind,
  wanted: Partial<ApplicationFields>,
  stored?: ApplicationFields,
): Promise<Fault[]> {
  const found = await faultsOfAddresses(sql, config, kind, wanted, stored)
  if (wanted.scopes && !wanted.scopes.includes('openid'))
    found.push(faultOf('/scopes', 'required', '`openid` is needed: without it nobody can sign in.'))
  return found
}

/** @returns what has changed; undefined: nothing, and nothing is written */
export async function writeChanges(
  sql: Sql,
  actor: Actor,
  before: Application,
  wanted: Partial<ApplicationFields>,
): Promise<Changes | undefined> {
  const { id } = before
  const changes = changesBetween(before, wanted)
  if (!changes) return undefined
  if (wanted.isHome) await replaceHome(sql, actor, id)
  await pipeline([
    writeApplication(sql, id, { ...before, ...wanted }),
    record(sql, actor, 'application.updated', { target: { type: 'application', id }, details: changes }),
  ])
  return changes
}

/** Takes `isHome` from the application that has it. */
async function replaceHome(sql: Sql, actor: Actor, id: string): Promise<void> {
  const others = await takeHome(sql, id)
  await pipeline(
    others.map((other) =>
      record(sql, actor, 'application.updated', {
        target: { type: 'application', id: other.id },
        details: { isHome: { from: true, to: false } },
      }),
    ),
  )
}

/** @throws Problem not_found */
export async function getApplication(sql: Sql, id: string): Promise<ApplicationRow> {
  const [row] = await sql<ApplicationRow>`${selectApplications(sql.tenant)} and a.id = ${id}`
  return toApplication(found(row))
}
