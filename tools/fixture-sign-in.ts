/** The part of the fixtures' story about ways to sign in: factors, recovery codes, passkeys, providers, and a half-done sign-in. */
import assert from 'node:assert/strict'
import { codeAt } from '../src/domain/credentials/totp.ts'
import { newAuthenticator } from '../test/authenticator.ts'
import type { Double } from '../test/provider-double.ts'
import { passkeyOrigin } from '../test/sign-in.ts'
import { type Answer, type Client, type Json, password } from '../test/world.ts'

/** Somebody of the story. */
export type Role = Client & { readonly email: string; readonly id: string }

interface Cast {
  readonly nobody: Client
  /** An admin of the tenant. */
  readonly tess: Client
  /** Signs somebody up. */
  join(name: string): Promise<Role>
  /** The owner of a session. */
  owner(token: string): Client
  done(answer: Answer): Json
}

/** @param double stands for GitHub */
export async function playSignIn({ nobody, tess, join, owner, done }: Cast, double: Double) {
  const [factors, identities] = ['/api/users/me/factors', '/api/users/me/identities']
  const addApp = async (person: Client) => {
    const { secret, setup } = done(await person.post(`${factors}/setup`, { type: 'totp' }))
    const code = codeAt(secret, Math.floor(Date.now() / 30_000))
    return { secret, ...done(await person.post(factors, { type: 'totp', name: 'My phone', setup, code })) }
  }
  const addPasskey = async (person: Client, name: string) => {
    const { options } = done(await person.post(`${factors}/setup`, { type: 'passkey' }))
    const credential = newAuthenticator(-8, { origin: passkeyOrigin }).create(options)
    return done(await person.post(factors, { type: 'passkey', name, credential })).factor
  }
  const signIn = async (email: string) => {
    const { status, body } = await nobody.post('/api/auth/sign-in', { email, password })
    assert.equal(status, 403)
    return body.attempt.token as string
  }

  // Providers: one that stays, and one that goes.
  const gitHub = done(
    await tess.post('/api/admin/providers', {
      ...{ type: 'github', name: 'GitHub', clientId: 'guildhall', clientSecret: 'the-secret-of-the-client' },
    }),
  )
  const acme = { type: 'oidc', name: 'Acme Login', clientId: 'guildhall', issuer: 'https://login.example.com' }
  const { id: acmeId } = done(await tess.post('/api/admin/providers', acme))
  done(await tess.patch(`/api/admin/providers/${acmeId}`, { enabled: false }))
  done(await tess.delete(`/api/admin/providers/${acmeId}`, { confirm: acme.name }))
  const link = async (person: Role, account: number) => {
    const { url, attempt } = done(await person.post(`${identities}/start`, { providerId: gitHub.id }))
    Object.assign(double, {
      user: { id: account, login: 'somebody', name: 'Somebody' },
      emails: [{ email: person.email, primary: true, verified: true }],
    })
    const callback = double.signIn(url)
    return done(await person.post(identities, { attempt: attempt.token, callback }))
  }

  // Ada has an authenticator app, and an organization that requires one. She has used two of her recovery codes.
  const ada = await join('Ada')
  const app = await addApp(ada)
  const [first, second] = app.recoveryCodes
  const { session } = done(
    await nobody.post('/api/auth/sign-in/continue', { attempt: await signIn(ada.email), recoveryCode: first }),
  )
  const before = owner(session.token)
  const asked = await before.post('/api/auth/confirm', { password })
  assert.equal(asked.status, 403)
  const { session: confirmed } = done(
    await before.post('/api/auth/sign-in/continue', { attempt: asked.body.attempt.token, recoveryCode: second }),
  )
  const adaNow = owner(confirmed.token)
  const hall = done(await adaNow.post('/api/organizations', { name: 'Guarded Hall' }))
  done(await adaNow.patch(`/api/organizations/${hall.id}`, { secondFactor: 'required' }))

  // Pia has a passkey and a linked account, and no password any more.
  const pia = await join('Pia')
  await addPasskey(pia, 'My passkey')
  const lost = await addPasskey(pia, 'My lost key')
  done(await pia.delete(`${factors}/${lost.id}`))
  await link(pia, 4711)
  done(await pia.delete('/api/users/me/password'))

  // Rob has unlinked an account and lost his phone.
  const rob = await join('Rob')
  const { id: unlinked } = await link(rob, 4712)
  done(await rob.delete(`${identities}/${unlinked}`))
  await addApp(rob)
  done(await tess.delete(`/api/admin/users/${rob.id}/factors`))

  const attempts = [await signIn(ada.email), await signIn(ada.email)]
  return { ada, adaNow, pia, attempts, secret: app.secret as string, recoveryCode: app.recoveryCodes[2] as string }
}
