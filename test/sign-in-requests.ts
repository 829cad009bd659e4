/** Requests about ways to sign in, on things that are created for them: rows of the table in access-table.ts. */
import { codeAt } from '../src/domain/credentials/totp.ts'
import { newId } from '../src/platform/http/schemas.ts'
import type { Double } from './provider-double.ts'
import { addPasskey, addProvider, answerOf, beginSignIn, enrol } from './sign-in.ts'
import { type Person, password, type World } from './world.ts'

export interface Described {
  readonly path?: string
  readonly body?: unknown
  /** The text of a form. */
  readonly raw?: string
  readonly headers?: Record<string, string>
}

interface SignInRequests {
  /** @returns undefined if the operation is about something else */
  describe(name: string, people: readonly Person[], outsider: Person): Promise<Described | undefined>
}

/** @param world one that lets requests go to the double */
export function signInRequests(world: World, double: Double): SignInRequests {
  let added: Promise<string> | undefined
  const provider = () => {
    added ??= addProvider(world, double.origin)
    return added
  }

  /** Somebody's account at the provider, as if it were linked long ago. */
  async function addIdentity({ id: userId }: Person): Promise<string> {
    const id = newId('idn')
    await world.postgres.query(
      `insert into identities (tenant_id, id, user_id, provider_id, issuer, subject) values ($1, $2, $3, $4, 'x', $2)`,
      [world.tenantId, id, userId, await provider()],
    )
    return id
  }

  async function onProvider(name: string): Promise<Described> {
    added = undefined
    await world.postgres.query('delete from providers')
    const body = { type: 'github', name: 'GitHub', clientId: 'guildhall' }
    if (name.startsWith('POST')) return { body }
    const { body: gitHub } = await (await world.tenantAdmin()).post('/api/admin/providers', body)
    const path = `/api/admin/providers/${gitHub.id}`
    if (name.startsWith('DELETE')) return { path, body: { confirm: 'GitHub' } }
    return name.startsWith('PATCH') ? { path, body: { enabled: false } } : { path }
  }

  async function describe(name: string, people: readonly Person[], outsider: Person): Promise<Described | undefined> {
    switch (name) {
      case 'POST /api/auth/sign-in/passkey': {
        const { key } = await addPasskey(await world.person('Pia'))
        return { body: { credential: await answerOf(world, key) } }
      }
      case 'POST /api/auth/sign-in/mail-code':
        await world.postgres.query('update tenants set mail_codes = true where id = $1', [world.tenantId])
        return { body: { email: outsider.email } }
      case 'POST /api/auth/sign-in/provider':
      case 'POST /api/users/me/identities/start':
        return { body: { providerId: await provider() } }
      case 'POST /api/auth/sign-in/continue': {
        const { person, recoveryCodes } = await enrol(world, await world.person('Theo'))
        return { body: { attempt: await beginSignIn(world, person), recoveryCode: recoveryCodes[0] } }
      }
      case 'POST /api/auth/passkey-options':
        return { body: {} }
      case 'POST /api/auth/confirm':
        return { body: { password } }
      case 'DELETE /api/users/me/password (the only way in)':
        await world.postgres.query('update tenants set mail_codes = false where id = $1', [world.tenantId])
        return {}
      case 'DELETE /api/users/me/password (beside a linked account)':
        for (const person of people) await addIdentity(person)
        return {}
      case 'POST /api/users/me/factors/setup':
        return { body: { type: 'totp' } }
      case "POST /api/users/me/factors (with the outsider's set-up)": {
        const { body } = await outsider.post('/api/users/me/factors/setup', { type: 'totp' })
        const code = codeAt(body.secret, Math.floor(Date.now() / 30_000))
        return { body: { type: 'totp', setup: body.setup, code } }
      }
      case "PATCH /api/users/me/factors/{factorId} (the outsider's)":
      case "DELETE /api/users/me/factors/{factorId} (the outsider's)": {
        const { answer } = await addPasskey(outsider)
        const path = `/api/users/me/factors/${answer.body.factor.id}`
        return name.startsWith('PATCH') ? { path, body: { name: 'My key' } } : { path }
      }
      case 'POST /api/users/me/recovery-codes (the outsider has a factor)':
        await enrol(world, outsider)
        return {}
      case "POST /api/users/me/identities (with the outsider's attempt)": {
        const started = await outsider.post('/api/users/me/identities/start', {
          providerId: await provider(),
        })
        double.claims = { sub: newId('idn') }
        return { body: { attempt: started.body.attempt.token, callback: double.signIn(started.body.url) } }
      }
      case "DELETE /api/users/me/identities/{identityId} (the outsider's)":
        return { path: `/api/users/me/identities/${await addIdentity(outsider)}` }
      case 'DELETE /api/admin/users/{userId}/identities/{identityId}':
        return { path: `/api/admin/users/${outsider.id}/identities/${await addIdentity(outsider)}` }
      case 'POST /api/admin/providers':
        return onProvider(name)
      default:
        return name.includes('{providerId}') ? onProvider(name) : undefined
    }
  }
  return { describe }
}
