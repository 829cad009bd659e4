import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { test } from 'node:test'
import { type Authenticator, type Changes, newAuthenticator } from '../../../test/authenticator.ts'
import { Keyring } from '../../platform/cryptography.ts'
import { newId } from '../../platform/http/schemas.ts'
import { buildChecker } from '../../platform/http/validation.ts'
import { makeChallenge } from './challenges.ts'
import { AssertionCredential, RegistrationCredential, readClientData } from './passkey-credentials.ts'
import { creationOptions, type ProofPurpose, requestOptions, userHandleOf } from './passkey-options.ts'
import type { PasskeySite } from './passkey-site.ts'
import { type AssertionOutcome, verifyAssertion, verifyRegistration } from './passkey-verification.ts'
import type { NewPasskey, Passkey } from './passkeys.ts'

const site: PasskeySite = {
  rpId: 'example.com',
  origins: ['https://accounts.example.com', 'https://shop.example.com'],
}
const keyring = new Keyring(['a secret that is only used in these tests'])
const ann = { id: newId('user'), email: 'ann@example.com', name: 'Ann' }
const signIn = { purpose: 'sign_in', userId: null } as const

function newChallenge(): string {
  return makeChallenge(keyring, 'a tenant', { purpose: 'sign_in', userId: null, attemptOrSession: null }).challenge
}

async function register(authenticator: Authenticator, changes: Changes = {}): Promise<NewPasskey | undefined> {
  const challenge = newChallenge()
  const credential = authenticator.create(creationOptions(site, challenge, { name: 'Shop' }, ann, []), changes)
  assert.deepEqual(buildChecker(RegistrationCredential)(credential), [])
  return (await verifyRegistration({ site, challenge }, credential))?.passkey
}

/** A passkey of Ann's that was registered, as it is stored, with its authenticator. */
async function registered(authenticator = newAuthenticator(), changes: Changes = {}) {
  const made = await register(authenticator, changes)
  assert.ok(made)
  const passkey: Passkey = { ...made, id: newId('fac'), userId: ann.id }
  const prove = (purpose: ProofPurpose, said: Changes = {}): Promise<AssertionOutcome> => {
    const challenge = newChallenge()
    const credential = authenticator.get(requestOptions(site, challenge, purpose, [passkey]), said)
    assert.deepEqual(buildChecker(AssertionCredential)(credential), [])
    const userId = purpose === 'sign_in' ? null : ann.id
    return verifyAssertion({ site, challenge, purpose, userId }, credential, passkey)
  }
  return { passkey, prove, authenticator }
}

for (const [name, algorithm] of [
  ['EdDSA', -8],
  ['ES256', -7],
  ['RS256', -257],
] as const) {
  test(`a passkey that signs by ${name} is registered and signs in`, async () => {
    const authenticator = newAuthenticator(algorithm)
    const { passkey, prove } = await registered(authenticator)

    assert.deepEqual(passkey.credentialId, authenticator.credentialId)
    const { signCount, transports, isSynced, canSignIn } = passkey
    assert.deepEqual([signCount, transports, isSynced, canSignIn], [0, ['internal', 'hybrid'], false, true])
    assert.deepEqual(await prove('sign_in'), { outcome: 'verified', signCount: 0, isVerified: true })
  })
}

test('each origin of the site is accepted', async () => {
  const origin = 'https://shop.example.com'
  const { prove } = await registered(newAuthenticator(), { origin })
  assert.equal((await prove('sign_in', { origin })).outcome, 'verified')
})

/** What neither a registration nor a proof may say, for any purpose. */
const wrong: Readonly<Record<string, Changes>> = {
  'of another origin': { origin: 'https://evil.example' },
  'of an unlisted origin under the RP id': { origin: 'https://other.example.com' },
  'of the same host over http': { origin: 'http://accounts.example.com' },
  'of another port': { origin: 'https://accounts.example.com:8443' },
  'for another RP id': { rpId: 'accounts.example.com' },
  'to another challenge': { challenge: newChallenge() },
  'of another type': { type: 'payment.get' },
  'without presence': { isPresent: false },
  'from a frame of another origin': { clientData: { crossOrigin: true } },
  'from a frame, written as text': { clientData: { crossOrigin: 'true' } },
  'with another page above it': { clientData: { topOrigin: 'https://evil.example' } },
  'that is backed up and may not be': { isBackedUp: true },
}

for (const [name, changes] of Object.entries(wrong)) {
  test(`an answer ${name} is refused`, async () => {
    assert.equal(await register(newAuthenticator(), changes), undefined)
    const { prove } = await registered()
    for (const purpose of ['sign_in', 'second_factor', 'confirm', 'link'] as const)
      assert.deepEqual(await prove(purpose, changes), { outcome: 'refused' }, purpose)
  })
}

test('a proof is no registration, and a registration is no proof', async () => {
  assert.equal(await register(newAuthenticator(), { type: 'webauthn.get' }), undefined)
  const { prove } = await registered()
  assert.deepEqual(await prove('sign_in', { type: 'webauthn.create' }), { outcome: 'refused' })
})

test('only a second factor is accepted without verification', async () => {
  const { prove } = await registered()
  for (const purpose of ['sign_in', 'confirm', 'link'] as const)
    assert.deepEqual(await prove(purpose, { isVerified: false }), { outcome: 'refused' }, purpose)
  const second = await prove('second_factor', { isVerified: false })
  assert.deepEqual(second, { outcome: 'verified', signCount: 0, isVerified: false })
})

test('a passkey that was registered without verification never gains it', async () => {
  const { passkey, prove } = await registered(newAuthenticator(), { isVerified: false })
  assert.equal(passkey.canSignIn, false)
  for (const purpose of ['sign_in', 'confirm', 'link'] as const)
    assert.deepEqual(await prove(purpose), { outcome: 'refused' }, purpose)
  assert.deepEqual(await prove('second_factor'), { outcome: 'verified', signCount: 0, isVerified: false })
})

test('only a discoverable passkey can sign in', async () => {
  for (const isDiscoverable of [false, undefined]) {
    const made = await register(newAuthenticator(), { isDiscoverable })
    assert.equal(made?.canSignIn, false, String(isDiscoverable))
  }
})

test('a first factor says whose it is, and no answer names somebody else', async () => {
  const { prove } = await registered()
  const [own, other] = [userHandleOf(ann.id), userHandleOf(newId('user'))]
  for (const userHandle of [other, `${own}A`, 'QQ'])
    for (const purpose of ['sign_in', 'second_factor', 'confirm', 'link'] as const)
      assert.deepEqual(await prove(purpose, { userHandle }), { outcome: 'refused' }, `${purpose} ${userHandle}`)
  for (const userHandle of [null, '']) {
    assert.deepEqual(await prove('sign_in', { userHandle }), { outcome: 'refused' })
    assert.equal((await prove('confirm', { userHandle })).outcome, 'verified')
  }
})

test('a passkey cannot answer for another one', async () => {
  const [one, other] = [await registered(), await registered()]
  const challenge = newChallenge()
  const credential = other.authenticator.get(requestOptions(site, challenge, 'sign_in'))
  const expected = { site, challenge, ...signIn }
  assert.equal((await verifyAssertion(expected, credential, other.passkey)).outcome, 'verified')
  assert.deepEqual(await verifyAssertion(expected, credential, one.passkey), { outcome: 'refused' })
  const { id } = one.authenticator.get(requestOptions(site, challenge, 'sign_in'))
  for (const forged of [
    { ...credential, id, rawId: id },
    { ...credential, id },
    { ...credential, rawId: id },
  ])
    for (const { passkey } of [one, other])
      assert.deepEqual(await verifyAssertion(expected, forged, passkey), { outcome: 'refused' })
})

test('the passkey of somebody else proves nothing of the person who is asked', async () => {
  const { passkey, authenticator } = await registered()
  for (const purpose of ['second_factor', 'confirm', 'link'] as const) {
    const challenge = newChallenge()
    const credential = authenticator.get(requestOptions(site, challenge, purpose, [passkey]))
    const expected = { site, challenge, purpose }
    const right = await verifyAssertion({ ...expected, userId: ann.id }, credential, passkey)
    assert.equal(right.outcome, 'verified')
    for (const userHandle of [userHandleOf(ann.id), null]) {
      const said = { ...credential, response: { ...credential.response, userHandle } }
      const outcome = await verifyAssertion({ ...expected, userId: newId('user') }, said, passkey)
      assert.deepEqual(outcome, { outcome: 'refused' }, purpose)
    }
  }
})

test('a changed signature, or changed data under it, is refused', async () => {
  const { passkey, authenticator } = await registered()
  const challenge = newChallenge()
  const credential = authenticator.get(requestOptions(site, challenge, 'sign_in'))
  for (const part of ['signature', 'authenticatorData'] as const) {
    const bytes = Buffer.from(credential.response[part], 'base64url')
    bytes.writeUInt8(bytes.readUInt8(bytes.length - 1) ^ 1, bytes.length - 1)
    const response = { ...credential.response, [part]: bytes.toString('base64url') }
    const outcome = await verifyAssertion({ site, challenge, ...signIn }, { ...credential, response }, passkey)
    assert.deepEqual(outcome, { outcome: 'refused' }, part)
  }
})

test('a counter that has not risen is told apart, and only behind a right signature', async () => {
  const { passkey, prove, authenticator } = await registered(newAuthenticator(-7, { counter: 7 }))
  assert.equal(passkey.signCount, 7)
  assert.deepEqual(await prove('sign_in', { counter: 8 }), { outcome: 'verified', signCount: 8, isVerified: true })
  for (const counter of [0, 6, 7])
    assert.deepEqual(await prove('sign_in', { counter }), { outcome: 'lower_counter' }, String(counter))

  const challenge = newChallenge()
  const credential = authenticator.get(requestOptions(site, challenge, 'sign_in'), { counter: 6 })
  const response = { ...credential.response, signature: randomBytes(70).toString('base64url') }
  const outcome = await verifyAssertion({ site, challenge, ...signIn }, { ...credential, response }, passkey)
  assert.deepEqual(outcome, { outcome: 'refused' })
})

test('a passkey stays as synced as it was registered', async () => {
  const bound = await registered()
  assert.deepEqual(await bound.prove('sign_in', { isEligible: true }), { outcome: 'refused' })
  const synced = await registered(newAuthenticator(-7, { isEligible: true }))
  assert.equal(synced.passkey.isSynced, true)
  assert.equal((await synced.prove('sign_in', { isBackedUp: true })).outcome, 'verified')
  assert.equal((await synced.prove('sign_in')).outcome, 'verified', 'backed up today, or not')
  assert.deepEqual(await synced.prove('sign_in', { isEligible: false }), { outcome: 'refused' })
})

test('an attestation that comes anyway is not looked at', async () => {
  const certificate = randomBytes(600)
  for (const format of ['packed', 'tpm', 'apple', 'android-key', 'unknown']) {
    const attestation = [format, new Map([['x5c', certificate]])] as const
    assert.ok(await register(newAuthenticator(), { attestation }), format)
  }
})

test('a registration names the credential that it holds', async () => {
  const challenge = newChallenge()
  const options = creationOptions(site, challenge, { name: 'Shop' }, ann, [])
  const credential = newAuthenticator().create(options)
  const id = randomBytes(32).toString('base64url')
  assert.ok(await verifyRegistration({ site, challenge }, credential))
  for (const forged of [
    { ...credential, id, rawId: id },
    { ...credential, id },
  ])
    assert.equal(await verifyRegistration({ site, challenge }, forged), undefined)
})

test('what cannot be read is refused, and throws nothing', async () => {
  const { passkey, authenticator } = await registered()
  const challenge = newChallenge()
  const asserted = authenticator.get(requestOptions(site, challenge, 'sign_in'))
  const created = authenticator.create(creationOptions(site, challenge, { name: 'Shop' }, ann, []))
  const texts = ['', 'null', '[]', '{', '{"challenge":1}'].map((text) => Buffer.from(text).toString('base64url'))
  for (const garbage of [...texts, randomBytes(50).toString('base64url'), 'A'.repeat(6000)]) {
    for (const part of ['clientDataJSON', 'authenticatorData', 'signature'] as const) {
      const credential = { ...asserted, response: { ...asserted.response, [part]: garbage } }
      const outcome = await verifyAssertion({ site, challenge, ...signIn }, credential, passkey)
      assert.deepEqual(outcome, { outcome: 'refused' }, `${part} ${garbage}`)
    }
    for (const part of ['clientDataJSON', 'attestationObject'] as const) {
      const credential = { ...created, response: { ...created.response, [part]: garbage } }
      assert.equal(await verifyRegistration({ site, challenge }, credential), undefined, `${part} ${garbage}`)
    }
    assert.ok(await verifyRegistration({ site, challenge }, created))
  }
  assert.equal(readClientData(asserted)?.challenge, challenge)
  assert.equal(readClientData({ ...asserted, response: { ...asserted.response, clientDataJSON: 'A' } }), undefined)
})

test('a credential has at most 8 KiB, and members that are unknown to us', () => {
  const challenge = newChallenge()
  const authenticator = newAuthenticator()
  const created = authenticator.create(creationOptions(site, challenge, { name: 'Shop' }, ann, []))
  const asserted = authenticator.get(requestOptions(site, challenge, 'sign_in'))
  for (const [schema, credential] of [
    [RegistrationCredential, created],
    [AssertionCredential, asserted],
  ] as const) {
    const check = buildChecker(schema)
    const more = { authenticatorAttachment: 'platform', clientExtensionResults: { prf: { enabled: true } } }
    assert.deepEqual(check({ ...credential, ...more }), [])
    assert.equal(check({ ...credential, more: 'x'.repeat(8192) })[0]?.code, 'too_long')
    const longId = { ...credential, id: 'A'.repeat(1365) }
    assert.deepEqual(
      check(longId).map(({ pointer }) => pointer),
      ['/id'],
    )
    assert.equal(check({ ...credential, type: 'password' })[0]?.pointer, '/type')
  }
})
