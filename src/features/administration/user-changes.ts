/**
 * Administration: what tenant admins do with the users of their tenant.
 *
 * Invariants: a tenant keeps at least one active admin (`keepAnAdmin`, under the tenant's lock, which the door takes); an admin never sets a
 * password; nobody is made an admin, or is one again after a suspension, without the password of the admin who does it.
 */

import { Type } from 'typebox'
import type { Caller, KeyCaller } from '../../domain/access/actors.ts'
import { checkRank } from '../../domain/access/rank.ts'
import { confirmCaller } from '../../domain/credentials/confirmation.ts'
import { spendMailedTokens } from '../../domain/credentials/mailed-tokens.ts'
import { endOwnKeys, leaveKeys, leaveTenantKeys } from '../../domain/keys/endings.ts'
import { recheckAdmin } from '../../domain/organizations/administration.ts'
import { claimOrganizationsOf, lockOrganizationsOf } from '../../domain/organizations/memberships.ts'
import { endOffersOf } from '../../domain/organizations/offers.ts'
import { keepAnAdmin } from '../../domain/people/admins.ts'
import { ExternalId, externalIdOfUser, setExternalIdOfUser } from '../../domain/people/external-ids.ts'
import { ofTenantAdmins, ofThemselves } from '../../domain/people/fields.ts'
import { selectUserForAdmins, User, userColumns } from '../../domain/people/users.ts'
import { found } from '../../domain/problems.ts'
import { type Changes, changesBetween } from '../../domain/record/changes.ts'
import { record } from '../../domain/record/record.ts'
import { wordsOfUser } from '../../domain/search/words.ts'
import { indexUser, newWords, sameWords } from '../../domain/search/writing.ts'
import { endAttempts } from '../../domain/sessions/attempts.ts'
import { endAllSessions } from '../../domain/sessions/sessions.ts'
import { pipeline, type Sql } from '../../platform/database/database.ts'
import { asStored, assignments, patchOf } from '../../platform/database/fields.ts'
import type { RequestContext } from '../../platform/http/context.ts'
import { mergeMetadata } from '../../platform/http/merge.ts'
import { checkVersion, type Versioned, withTag } from '../../platform/http/preconditions.ts'
import { Id, Nullable, ref, searchKey } from '../../platform/http/schemas.ts'
import type { App } from '../../platform/http/server.ts'
import { checkGrant, currentPassword, passwordProblems } from './user-creation.ts'

const path = Type.Object({ userId: Id('user') })

const { role, status, ...others } = ofTenantAdmins
/** What an admin changes of a user. */
const fields = { name: ofThemselves.name, role, status, ...others }

export async function userChangeRoutes(app: App): Promise<void> {
  app.patch(
    '/admin/users/:userId',
    {
      config: {
        access: 'tenant_admin',
        scope: 'users:write',
        problems: ['not_found', 'role_above_yours', 'last_admin', 'external_id_taken', ...passwordProblems],
        takesIfMatch: true,
      },
      schema: {
        operationId: 'updateUser',
        summary: 'Update user',
        description:
          'Omitted fields keep their value; `appMetadata` is merged. Suspending a user ends every session and every key of theirs, disables links that were mailed to the user, and revokes invitations and links that the user made. Taking the role `admin` revokes the invitations that the user sent as an admin. Making somebody an admin, and reactivating an admin, takes `currentPassword`.',
        tags: ['Administration'],
        params: path,
        body: Type.Object(
          {
            ...patchOf(fields),
            externalId: Type.Optional(Nullable(ExternalId)),
            currentPassword,
          },
          { additionalProperties: false },
        ),
        response: { 200: ref(User) },
      },
    },
    async (request, reply) => {
      const { userId } = request.params
      const { currentPassword, ...wanted } = request.body
      const confirmed =
        currentPassword === undefined ? undefined : await confirmCaller(request, currentPassword, '/currentPassword')
      const user = await request.asTenantAdmin(async (sql, caller) => {
        // An invitation that is being sent is waited for, so that it is there to be revoked.
        if (wanted.status === 'suspended' || wanted.role === 'user') {
          await claimOrganizationsOf(sql, userId, { invited: true })
          await lockOrganizationsOf(sql, userId, { invited: true })
        }
        const [before] = await pipeline([lockUser(sql, userId), recheckAdmin(sql, caller)])
        checkRank(caller, before.role)
        if (makesAdmin(before, wanted)) await checkGrant(sql, caller, confirmed)
        checkVersion(request.context, before)
        if (wanted.role === 'user' || wanted.status === 'suspended')
          await keepAnAdmin(sql, { userId, role: before.role })
        return updateUser(sql, request.context, caller, before, wanted)
      })
      return withTag(reply, user)
    },
  )
}

/** Locked, so that nothing is lost that the user changes at the same moment. @throws Problem not_found */
async function lockUser(sql: Sql, userId: string): Promise<User & Versioned> {
  const [user] = await sql<User & Versioned>`
    ${selectUserForAdmins(sql.tenant)} where tenant_id = ${sql.tenant} and id = ${userId} for no key update`
  return found(user)
}

/** Fields of the body. */
type Wanted = Partial<Omit<Pick<User, keyof typeof fields | 'externalId'>, 'appMetadata'>> & {
  readonly appMetadata?: User['appMetadata'] | null
}

/** Whether a change gives the rights of an admin: the role, or to an admin the end of a suspension. */
function makesAdmin(before: Pick<User, 'role' | 'status'>, wanted: Wanted): boolean {
  const { role, status } = { ...before, ...wanted }
  return role === 'admin' && (before.role !== 'admin' || (before.status === 'suspended' && status === 'active'))
}

async function updateUser(
  sql: Sql,
  context: RequestContext,
  caller: Caller | KeyCaller,
  before: User & Versioned,
  wanted: Wanted,
): Promise<User & Versioned> {
  const sent = asStored(fields, {
    ...wanted,
    appMetadata: mergeMetadata(before.appMetadata, wanted.appMetadata, '/appMetadata'),
  })
  const changes = changesBetween(before, sent)
  if (!changes) return before
  const values = { ...before, ...sent }
  const words = wordsOfUser(values)
  const isSuspended = changes.status && values.status === 'suspended'
  // Before the row is read for the answer: it cancels a pending change of the address.
  if (isSuspended)
    await spendMailedTokens(sql, caller, { target: { type: 'user', userId: before.id, name: before.name } })
  if (changes.externalId) await setExternalIdOfUser(sql, before.id, sent.externalId ?? null)
  const [after] = await sql<User & Versioned>`
    update users
    set ${assignments(fields, values)}, name_key = ${values.name === null ? null : searchKey(values.name)},
      ${changes.name ? newWords(words) : sameWords}, version = version + 1, updated_at = now()
    where tenant_id = ${sql.tenant} and id = ${before.id}
    returning ${userColumns(sql.tenant)}, ${externalIdOfUser(sql.tenant)}`
  if (changes.name) await indexUser(sql, { id: before.id, words })
  let ended = {}
  if (isSuspended) {
    const endedSessions = await endAllSessions(sql, before.id)
    await endAttempts(sql, context, before.id, before.email)
    ended = { endedSessions }
    await endOwnKeys(sql, caller, before.id, 'suspended')
    await leaveKeys(sql, caller, before.id)
    await endOffersOf(sql, caller, before.id, 'inviter_suspended')
  }
  if (changes.role && values.role === 'user') {
    await leaveTenantKeys(sql, caller, before.id)
    await endOffersOf(sql, caller, before.id, 'inviter_demoted')
  }
  await recordChanges(sql, caller, before, changes, ended)
  return after as User & Versioned // the row is locked
}

/**
 * An entry for each kind of change.
 *
 * @param ended what a suspension took away
 */
async function recordChanges(
  sql: Sql,
  caller: Caller | KeyCaller,
  { id, name }: User,
  changes: Changes,
  ended: Readonly<Record<string, unknown>>,
): Promise<void> {
  const { role, status, ...profile } = changes
  const target = { type: 'user', userId: id, name } as const
  if (status)
    await record(sql, caller, status.to === 'suspended' ? 'user.suspended' : 'user.reactivated', {
      target,
      ...(Object.keys(ended).length > 0 && { details: ended }),
    })
  if (role) await record(sql, caller, 'user.role_changed', { target, details: { role } })
  if (Object.keys(profile).length > 0) await record(sql, caller, 'profile.updated', { target, details: profile })
}
