/** The part of the fixtures' story about applications of the tenant. */
import { makeApplication } from '../src/domain/applications/administration.ts'
import type { Answer, Client, Json, World } from '../test/world.ts'

interface Asking {
  readonly world: World
  readonly tess: Client
  readonly done: (answer: Answer) => Json
}

export async function playApplications({ world, tess, done }: Asking): Promise<void> {
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
}
