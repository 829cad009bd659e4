/** Me: the caller's own profile. */
import { Type } from 'typebox'
import type { Caller } from '../../domain/access/actors.ts'
import { checkEmailDomain } from '../../domain/access/tenancy.ts'
import { confirmCaller } from '../../domain/credentials/confirmation.ts'
import { Password } from '../../domain/credentials/passwords.ts'
import { countMail, mailRates } from '../../domain/limits/mail-rates.ts'
import { requestEmailChange } from '../../domain/people/email.ts'
import { ofThemselves } from '../../domain/people/fields.ts'
import { selectUser, User, userColumns } from '../../domain/people/users.ts'
import { dropPicture, insertPicture, type NewPicture } from '../../domain/pictures/pictures.ts'
import { checkPictureUrl } from '../../domain/pictures/urls.ts'
import { ApiProblem } from '../../domain/problems.ts'
import { changesBetween } from '../../domain/record/changes.ts'
import { record } from '../../domain/record/record.ts'
import { wordsOfUser } from '../../domain/search/words.ts'
import { indexUser, newWords, sameWords } from '../../domain/search/writing.ts'
import { recheckCaller } from '../../domain/sessions/recheck.ts'
import { pipeline, type Sql, statement } from '../../platform/database/database.ts'
import { asStored, assignments, patchOf } from '../../platform/database/fields.ts'
import type { RequestContext } from '../../platform/http/context.ts'
import { faultOf } from '../../platform/http/faults.ts'
import { mergeMetadata } from '../../platform/http/merge.ts'
import { checkVersion, type Versioned, withTag } from '../../platform/http/preconditions.ts'
import { invalidRequest, type Problem } from '../../platform/http/problems.ts'
import { Email, normalizeEmail, ref, searchKey } from '../../platform/http/schemas.ts'
import type { App } from '../../platform/http/server.ts'

export async function meRoutes(app: App): Promise<void> {
  app.addSchema(User)

  app.get(
    '/users/me',
    {
      config: { access: 'user', scope: 'me:read', withoutSecondFactor: true },
      schema: {
        operationId: 'getMe',
        summary: 'Get current user',
        description: 'The caller, with the fields that only they and the tenant’s admins see.',
        tags: ['Me'],
        response: { 200: ref(User) },
      },
    },
    async (request, reply) => {
      const { users } = await request.readAsUser<{ users: User & Versioned }>(
        ({ tenant, user }) => ({
          users: statement`${selectUser(tenant)} where tenant_id = ${tenant} and id = ${user}`,
        }),
        { byKey: true },
      )
      return withTag(reply, own(users[0]))
    },
  )

  app.patch(
    '/users/me',
    {
      config: {
        access: 'user',
        scope: 'me:update',
        problems: [
          'wrong_password',
          'confirmation_required',
          'email_domain_not_allowed',
          'too_many_attempts',
          'overloaded',
        ],
        rates: mailRates.change,
        takesIfMatch: true,
      },
      schema: {
        operationId: 'updateMe',
        summary: 'Update profile',
        description: 'Omitted fields keep their value; `null` clears a field.',
        tags: ['Me'],
        body: Type.Object(
          {
            ...patchOf(ofThemselves),
            email: Type.Optional({
              ...Email,
              description:
                'Becomes `pendingEmail` until the link mailed to it is opened. The current address cancels a pending change.',
            }),
            currentPassword: Type.Optional({
              ...Password,
              description:
                'Only with `email`. Required if you have a password and signed in with one factor; otherwise the session must be fresh.',
            }),
          },
          { additionalProperties: false },
        ),
        response: { 200: ref(User) },
      },
    },
    async (request, reply) => {
      const { email: typed, currentPassword, ...profile } = request.body
      if (typed === undefined && currentPassword !== undefined) throw missing('/email')
      const email = typed === undefined ? undefined : (normalizeEmail(typed) as string) // the format `email` let it pass
      const confirmed =
        email === undefined ? undefined : await confirmCaller(request, currentPassword, '/currentPassword')
      if (email !== undefined && confirmed && email !== confirmed.email) checkEmailDomain(confirmed, email)
      const user = await request.asUser(async (sql, caller) => {
        const before = await lockProfile(sql, caller, request.context)
        const { email: present, emailVerified } = before
        checkPictureUrl(app.config, '/avatarUrl', before.avatarUrl, profile.avatarUrl)
        if (email !== undefined && confirmed) {
          // The present address takes a change back, and is mailed nothing.
          const isMailed = email !== present && (await countMail(request.context, caller.tenantId, email, 'change'))
          await requestEmailChange(sql, { ...caller, email: present, emailVerified }, email, confirmed, isMailed)
        }
        return updateProfile(sql, caller, before, profile)
      })
      return withTag(reply, user)
    },
  )
}

/** Fields of the body. */
type Profile = Partial<Omit<Pick<User, keyof typeof ofThemselves>, 'metadata'>> & {
  readonly metadata?: User['metadata'] | null
}

/**
 * Locks the row of the caller.
 *
 * @throws Problem unauthenticated when the caller was suspended or has gone; version_mismatch
 */
export async function lockProfile(
  sql: Sql,
  caller: Caller,
  context: Pick<RequestContext, 'wantedTags'>,
): Promise<User & Versioned> {
  const [[row]] = await pipeline([
    sql<User & Versioned>`
      ${selectUser(sql.tenant)} where tenant_id = ${sql.tenant} and id = ${caller.userId} for no key update`,
    recheckCaller(sql, caller),
  ])
  const before = own(row)
  if (before.status !== 'active') throw new ApiProblem('unauthenticated') // suspended while the row was waited for
  checkVersion(context, before)
  return before
}

/**
 * Writes what has changed of the profile of the caller, whose row is locked.
 *
 * @param picture that `avatarUrl` names, if it is a new one
 */
export async function updateProfile(
  sql: Sql,
  caller: Caller,
  before: User,
  profile: Profile,
  picture?: NewPicture,
): Promise<User & Versioned> {
  const sent = asStored(ofThemselves, { ...profile, metadata: mergeMetadata(before.metadata, profile.metadata) })
  const details = changesBetween(before, sent)
  const isMe = statement`tenant_id = ${sql.tenant} and id = ${caller.userId}`
  if (!details) {
    const [user] = await sql<User & Versioned>`${selectUser(sql.tenant)} where ${isMe}`
    return own(user)
  }
  const wanted = { ...before, ...sent }
  const words = wordsOfUser(wanted)
  const owner = { userId: caller.userId }
  const [[after]] = await sql.commit([
    sql<User & Versioned>`
      update users
      set ${assignments(ofThemselves, wanted)}, name_key = ${wanted.name === null ? null : searchKey(wanted.name)},
        ${details.name ? newWords(words) : sameWords}, version = version + 1, updated_at = now()
      where ${isMe}
      returning ${userColumns(sql.tenant)}`,
    Boolean(details.name) && indexUser(sql, { id: caller.userId, words }),
    Boolean(details.avatarUrl) && dropPicture(sql, owner),
    picture && insertPicture(sql, owner, picture),
    record(sql, caller, 'profile.updated', { target: caller, details }),
  ])
  return own(after)
}

function missing(pointer: string): Problem {
  return invalidRequest([faultOf(pointer, 'required')])
}

/** @returns the caller's own row @throws Problem unauthenticated if it is gone */
function own<Row extends User>(user: Row | undefined): Row {
  if (!user) throw new ApiProblem('unauthenticated')
  return user
}
