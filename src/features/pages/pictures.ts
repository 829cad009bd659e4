/**
 * Pictures that were uploaded, for everybody who has the URL of one: pages of products show them, and mails.
 *
 * Invariant: what comes from here is a picture, even if a browser opens it as a page: no script runs in it, and it sets no cookie.
 */
import { selectPicture } from '../../domain/pictures/pictures.ts'
import { picturesPath, readPictureName } from '../../domain/pictures/urls.ts'
import { ApiProblem } from '../../domain/problems.ts'
import { hostOf } from '../../platform/http/address.ts'
import type { App } from '../../platform/http/server.ts'
import { makeAsset, open, policyOf, serveAsset } from './assets.ts'

const policy = policyOf('sandbox')

/** Registers the pictures. */
export async function pictureRoutes(app: App): Promise<void> {
  const config = { ...open.config, isPicture: true } as const
  app.get<{ Params: { picture: string } }>(`${picturesPath}/:picture`, { ...open, config }, async (request, reply) => {
    const name = readPictureName(request.params.picture)
    if (!name) throw new ApiProblem('not_found')
    const { pictures } = await app.database.read(
      name.tenant,
      { pictures: selectPicture(name, hostOf(request)) },
      { byKey: true },
    )
    const [picture] = pictures as { content: Buffer }[] // as selectPicture selects it
    if (!picture) throw new ApiProblem('not_found')
    reply.header('cross-origin-resource-policy', 'cross-origin')
    return serveAsset(request, reply, { ...makeAsset('image/webp', picture.content, policy), immutable: true })
  })
}
