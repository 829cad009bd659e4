/** Passkeys of a real Chromium with virtual authenticators: our options are what it takes, and its answers are what we verify. */
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { type CDPSession, chromium, type Page } from 'playwright-core'
import { findChromium } from '../../../test/chromium.ts'
import { createWorld } from '../../../test/world.ts'
import { newId } from '../../platform/http/schemas.ts'
import { buildChecker } from '../../platform/http/validation.ts'
import { makeChallenge } from './challenges.ts'
import { AssertionCredential, RegistrationCredential } from './passkey-credentials.ts'
import { type CreationOptions, creationOptions, type ProofPurpose, requestOptions } from './passkey-options.ts'
import { passkeySite } from './passkey-site.ts'
import { verifyAssertion, verifyRegistration } from './passkey-verification.ts'
import type { Passkey } from './passkeys.ts'

const browser = await chromium.launch({ executablePath: findChromium(), args: ['--no-sandbox'] })
after(() => browser.close())
const world = await createWorld()
const tenant = { name: 'Shop', passkeyDomain: null, signInDomain: null, domains: [], allowedOrigins: [] }
const site = passkeySite({ publicUrl: world.url }, tenant) ?? assert.fail('loopback has passkeys')
const ann = { id: newId('user'), email: 'ann@example.com', name: 'Ann' }

function newChallenge(): string {
  return makeChallenge(world.keyring, 'a tenant', { purpose: 'sign_in', userId: null, attemptOrSession: null })
    .challenge
}

/** A page of the site, and what its virtual authenticator can do. */
async function open(abilities: Record<string, unknown> = {}): Promise<{ page: Page; cdp: CDPSession; id: string }> {
  const page = await browser.newPage()
  await page.goto(`${site.origins[0]}/pages/favicon.svg`)
  const cdp = await page.context().newCDPSession(page)
  await cdp.send('WebAuthn.enable')
  const options = {
    protocol: 'ctap2' as const,
    transport: 'internal' as const,
    hasResidentKey: true,
    hasUserVerification: true,
    isUserVerified: true,
    ...abilities,
  }
  const { authenticatorId } = await cdp.send('WebAuthn.addVirtualAuthenticator', { options })
  return { page, cdp, id: authenticatorId }
}

/** Has the page call `navigator.credentials`. @returns what the credential's `toJSON()` says */
function call<Answer>(page: Page, method: 'create' | 'get', options: object): Promise<Answer> {
  const kind = method === 'create' ? 'Creation' : 'Request'
  return page.evaluate(`(async () => {
    const publicKey = PublicKeyCredential.parse${kind}OptionsFromJSON(${JSON.stringify(options)})
    return (await navigator.credentials.${method}({ publicKey })).toJSON()
  })()`)
}

async function register(page: Page, changes: Partial<CreationOptions> = {}): Promise<Passkey> {
  const challenge = newChallenge()
  const options = { ...creationOptions(site, challenge, tenant, ann, []), ...changes }
  const credential = await call<RegistrationCredential>(page, 'create', options)
  assert.deepEqual(buildChecker(RegistrationCredential)(credential), [])
  const made = await verifyRegistration({ site, challenge }, credential)
  assert.ok(made)
  return { ...made.passkey, id: newId('fac'), userId: ann.id }
}

async function prove(page: Page, purpose: ProofPurpose, passkey: Passkey) {
  const challenge = newChallenge()
  const credential = await call<AssertionCredential>(page, 'get', requestOptions(site, challenge, purpose, [passkey]))
  assert.deepEqual(buildChecker(AssertionCredential)(credential), [])
  const userId = purpose === 'sign_in' ? null : ann.id
  return verifyAssertion({ site, challenge, purpose, userId }, credential, passkey)
}

test('a passkey of Chromium signs in, confirms, and is a second factor', async () => {
  const { page } = await open()
  const passkey = await register(page)
  assert.deepEqual([passkey.canSignIn, passkey.isSynced, passkey.transports], [true, false, ['internal']])
  for (const purpose of ['sign_in', 'second_factor', 'confirm', 'link'] as const) {
    const proven = await prove(page, purpose, passkey)
    assert.equal(proven.outcome, 'verified', purpose)
  }
})

test('each algorithm that Chromium offers is verified', async () => {
  const { page } = await open()
  for (const alg of [-7, -257]) {
    const passkey = await register(page, { pubKeyCredParams: [{ type: 'public-key', alg }] })
    assert.equal((await prove(page, 'confirm', passkey)).outcome, 'verified', String(alg))
  }
})

test('a key without verification is a second factor, and no more', async () => {
  const { page } = await open({ hasResidentKey: false, hasUserVerification: false, transport: 'usb' })
  const passkey = await register(page)
  assert.equal(passkey.canSignIn, false)
  const proven = await prove(page, 'second_factor', passkey)
  assert.ok(proven.outcome === 'verified' && !proven.isVerified)
})

test('a passkey whose flag or counter was changed is refused', async () => {
  const { page, cdp, id } = await open({ defaultBackupEligibility: true, defaultBackupState: true })
  const passkey = await register(page)
  assert.equal(passkey.isSynced, true)
  assert.equal((await prove(page, 'sign_in', passkey)).outcome, 'verified')
  assert.deepEqual(await prove(page, 'sign_in', { ...passkey, signCount: 100 }), { outcome: 'lower_counter' })

  const { credentials } = await cdp.send('WebAuthn.getCredentials', { authenticatorId: id })
  for (const each of credentials) {
    await cdp.send('WebAuthn.removeCredential', { authenticatorId: id, credentialId: each.credentialId })
    const credential = { ...each, backupEligibility: false, backupState: false }
    await cdp.send('WebAuthn.addCredential', { authenticatorId: id, credential })
  }
  assert.deepEqual(await prove(page, 'sign_in', passkey), { outcome: 'refused' })
})

test('Chromium makes no second passkey on an authenticator that has one, and says so', async () => {
  const { page } = await open()
  const passkey = await register(page)
  const { excludeCredentials } = creationOptions(site, newChallenge(), tenant, ann, [passkey])
  await assert.rejects(register(page, { excludeCredentials }), /InvalidStateError/)
})
