/** Signing in by more than a password: people with factors, and providers that are a double. */
import assert from 'node:assert/strict'
import { makeMailCode } from '../src/domain/access/mail-codes.ts'
import { readToken } from '../src/domain/access/tokens.ts'
import { codeAt } from '../src/domain/credentials/totp.ts'
import { type Authenticator, newAuthenticator } from './authenticator.ts'
import type { Double } from './provider-double.ts'
import { until } from './smtp.ts'
import { type Answer, type Client, type Json, Person, password, type World } from './world.ts'

/** A person with an authenticator app. */
export interface Enrolled {
  readonly person: Person
  readonly secret: string
  readonly recoveryCodes: string[]
  /** The next code that was not used yet. It is accepted for another 30 seconds at least. */
  code(): string
  /** The code that the app shows, also if it was used already. */
  codeAgain(): Promise<string>
}

export async function enrol(world: World, person?: Person): Promise<Enrolled> {
  const owner = person ?? (await world.person())
  const { body: setup } = await owner.post('/api/users/me/factors/setup', { type: 'totp' })
  const present = () => Math.floor(Date.now() / 30_000)
  // The oldest code that is accepted, so that two more can be used at once.
  const oldest = present() - 1
  let last = oldest
  const add = () =>
    owner.post('/api/users/me/factors', { type: 'totp', setup: setup.setup, code: codeAt(setup.secret, last) })
  let added = await add()
  if (added.status === 403) {
    last = present() - 1 // a step has ended meanwhile, and the oldest code with it
    assert.ok(last > oldest, JSON.stringify(added.body))
    added = await add()
  }
  const code = () => {
    last = Math.max(last + 1, present())
    return codeAt(setup.secret, last)
  }
  const codeAgain = async () => {
    await forgetSteps(world)
    return codeAt(setup.secret, present())
  }
  assert.equal(added.status, 201, JSON.stringify(added.body))
  return { person: owner, secret: setup.secret, recoveryCodes: added.body.recoveryCodes, code, codeAgain }
}

/** Lets all factors' codes be used again, as if time had passed. */
export async function forgetSteps({ postgres }: World): Promise<void> {
  await postgres.query('update factors set last_step = 0 where last_step is not null')
}

export function signInWith(world: World, { email }: Pick<Person, 'email'>): Promise<Answer> {
  return world.nobody.post('/api/auth/sign-in', { email, password })
}

/** Begins to sign in. @returns the token of the attempt */
export async function beginSignIn(world: World, person: Pick<Person, 'email'>): Promise<string> {
  const { status, body } = await signInWith(world, person)
  assert.equal(status, 403, JSON.stringify(body))
  return body.attempt.token
}

/** The mailed code of an attempt. It is good only if it was mailed. */
export async function mailedCodeOf({ keyring, postgres }: World, token: string): Promise<string> {
  const { tenant, hash } = readToken(token)
  const [row] = await postgres.query<{ id: string; generation: number }>(
    'select id, generation from attempts where token_hash = $1',
    [hash],
  )
  assert.ok(row, 'the attempt has ended')
  return makeMailCode(keyring, { tenant, attemptId: row.id, generation: row.generation })
}

/** Asks for a code for an attempt. @param fields of the request @returns the code */
export async function requestedCodeOf(
  world: World,
  attempt: string,
  client: Pick<Client, 'post'> = world.nobody,
  fields: Json = {},
): Promise<string> {
  const { status } = await client.post('/api/auth/sign-in/mail-code', { attempt, ...fields })
  assert.equal(status, 202)
  return mailedCodeOf(world, attempt)
}

/** The code in the newest mail with one. The queue waits for no time to pass. */
export function mailedCode({ mails, postgres }: World, email: string, tenant?: string): Promise<string> {
  return until(async () => {
    await postgres.query('update graphile_worker._private_jobs set run_at = now() where attempts = 0')
    return (await mails(email, tenant)).map(({ text }) => /\b\d{6}\b/.exec(text)?.[0]).find(Boolean)
  }, `a mail with a code to ${email}`)
}

export function continueWith(world: World, attempt: string, proof: Json): Promise<Answer> {
  return world.nobody.post('/api/auth/sign-in/continue', { attempt, ...proof })
}

/** The same person with the session of an answer. */
export function signedIn(world: World, { body }: Answer, person: Person): Person {
  assert.ok(body.session, JSON.stringify(body))
  return new Person(world, body.session.token, person, {})
}

/** The site of the passkeys of a world without PUBLIC_URL. */
export const passkeyOrigin = 'http://localhost:3000'

/** Adds a passkey to a person. */
export async function addPasskey(
  person: Person,
  key: Authenticator = newAuthenticator(-7, { origin: passkeyOrigin }),
): Promise<{ readonly key: Authenticator; readonly answer: Answer }> {
  const { body } = await person.post('/api/users/me/factors/setup', { type: 'passkey' })
  const credential = key.create(body.options)
  return { key, answer: await person.post('/api/users/me/factors', { type: 'passkey', credential }) }
}

/** A passkey's answer to options for signing in, or for an attempt. */
export async function answerOf(world: World, key: Authenticator, attempt?: string): Promise<Json> {
  const { body } = await world.nobody.post('/api/auth/passkey-options', attempt === undefined ? {} : { attempt })
  return key.get(body.options) as unknown as Json
}

/** Adds a provider. @param tenant its slug @returns the id of the provider */
export async function addProvider(
  world: World,
  issuer: string,
  fields: Json = {},
  tenant = 'default',
): Promise<string> {
  const tess = await world.tenantAdmin(tenant)
  const name = `Login ${Math.random().toString(36).slice(2)}`
  const { status, body } = await tess.post('/api/admin/providers', {
    type: 'oidc',
    name,
    clientId: 'guildhall',
    issuer,
    ...fields,
  })
  assert.equal(status, 201, JSON.stringify(body))
  return body.id
}

/** Begins to sign in at a provider, and signs in there. @param fields and headers of the request that begins @returns the body that continues */
export async function visit(
  world: World,
  double: Double,
  providerId: string,
  claims: Json = {},
  fields: Json = {},
  headers: Record<string, string> = {},
): Promise<Json> {
  const { status, body } = await world.nobody.post('/api/auth/sign-in/provider', { providerId, ...fields }, headers)
  assert.equal(status, 200, JSON.stringify(body))
  double.claims = { email_verified: true, ...claims }
  const { code, state } = double.signIn(body.url)
  return { attempt: body.attempt.token, callback: { code, state } }
}

/** Links an account at a provider to a person. @param change of what the browser brings back */
export async function link(
  double: Double,
  person: Person,
  providerId: string,
  claims: Json,
  change: (callback: Json) => Json = (callback) => callback,
): Promise<Answer> {
  const { body } = await person.post('/api/users/me/identities/start', { providerId })
  double.claims = { email_verified: true, ...claims }
  const { code, state } = double.signIn(body.url)
  return person.post('/api/users/me/identities', { attempt: body.attempt.token, callback: change({ code, state }) })
}
