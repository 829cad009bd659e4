/** Me: the caller's own profile. */
import { Type } from 'typebox'
import { recordEvent } from '../audit/audit.ts'
import { changesBetween } from '../audit/changes.ts'
import { statement } from '../database/database.ts'
import { mergeMetadata } from '../http/merge.ts'
import { Problem } from '../http/problems.ts'
import { HttpsUrl, Metadata, Name, Nullable, normalizeName, ref, searchKey } from '../http/schemas.ts'
import type { App } from '../http/server.ts'
import { Locale, selectUser, TimeZone, User, userColumns } from './users.ts'

export async function meRoutes(app: App): Promise<void> {
  app.addSchema(User)

  app.get(
    '/users/me',
    {
      config: { access: 'user' },
      schema: {
        operationId: 'getMe',
        summary: 'Get current user',
        description: 'The caller, with everything that only they and the tenant’s admins see.',
        tags: ['Me'],
        response: { 200: ref(User) },
      },
    },
    async (request) => {
      const [, [user]] = await request.readAsUser<[User]>(({ tenant, user }) => [
        statement`${selectUser} where tenant_id = ${tenant} and id = ${user}`,
      ])
      return found(user)
    },
  )

  app.patch(
    '/users/me',
    {
      config: { access: 'user' },
      schema: {
        operationId: 'updateMe',
        summary: 'Update profile',
        description: 'What is absent stays as it is; null clears.',
        tags: ['Me'],
        body: Type.Object(
          {
            name: Type.Optional(Nullable(Name)),
            avatarUrl: Type.Optional(Nullable(HttpsUrl)),
            locale: Type.Optional(Nullable(Locale)),
            timeZone: Type.Optional(Nullable(TimeZone)),
            metadata: Type.Optional(Metadata),
          },
          { additionalProperties: false },
        ),
        response: { 200: ref(User) },
      },
    },
    async (request) =>
      request.asUser(async (sql, caller) => {
        const [before] = await sql<User>`
          ${selectUser} where tenant_id = ${sql.tenant} and id = ${caller.userId} for no key update`
        const metadata = mergeMetadata(found(before).metadata, request.body.metadata)
        const wanted = { ...found(before), ...request.body, metadata }
        const name = wanted.name === null ? null : normalizeName(wanted.name)
        const details = changesBetween(found(before), {
          ...request.body,
          metadata,
          ...(request.body.name != null && { name }),
        })
        if (!details) return found(before)

        const [after] = await sql<User>`
          update users
          set name = ${name}, name_key = ${name === null ? null : searchKey(name)}, avatar_url = ${wanted.avatarUrl},
            locale = ${wanted.locale}, time_zone = ${wanted.timeZone}, metadata = ${wanted.metadata},
            version = version + 1, updated_at = now()
          where tenant_id = ${sql.tenant} and id = ${caller.userId}
          returning ${userColumns}`
        await recordEvent(sql, caller, 'profile.updated', { target: caller, details })
        return found(after)
      }),
  )
}

function found(user: User | undefined): User {
  if (!user) throw new Problem('unauthenticated')
  return user
}
