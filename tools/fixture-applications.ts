/** The part of the fixtures' story about applications of the tenant. */
import { makeApplication } from '../src/domain/applications/administration.ts'
import { sealCode } from '../src/domain/applications/codes.ts'
import { makeGrant } from '../src/domain/applications/granting.ts'
import { ReusedError } from '../src/domain/applications/reuse.ts'
import { expireSessions } from '../src/domain/sessions/endings.ts'
import { sha256 } from '../src/platform/cryptography.ts'
import { type Answer, type Client, type Json, requestContext, type World } from '../test/world.ts'

const verifier = 'a verifier of forty-three characters or more'

interface Asking {
  readonly world: World
  readonly tess: Client
  readonly join: (name: string) => Promise<Client & { readonly id: string }>
  readonly done: (answer: Answer) => Json
}

export async function playApplications({ world, tess, join, done }: Asking): Promise<void> {
  // Not asked for over HTTP: the first application would make a pair of keys, by chance that no seed replaces.
  const make = (name: string, kind: 'server' | 'native', redirectUri: string) =>
    world.database.inTenant(world.tenantId, (sql) => {
      const surroundings = { config: world.app.config, keyring: world.keyring }
      const actor = { type: 'operator', requestId: null } as const
      return makeApplication(sql, surroundings, actor, { name, kind, redirectUris: [redirectUri] })
    })
  const { application } = await make('Notes', 'server', 'https://notes.example.com/callback')
  const path = `/api/admin/applications/${application.id}`
  done(
    await tess.patch(path, {
      name: 'Acme Notes',
      logoUrl: 'https://notes.example.com/logo.png',
      startUrl: 'https://notes.example.com/start',
      postLogoutUris: ['https://notes.example.com/'],
      backChannelLogoutUri: 'https://notes.example.com/logout',
      scopes: ['openid', 'profile', 'email', 'offline_access', 'api'],
      isHome: true,
    }),
  )
  done(await tess.post(`${path}/rotate-secret`))
  const tried = await make('Tried', 'native', 'com.example.tried:/callback')
  done(await tess.delete(`/api/admin/applications/${tried.application.id}`, { confirm: 'Tried' }))

  const redirectUri = 'com.example.phone:/callback'
  const phone = await make('Phone', 'native', redirectUri)
  const { database, keyring } = world.app
  const uma = await join('Uma')
  const signInTo = async (person: { readonly id: string }) => {
    const [session] = await world.postgres.query<{ id: string }>('select id from sessions where user_id = $1', [
      person.id,
    ])
    const code = sealCode(keyring, world.tenantId, {
      sessionId: `${session?.id}`,
      applicationId: phone.application.id,
      redirectUri,
      challenge: sha256(verifier).toString('base64url'),
      nonce: null,
      scopes: ['openid', 'offline_access'],
      organizationId: null,
      expiresAt: '2999-01-01T00:00:00.000Z',
    })
    const context = requestContext(world)
    const client = { ...phone.application, staleSecret: undefined }
    // Without the token endpoint, which would sign.
    return () => makeGrant(context, world.tenantId, client, { code, redirectUri, verifier })
  }
  const exchange = await signInTo(uma)
  await exchange()
  await exchange().catch((error: unknown) => {
    if (!(error instanceof ReusedError)) throw error
  })
  await (await signInTo(uma))()
  const vic = await join('Vic')
  await (await signInTo(vic))()
  await world.postgres.query(
    `update sessions set last_active_at = last_active_at - interval '15 days' where user_id = $1`,
    [vic.id],
  )
  await expireSessions(database, world.tenantId)
}
