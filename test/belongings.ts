/** What a person may have beside a profile, sessions, memberships and invitations: for tests that look for traces of them. */
import assert from 'node:assert/strict'
import { makeProduct } from './grants.ts'
import { offerKeys, requestKey } from './key-requests.ts'
import type { Double } from './provider-double.ts'
import { addPasskey, addProvider, enrol, link } from './sign-in.ts'
import { onStoredWebhooks } from './stored-webhooks.ts'
import type { Person, World } from './world.ts'

/**
 * Gives a person an authenticator app with recovery codes, a passkey, an account at a provider and another one that they began to link, a
 * grant of an application, an external id, a key that they have used, an answer that is kept for its idempotency key, and a webhook whose URL
 * they set.
 *
 * @param path of an organization whose links the person may make
 * @param mark a word that nobody else has
 * @returns the words by which these are theirs
 */
export async function giveBelongings(
  world: World,
  person: Person,
  { double, path, mark }: { readonly double: Double; readonly path: string; readonly mark: string },
): Promise<Record<string, string>> {
  await enrol(world, person)
  const passkey = await addPasskey(person)
  assert.equal(passkey.answer.status, 201, JSON.stringify(passkey.answer.body))

  const account = { sub: `subject-${mark}`, email: `elsewhere-${mark}@provider.example` }
  const providerId = await addProvider(world, double.origin)
  const linked = await link(double, person, providerId, account)
  assert.equal(linked.status, 201, JSON.stringify(linked.body))
  const begun = await person.post('/api/users/me/identities/start', { providerId })
  assert.equal(begun.status, 200, JSON.stringify(begun.body))

  await (await makeProduct(world)).signIn(person)

  const externalId = `external-${mark}`
  await world.postgres.query('insert into external_users (tenant_id, external_id, user_id) values ($1, $2, $3)', [
    ...[world.tenantId, externalId, person.id],
  ])

  await offerKeys(world)
  const name = `Kite ${mark}`
  const { secret } = await requestKey(person, '/api/users/me/keys', { name, scopes: ['me:read', 'me:update'] })
  const program = { authorization: `Bearer ${secret}` }
  assert.equal((await world.nobody.patch('/api/users/me', { locale: 'cy-GB' }, program)).status, 200)

  assert.equal((await person.post(`${path}/links`, {}, { 'idempotency-key': mark })).status, 201)
  await onStoredWebhooks(world).add({ url_set_by: person.id })

  return {
    'passkey of the person': passkey.key.credentialId.toString('hex'),
    'id of the passkey': passkey.answer.body.factor.id,
    'id at the provider': account.sub,
    'email at the provider': account.email,
    'external id': externalId,
    'name of the key': name,
  }
}
