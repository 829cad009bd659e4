/** The caller's picture: uploaded and taken away. That of another server is set by `avatarUrl` (profile.ts). */
import type { FastifyReply, FastifyRequest } from 'fastify'
import { User } from '../../domain/people/users.ts'
import { newPicture } from '../../domain/pictures/pictures.ts'
import { receivePicture } from '../../domain/pictures/uploads.ts'
import { statement } from '../../platform/database/database.ts'
import { pictureIn, takePictures } from '../../platform/http/pictures.ts'
import { withTag } from '../../platform/http/preconditions.ts'
import { ref } from '../../platform/http/schemas.ts'
import type { App } from '../../platform/http/server.ts'
import { lockProfile, updateProfile } from './profile.ts'

const config = { access: 'user', scope: 'me:update', takesIfMatch: true } as const

export async function avatarRoutes(app: App): Promise<void> {
  await takePictures(app, (scope) => {
    scope.put(
      '/users/me/avatar',
      {
        config: { ...config, problems: ['overloaded'], takesPicture: true },
        schema: {
          operationId: 'putMyAvatar',
          summary: 'Upload picture',
          description:
            'The body is the picture. It becomes a square of 256 pixels in WebP without metadata, and `avatarUrl` its URL, a new one each time.',
          tags: ['Me'],
          response: { 200: ref(User) },
        },
      },
      async (request, reply) => {
        const { caller } = await request.readAsUser<{ users: object }>(
          ({ tenant, user }) => ({
            users: statement`select id from users where tenant_id = ${tenant} and id = ${user}`,
          }),
          { byKey: true },
        )
        return changeAvatar(
          request,
          reply,
          await receivePicture(request.context, caller.id, pictureIn(request), 'avatar'),
        )
      },
    )
  })

  app.delete(
    '/users/me/avatar',
    {
      config,
      schema: {
        operationId: 'deleteMyAvatar',
        summary: 'Remove picture',
        description: 'Clears `avatarUrl`, and deletes the picture if it was uploaded.',
        tags: ['Me'],
        response: { 200: ref(User) },
      },
    },
    async (request, reply) => changeAvatar(request, reply, undefined),
  )
}

async function changeAvatar(request: FastifyRequest, reply: FastifyReply, content: Buffer | undefined): Promise<User> {
  const user = await request.asUser(async (sql, caller) => {
    const before = await lockProfile(sql, caller, request.context)
    const named = content && newPicture(request.context.config, sql.tenant, content)
    return updateProfile(sql, caller, before, { avatarUrl: named?.url ?? null }, named?.picture)
  })
  return withTag(reply, user)
}
