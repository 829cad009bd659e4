/** What ends what: each event that changes how somebody signs in, and what of their sessions, half-done sign-ins and devices it leaves. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { newAuthenticator } from '../../../test/authenticator.ts'
import { startProviderDouble } from '../../../test/provider-double.ts'
import {
  addPasskey,
  addProvider,
  continueWith,
  enrol,
  link,
  passkeyOrigin,
  signedIn,
  signInWith,
  visit,
} from '../../../test/sign-in.ts'
import { type Answer, createWorld, type Json, type Person, password } from '../../../test/world.ts'
import { makeMailedToken, readToken, type UserPurpose } from '../access/tokens.ts'

const world = await createWorld({ settings: { OUTBOUND_PRIVATE: '127.0.0.1' }, worker: true })
const double = await startProviderDouble()
const { query } = world.postgres
const tess = await world.tenantAdmin()
await query('update tenants set mail_codes = true where id = $1', [world.tenantId])

/** `own` is the session that acts. */
const sessionNames = ['own', 'other', 'byIdentity'] as const
const attemptNames = ['byPassword', 'byAddress', 'byIdentity', 'toConfirm', 'toLink'] as const
type Named<Names extends readonly string[], Value> = { readonly [Name in Names[number]]?: Value }

interface Somebody {
  readonly person: Person
  readonly providerId: string
  readonly identityId: string
  readonly sessions: Named<typeof sessionNames, Person>
  readonly attempts: Named<typeof attemptNames, string>
}

interface Event {
  /** Without a factor, no sign-in stops before its second step. */
  readonly isPlain?: boolean
  readonly prepare?: (person: Person) => Promise<unknown>
  readonly happen: (somebody: Somebody) => Promise<Answer>
  readonly leaves: readonly (typeof sessionNames)[number][]
  readonly leavesAttempts: readonly (typeof attemptNames)[number][]
  readonly forgetsDevices?: boolean
}

const newPassword = 'another long passphrase'
const own = { leaves: ['own'], leavesAttempts: [] } as const
const nothing = { leaves: [], leavesAttempts: [], forgetsDevices: true } as const
const others = { leaves: ['own', 'other'], leavesAttempts: ['byPassword', 'byAddress', 'toConfirm'] } as const
const everything = { leaves: sessionNames, leavesAttempts: attemptNames } as const

/** The token that was mailed to somebody last. */
async function mailed({ id }: Person, purpose: UserPurpose): Promise<string> {
  const [row] = await query<{ generation: number }>(
    'select generation from mailed_tokens where user_id = $1 and purpose = $2 order by generation desc',
    [id, purpose],
  )
  assert.ok(row)
  return makeMailedToken(world.keyring, purpose, { tenant: world.tenantId, id, generation: row.generation })
}

async function removeTotp({ person }: Somebody): Promise<Answer> {
  const { body } = await person.get('/api/users/me/factors')
  return person.delete(`/api/users/me/factors/${body.data.find((each: Json) => each.type === 'totp').id}`)
}

async function resetPassword({ person }: Somebody): Promise<Answer> {
  await world.nobody.post('/api/auth/forgot-password', { email: person.email })
  const token = await world.mailedToken(person.email, 'reset-password')
  return world.nobody.post('/api/auth/reset-password', { token, newPassword })
}

const events: Record<string, Event> = {
  'the first factor that sign-in asks for': {
    isPlain: true,
    happen: async ({ person }) => {
      await enrol(world, person)
      return person.get('/api/users/me/factors')
    },
    ...own,
  },
  'a first key that cannot sign in alone': {
    isPlain: true,
    happen: async ({ person }) =>
      (await addPasskey(person, newAuthenticator(-7, { origin: passkeyOrigin, isVerified: false }))).answer,
    ...own,
  },
  'an authenticator app that replaces another': {
    happen: async ({ person }) => {
      await enrol(world, person)
      return person.get('/api/users/me/factors')
    },
    ...own,
  },
  'the removal of a factor': { happen: removeTotp, ...own },
  'a change of the password': {
    happen: ({ person }) => person.post('/api/users/me/password', { currentPassword: password, newPassword }),
    ...own,
  },
  'the removal of the password': { happen: ({ person }) => person.delete('/api/users/me/password'), ...own },
  'a further passkey': { happen: async ({ person }) => (await addPasskey(person)).answer, ...everything },
  'a first passkey, for which sign-in does not ask': {
    isPlain: true,
    happen: async ({ person }) => (await addPasskey(person)).answer,
    ...everything,
  },
  // Two factors were proven on all devices.
  'a reset of the password by mail': { happen: resetPassword, ...nothing, forgetsDevices: false },
  'a reset of the password by mail of an account without a factor': {
    isPlain: true,
    happen: resetPassword,
    ...nothing,
  },
  'a reset of the factors by an admin': {
    happen: ({ person }) => tess.delete(`/api/admin/users/${person.id}/factors`),
    ...nothing,
  },
  'the undo of a change of address': {
    prepare: (person) => person.patch('/api/users/me', { email: `new-${person.email}`, currentPassword: password }),
    happen: async ({ person }) =>
      world.nobody.post('/api/auth/undo-email-change', { token: await mailed(person, 'undo_email_change') }),
    ...nothing,
  },
  'the unlinking of an account': {
    happen: ({ person, identityId }) => person.delete(`/api/users/me/identities/${identityId}`),
    ...others,
  },
  'the unlinking of an account by an admin': {
    happen: ({ person, identityId }) => tess.delete(`/api/admin/users/${person.id}/identities/${identityId}`),
    ...others,
  },
  'the deletion of a provider': {
    happen: async ({ providerId }) => {
      const path = `/api/admin/providers/${providerId}`
      return tess.delete(path, { confirm: (await tess.get(path)).body.name })
    },
    ...others,
  },
  'a suspension': {
    happen: async ({ person }) => {
      const path = `/api/admin/users/${person.id}`
      assert.equal((await tess.patch(path, { status: 'suspended' })).status, 200)
      return tess.patch(path, { status: 'active' }) // what has ended does not come back
    },
    leaves: [],
    leavesAttempts: [],
  },
  'the deletion of the account': {
    happen: ({ person }) => person.delete('/api/users/me', { confirm: person.email }),
    ...nothing,
  },
  'the deletion of the account by an admin': {
    happen: ({ person }) => tess.delete(`/api/admin/users/${person.id}`),
    ...nothing,
  },
}

/** Somebody with a linked account, an authenticator app unless they are to be plain, and something of everything that can end. */
async function make({ isPlain, prepare }: Event): Promise<Somebody> {
  const providerId = await addProvider(world, double.origin)
  const person = await world.person()
  await prepare?.(person)
  const sub = `sub-${person.id}`
  const linked = await link(double, person, providerId, { sub })
  assert.equal(linked.status, 201, JSON.stringify(linked.body))
  const codes = isPlain ? [] : (await enrol(world, person)).recoveryCodes
  const byProvider = async () =>
    world.nobody.post('/api/auth/sign-in/continue', await visit(world, double, providerId, { sub }))
  const complete = async (answer: Answer) =>
    signedIn(
      world,
      answer.status === 200
        ? answer
        : await continueWith(world, answer.body.attempt.token, { recoveryCode: codes.shift() }),
      person,
    )
  const other = await complete(await signInWith(world, person))
  const byIdentity = await complete(await byProvider())
  const attemptOf = ({ body }: Answer): string => body.attempt.token
  return {
    person,
    providerId,
    identityId: linked.body.id,
    sessions: { own: person, other, byIdentity },
    attempts: {
      ...(!isPlain && {
        byPassword: attemptOf(await signInWith(world, person)),
        byIdentity: attemptOf(await byProvider()),
      }),
      byAddress: attemptOf(await world.nobody.post('/api/auth/sign-in/mail-code', { email: person.email })),
      toConfirm: attemptOf(await person.post('/api/auth/confirm', {})),
      toLink: attemptOf(await person.post('/api/users/me/identities/start', { providerId })),
    },
  }
}

async function liveSessions({ sessions }: Somebody): Promise<string[]> {
  const live: string[] = []
  for (const [name, client] of Object.entries(sessions)) {
    const { status } = await client.get('/api/users/me')
    assert.ok(status === 200 || status === 401)
    if (status === 200) live.push(name)
  }
  return live.sort()
}

async function liveAttempts({ attempts }: Somebody): Promise<string[]> {
  const live: string[] = []
  for (const [name, token] of Object.entries(attempts)) {
    const rows = await query('select from attempts where token_hash = $1', [readToken(token).hash])
    if (rows.length > 0) live.push(name)
  }
  return live.sort()
}

const countDevices = async ({ person }: Somebody) =>
  (await query('select from known_devices where user_id = $1', [person.id])).length

for (const [name, event] of Object.entries(events)) {
  test(`${name} ends ${event.leaves.length === sessionNames.length ? 'nothing' : 'what it must, and nothing else'}`, async () => {
    const somebody = await make(event)
    const before = [await liveSessions(somebody), await liveAttempts(somebody), await countDevices(somebody)]
    const begun = Object.keys(somebody.attempts).sort()
    assert.deepEqual(before, [[...sessionNames].sort(), begun, 3], 'everything lives before')

    const { status, body } = await event.happen(somebody)

    assert.ok(status === 200 || status === 201, JSON.stringify(body))
    assert.deepEqual(await liveSessions(somebody), [...event.leaves].sort())
    const kept = begun.filter((each) => (event.leavesAttempts as readonly string[]).includes(each))
    assert.deepEqual(await liveAttempts(somebody), kept)
    assert.equal(await countDevices(somebody), event.forgetsDevices ? 0 : 3)
  })
}
