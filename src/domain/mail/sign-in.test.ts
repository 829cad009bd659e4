/** A mail says each time that a way to sign in was added, used up or removed. Domains of passkeys: passkey-domain.test.ts. */
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { test } from 'node:test'
import { newAuthenticator } from '../../../test/authenticator.ts'
import { warningsOf } from '../../../test/mail-jobs.ts'
import { startProviderDouble } from '../../../test/provider-double.ts'
import {
  addPasskey,
  addProvider,
  beginSignIn,
  continueWith,
  enrol,
  link,
  passkeyOrigin,
  visit,
} from '../../../test/sign-in.ts'
import { type Answer, createWorld, type Person, password } from '../../../test/world.ts'
import { codeAt } from '../credentials/totp.ts'
import type { SignInChange } from './sign-in.ts'

const world = await createWorld({ settings: { OUTBOUND_PRIVATE: '127.0.0.1' } })
const double = await startProviderDouble()
const { query } = world.postgres
const providerId = await addProvider(world, double.origin)
const tess = await world.tenantAdmin()

/** Brings a person to where they can make the change. @returns what makes it */
type Way = (person: Person) => Promise<() => Promise<Answer>>

interface Ways {
  /** By a sentence that says who does what. */
  readonly [how: string]: Way
}

const newSubject = () => randomBytes(8).toString('hex')

const addApp: Way = async (person) => {
  const { body } = await person.post('/api/users/me/factors/setup', { type: 'totp' })
  const code = codeAt(body.secret, Math.floor(Date.now() / 30_000))
  return () => person.post('/api/users/me/factors', { type: 'totp', setup: body.setup, code })
}

async function removeFactor(person: Person): Promise<Answer> {
  const { body } = await person.get('/api/users/me/factors')
  return person.delete(`/api/users/me/factors/${body.data[0].id}`)
}

async function linkNew(person: Person): Promise<string> {
  const { status, body } = await link(double, person, providerId, { sub: newSubject(), email: person.email })
  assert.equal(status, 201, JSON.stringify(body))
  return body.id
}

const ways: Readonly<Record<SignInChange, Ways>> = {
  totp_added: { 'somebody adds an authenticator app': addApp },
  totp_replaced: {
    'somebody replaces their authenticator app': async (person) => {
      await enrol(world, person)
      return addApp(person)
    },
  },
  totp_removed: {
    'somebody removes their authenticator app': async (person) => {
      await enrol(world, person)
      return () => removeFactor(person)
    },
  },
  passkey_added: {
    'somebody adds a passkey': async (person) => {
      const { body } = await person.post('/api/users/me/factors/setup', { type: 'passkey' })
      const credential = newAuthenticator(-7, { origin: passkeyOrigin }).create(body.options)
      return () => person.post('/api/users/me/factors', { type: 'passkey', credential })
    },
  },
  passkey_removed: {
    'somebody removes their passkey': async (person) => {
      await addPasskey(person)
      return () => removeFactor(person)
    },
  },
  factor_removed: {}, // only of jobs that the release before has queued
  recovery_code_used: {
    'somebody signs in with a recovery code': async (person) => {
      const { recoveryCodes } = await enrol(world, person)
      const attempt = await beginSignIn(world, person)
      return () => continueWith(world, attempt, { recoveryCode: recoveryCodes[0] ?? '' })
    },
  },
  recovery_codes_made: {
    'somebody makes new recovery codes': async (person) => {
      await enrol(world, person)
      return () => person.post('/api/users/me/recovery-codes')
    },
  },
  password_added: {
    'somebody without a password adds one': async (person) => {
      await query('update users set password_hash = null where id = $1', [person.id])
      return () => person.post('/api/users/me/password', { newPassword: 'another long passphrase' })
    },
  },
  password_removed: {
    'somebody removes their password': async (person) => {
      await addPasskey(person)
      return () => person.delete('/api/users/me/password')
    },
  },
  identity_linked: {
    'somebody links an account at a provider': async (person) => {
      const { body } = await person.post('/api/users/me/identities/start', { providerId })
      double.claims = { sub: newSubject(), email: person.email, email_verified: true }
      const { code, state } = double.signIn(body.url)
      return () => person.post('/api/users/me/identities', { attempt: body.attempt.token, callback: { code, state } })
    },
    'somebody links one as they sign in with it': async (person) => {
      const visited = await visit(world, double, providerId, { sub: newSubject(), email: person.email })
      const { body } = await world.nobody.post('/api/auth/sign-in/continue', visited)
      return () => continueWith(world, body.attempt.token, { password })
    },
  },
  identity_unlinked: {
    'somebody unlinks an account at a provider': async (person) => {
      const id = await linkNew(person)
      return () => person.delete(`/api/users/me/identities/${id}`)
    },
    'an admin unlinks one': async (person) => {
      const id = await linkNew(person)
      return () => tess.delete(`/api/admin/users/${person.id}/identities/${id}`)
    },
  },
}

/** What only an account with a verified address may add. */
const onlyVerified: readonly string[] = ['totp_added', 'totp_replaced', 'passkey_added', 'identity_linked']

for (const [change, each] of Object.entries(ways))
  for (const [how, prepare] of Object.entries(each)) {
    test(`a mail says so when ${how}`, async () => {
      const person = await world.person()
      const act = await prepare(person)
      const before = await warningsOf(world, person.id)

      const { status, body } = await act()

      assert.ok(status < 300, JSON.stringify(body))
      const warning = { to: person.email, change, namesDevice: !how.startsWith('an admin') }
      assert.deepEqual(await warningsOf(world, person.id), [...before, warning])
    })

    test(`no mail goes to an unverified address when ${how}`, async () => {
      const person = await world.person()
      const act = await prepare(person)
      const before = await warningsOf(world, person.id)
      await query('update users set email_verified = false where id = $1', [person.id])

      const { status, body } = await act()

      if (onlyVerified.includes(change)) assert.deepEqual([status, body.code], [403, 'email_not_verified'])
      else assert.ok(status < 300, JSON.stringify(body))
      assert.deepEqual(await warningsOf(world, person.id), before)
    })
  }
