import assert from 'node:assert/strict'
import { test } from 'node:test'
import { newAuthenticator } from '../../../test/authenticator.ts'
import { addPasskey, passkeyOrigin } from '../../../test/sign-in.ts'
import { createWorld } from '../../../test/world.ts'

const world = await createWorld()

const chrome = {
  'user-agent':
    'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36',
}

test('a new passkey is named after what holds it, unless its owner names it', async () => {
  const ann = await world.person('Ann')
  const inChrome = await world.signIn(ann, chrome)
  for (const [said, name] of [
    [{ aaguid: 'fbfc3007-154e-4ecc-8c0b-6e020557d7bd' }, 'iCloud Keychain'],
    [{ aaguid: 'd548826e-79b4-db40-a3d8-11116f7e8349' }, 'Bitwarden'],
    [{}, 'Chrome on macOS'],
    [{ aaguid: '01020304-0506-0708-0102-030405060708' }, 'Chrome on macOS'],
    [{ transports: ['usb', 'nfc'] }, 'Security key'],
  ] as const) {
    await world.postgres.query('delete from factors where user_id = $1', [ann.id])
    const key = newAuthenticator(-7, { origin: passkeyOrigin, ...said })
    const { answer } = await addPasskey(inChrome, key)
    assert.deepEqual([answer.status, answer.body.factor.name], [201, name])
  }

  await world.postgres.query('delete from factors where user_id = $1', [ann.id])
  const { body } = await inChrome.post('/api/users/me/factors/setup', { type: 'passkey' })
  const credential = newAuthenticator(-7, { origin: passkeyOrigin }).create(body.options)
  const named = await inChrome.post('/api/users/me/factors', { type: 'passkey', name: 'Blue laptop', credential })
  assert.equal(named.body.factor.name, 'Blue laptop')
})
