/** The service's side of the model of signing in: real people, what they hold, and how they send a proof. */
import assert from 'node:assert/strict'
import { codeAt } from '../../src/domain/credentials/totp.ts'
import { type Authenticator, newAuthenticator } from '../authenticator.ts'
import type { Double } from '../provider-double.ts'
import { addPasskey, enrol, forgetSteps, passkeyOrigin, requestedCodeOf } from '../sign-in.ts'
import { type Answer, Client, type Json, type Person, password, type World } from '../world.ts'
import type { Account as Held } from './accounts.ts'
import * as model from './ways-in.ts'

/** Two tenants with a provider each. */
export interface Places {
  readonly world: World
  readonly double: Double
  readonly slugs: readonly [string, string]
  readonly providers: readonly string[]
}

export async function openPlaces(world: World, double: Double): Promise<Places> {
  const slugs = ['default', (await world.tenant()).slug] as const
  const providers = []
  for (const slug of slugs) {
    const fields = { type: 'oidc', name: 'Login', clientId: 'guildhall', issuer: double.origin }
    providers.push((await (await world.tenantAdmin(slug)).post('/api/admin/providers', fields)).body.id)
  }
  await world.postgres.query('update tenants set mail_codes = true')
  return { world, double, slugs, providers }
}

interface Account {
  readonly person: Person
  readonly key: Authenticator
  readonly secret: string
  readonly codes: string[]
}

interface Attempt {
  readonly token: string
  /** Comes back from the provider. @returns what the browser brings */
  readonly returns?: (() => Json) | undefined
}

/** Its lists have the model's order. */
export interface Service extends Places {
  readonly accounts: readonly Account[]
  readonly sessions: { token: string }[]
  readonly attempts: Attempt[]
  /** Tokens of sessions that a confirmation has replaced. */
  readonly replaced: string[]
}

export async function open(places: Places, { accounts: wanted }: model.World): Promise<Service> {
  await places.world.postgres.query(`update tenants set second_factor = 'optional'`)
  const accounts = []
  for (const account of wanted) accounts.push(await make(places, account))
  return { ...places, accounts, sessions: [], attempts: [], replaced: [] }
}

export const clientOf = ({ world, sessions }: Service, session: number) =>
  new Client(world, { authorization: `Bearer ${sessions[session]?.token}` })

export const inTenantOf = ({ slugs }: Places, { accounts }: model.World, number: number) => ({
  'guildhall-tenant': slugs[accounts[number]?.tenant ?? 0],
})

/** Keeps what an answer hands out. */
export function note(real: Service, answer: Answer): Answer {
  const { attempt, session } = answer.body
  if (attempt) real.attempts.push({ token: attempt.token })
  if (session) real.sessions.push({ token: session.token })
  return answer
}

export function visited(real: Service, answer: Answer, claims: Json): Answer {
  if (answer.status !== 200) return answer
  const { double } = real
  const { code, state } = double.signIn(answer.body.url)
  const returns = () => {
    double.claims = { email_verified: true, ...claims }
    return { code, state }
  }
  real.attempts.push({ token: answer.body.attempt.token, returns })
  return answer
}

export async function sendProof(real: Service, at: model.World, number: number, sent: model.Sent): Promise<Answer> {
  const { world, slugs } = real
  const { token = '', returns } = real.attempts[number] ?? {}
  const { tenant = 0, account } = at.attempts[number] ?? {}
  await world.postgres.query('delete from password_attempts') // guesses are not what this is about
  const headers = sent.isHere ? {} : { 'guildhall-tenant': slugs[tenant === 0 ? 1 : 0] }
  const client = sent.session === undefined ? world.nobody : clientOf(real, sent.session)
  const proof = await proofOf(client, real, { ...sent, token, returns, account: real.accounts[account ?? -1] })
  return client.post('/api/auth/sign-in/continue', { attempt: token, ...proof }, headers)
}

/** A wrong proof is a wrong code or password, or the passkey of somebody else. */
async function proofOf(
  client: Client,
  { world }: Service,
  { method, isRight, token, returns, account }: model.Sent & Attempt & { account: Account | undefined },
): Promise<Json> {
  if (method === 'provider') return { callback: returns?.() ?? { code: 'x', state: 'x' } }
  if (method === 'password') return { password: isRight ? password : 'a wrong passphrase' }
  if (method === 'mail_code')
    return { mailCode: isRight ? await requestedCodeOf(world, token, client).catch(() => '000000') : '000000' }
  if (method === 'totp') {
    await forgetSteps(world)
    const { secret = '' } = account ?? {}
    return { totp: isRight && secret ? codeAt(secret, Math.floor(Date.now() / 30_000)) : '000000' }
  }
  if (method === 'recovery_code')
    return { recoveryCode: (isRight ? account?.codes.shift() : undefined) ?? '0000-0000-0000-0000-0000-0000' }
  const { body } = await client.post('/api/auth/passkey-options', { attempt: token })
  const options = body.options ?? (await world.nobody.post('/api/auth/passkey-options', {})).body.options
  return { credential: (isRight ? account : undefined)?.key.get(options) ?? stranger.get(options) }
}

const stranger = newAuthenticator(-7, { origin: passkeyOrigin })
stranger.create({ challenge: 'x', rp: { id: 'localhost', name: 'x' }, user: { id: 'x', name: 'x', displayName: 'x' } })

async function make({ world, slugs, providers }: Places, account: Held): Promise<Account> {
  const person = await world.person('Ann', { tenant: slugs[account.tenant] })
  for (const subject of account.subjects)
    await world.postgres.query(
      `insert into identities (tenant_id, id, user_id, provider_id, issuer, subject)
       select tenant_id, 'idn_' || $2, $1, id, issuer, $2 from providers where id = $3`,
      [person.id, subject, providers[account.tenant]],
    )
  if (account.isAdmin) await world.postgres.query(`update users set role = 'admin' where id = $1`, [person.id])
  const totp = account.hasTotp ? await enrol(world, person) : undefined
  const key = newAuthenticator(-7, { origin: passkeyOrigin, isVerified: account.passkey === 'passkey' })
  const added = account.passkey === 'none' ? undefined : (await addPasskey(person, key)).answer.body
  return { person, key, secret: totp?.secret ?? '', codes: [...(totp?.recoveryCodes ?? added?.recoveryCodes ?? [])] }
}

/** What everybody sees: each session what it may, and by the last attempt and replaced token nobody anything. */
export async function compare(at: model.World, real: Service): Promise<void> {
  assert.deepEqual([real.sessions.length, real.attempts.length], [at.sessions.length, at.attempts.length])
  for (const [number, session] of at.sessions.entries()) {
    const client = clientOf(real, number)
    const { status, body } = await client.get('/api/users/me')
    const seen = [status]
    for (const path of ['/api/users/me/audit', '/api/admin/tenant']) seen.push((await client.get(path)).status)
    assert.deepEqual(seen, model.rightsOf(at, session), `session ${number}`)
    assert.equal(body.id, real.accounts[session.account]?.person.id, `session ${number}`)
  }
  await checkClosed(real, [...real.attempts.map(({ token }) => token).slice(-1), ...real.replaced.slice(-1)])
}

export async function checkClosed({ world }: Service, tokens: string[]): Promise<void> {
  for (const token of tokens) {
    const { status } = await new Client(world, { authorization: `Bearer ${token}` }).get('/api/users/me')
    assert.equal(status, 401)
  }
}
