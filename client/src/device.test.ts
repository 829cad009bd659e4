/** The device's token: kept and sent by the client, so that a stranger's guesses do not lock a device's own people out. */
import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { createGuildhall } from '../../test/patient-client.ts'
import { createWorld, password } from '../../test/world.ts'
import { isGuildhallError } from './index.ts'

const world = await createWorld()
const { url } = world

/** A device's own place. */
function newStore(first?: string) {
  const store = {
    kept: first,
    get: () => store.kept,
    set: (deviceToken: string) => {
      store.kept = deviceToken
    },
  }
  return store
}

/** Somebody from the same network, who does not know the password. Keeps the next attempt away, so that no test depends on how fast it runs. */
async function guess(email: string): Promise<void> {
  const stranger = createGuildhall({ url, device: newStore() })
  for (let count = 0; count < 6; count++)
    await stranger.auth.signIn({ email, password: 'not the password' }).catch(() => undefined)
  await world.postgres.query(
    `update password_attempts set next_at = now() + interval '15 minutes' where account = $1 and next_at > to_timestamp(0)`,
    [world.keyring.hmac('guessing', 'account', world.tenantId, email)],
  )
}

const isLockedOut = (signingIn: Promise<unknown>) =>
  signingIn.then(
    () => false,
    (error: unknown) => isGuildhallError(error, 'too_many_attempts') || assert.fail(String(error)),
  )

test('six wrong guesses by a stranger behind the same address do not make a person wait on their own device', async () => {
  const { email } = await world.person()
  const own = createGuildhall({ url, device: newStore() })
  const other = createGuildhall({ url })
  assert.equal(await isLockedOut(own.auth.signIn({ email, password })), false)
  await guess(email)
  assert.equal(await isLockedOut(own.auth.signIn({ email, password })), false)
  assert.equal(await isLockedOut(other.auth.signIn({ email, password })), true, 'where nothing is kept')
})

test('a device has one token for all its people: the first', async () => {
  const store = newStore()
  const { auth } = createGuildhall({ url, device: store })
  const bob = `bob-${Date.now()}@example.com`
  const ann = await world.person()
  const { session } = await auth.signIn({ email: ann.email, password })
  assert.equal(store.kept, session.deviceToken)
  const signedUp = await auth.signUp({ email: bob, password })
  assert.equal(signedUp.session.deviceToken, session.deviceToken)
  assert.equal(store.kept, session.deviceToken, 'Ann’s account knows the device still')
  assert.equal((await auth.signIn({ email: bob, password })).session.deviceToken, store.kept)
  const own = 'x'.repeat(43)
  const named = await auth.signIn({ email: bob, password, deviceToken: own })
  assert.equal(named.session.deviceToken, own, 'a token in the body comes first')
})

test('of two people who sign up on one device, a stranger’s guesses make neither wait there', async () => {
  const { auth } = createGuildhall({ url, device: newStore() })
  for (const name of ['first', 'second']) {
    const email = `${name}-${Date.now()}@example.com`
    await auth.signUp({ email, password })
    await guess(email)
    assert.equal(await isLockedOut(auth.signIn({ email, password })), false, name)
  }
})

test('a store that fails, or keeps something else, refuses nobody', async () => {
  const { email } = await world.person()
  const failing = { get: () => Promise.reject(new Error('denied')), set: () => Promise.reject(new Error('full')) }
  for (const device of [failing, newStore('not a token'), newStore('')])
    assert.ok((await createGuildhall({ url, device }).auth.signIn({ email, password })).session.token)
})

test('a page keeps the token in localStorage by itself; a server, which has no document, keeps none', async (t) => {
  const { email } = await world.person()
  const kept = new Map<string, string>()
  const localStorage = {
    getItem: (key: string) => kept.get(key) ?? null,
    setItem: (key: string, value: string) => void kept.set(key, value),
  }
  give(t, { localStorage })
  await createGuildhall({ url }).auth.signIn({ email, password })
  assert.equal(kept.size, 0)
  give(t, { document: {} })
  const { session } = await createGuildhall({ url }).auth.signIn({ email, password })
  assert.deepEqual([...kept], [[`guildhall-device ${new URL(url).origin}`, session.deviceToken]])
  await guess(email)
  assert.equal(await isLockedOut(createGuildhall({ url }).auth.signIn({ email, password })), false)
})

/** Gives this process what a browser has, for one test. */
function give(t: TestContext, globals: object): void {
  for (const [name, value] of Object.entries(globals)) {
    const before = Object.getOwnPropertyDescriptor(globalThis, name)
    Object.defineProperty(globalThis, name, { value, configurable: true, writable: true })
    t.after(() => {
      Reflect.deleteProperty(globalThis, name)
      if (before) Object.defineProperty(globalThis, name, before)
    })
  }
}

test('a confirmation gives no token of the device, and its type has none', async () => {
  const { email } = await world.person()
  const { session } = await createGuildhall({ url }).auth.signIn({ email, password })

  const confirmed = await createGuildhall({ url, token: session.token }).auth.confirm({ password })

  // @ts-expect-error: the field is not there
  assert.equal(confirmed.session.deviceToken, undefined)
  assert.notEqual(confirmed.session.token, session.token)
})
