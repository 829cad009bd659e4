/** What requests about ways to sign in can name: somebody who has all of them, and half-done sign-ins. */
import assert from 'node:assert/strict'
import { newId } from '../src/platform/http/schemas.ts'
import { newAuthenticator } from './authenticator.ts'
import type { Double } from './provider-double.ts'
import { addPasskey, enrol, passkeyOrigin } from './sign-in.ts'
import { type Json, type Person, password, type World } from './world.ts'

/** A tenant, somebody of it who has no factor yet, and somebody who is to have a passkey. */
interface Home {
  readonly tenant: { readonly id: string; readonly slug: string }
  readonly gus: Person
  readonly dan: Person
  readonly tenantAdmin: Person
}

/**
 * Gives Gus an authenticator app and a linked account, and Dan a passkey. In the tenant, mailed codes sign in.
 *
 * @param double a provider that the world lets requests go to; without it nothing can be linked
 * @returns the values of the placeholders
 */
export async function addWaysIn(world: World, { tenant, gus, dan, tenantAdmin }: Home, double?: Double): Promise<Json> {
  const { ask } = world.postgres
  const inTenant = { 'guildhall-tenant': tenant.slug }
  const post = async (path: string, body: Json) => (await world.nobody.post(path, body, inTenant)).body
  await ask('update tenants set mail_codes = true where id = $1', [tenant.id])
  const { body: provider } = await tenantAdmin.post('/api/admin/providers', {
    ...{ type: 'oidc', name: 'Acme Login', clientId: 'guildhall' },
    issuer: double?.origin ?? 'https://login.example.com',
  })
  const identityId = newId('idn')
  await ask(
    `insert into identities (tenant_id, id, user_id, provider_id, issuer, subject) values ($1, $2, $3, $4, 'x', $2)`,
    [tenant.id, identityId, gus.id, provider.id],
  )

  const { key } = await addPasskey(dan)
  const { recoveryCodes } = await enrol(world, gus)
  const [factor] = (await gus.get('/api/users/me/factors')).body.data
  const begun = await post('/api/auth/sign-in', { email: gus.email, password })
  assert.equal(begun.code, 'sign_in_incomplete')
  const asked = await post('/api/auth/passkey-options', {})
  const setUp = await gus.post('/api/users/me/factors/setup', { type: 'passkey' })
  const newKey = newAuthenticator(-7, { origin: passkeyOrigin })
  return {
    enrolledId: gus.id,
    identityId,
    factorId: factor.id,
    attempt: begun.attempt.token,
    recoveryCode: recoveryCodes[0],
    assertion: JSON.stringify(key.get(asked.options)),
    registration: JSON.stringify(newKey.create(setUp.body.options)),
    ...(double && (await beginLinking(gus, provider.id, double))),
  }
}

async function beginLinking(person: Person, providerId: string, double: Double): Promise<Json> {
  const { body } = await person.post('/api/users/me/identities/start', { providerId })
  double.claims = { sub: newId('idn') }
  return { linkAttempt: body.attempt.token, callback: JSON.stringify(double.signIn(body.url)) }
}
