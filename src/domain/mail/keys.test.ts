/** Mails about new keys: who gets them, and where. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { offerKeys } from '../../../test/key-requests.ts'
import { finishJobs } from '../../../test/queue.ts'
import { createWorld, type Json, type Person, password } from '../../../test/world.ts'
import { makeMailedToken } from '../access/tokens.ts'

const world = await createWorld()
await offerKeys(world)
const body = { name: 'Nightly import', scopes: ['members:read'] }

const mailsTo = async (email: string): Promise<Json[]> => {
  await finishJobs(world)
  return (await world.mails(email)).filter(({ subject }) => /new key/.test(subject))
}
const textsTo = async ({ email }: Person): Promise<string[]> => (await mailsTo(email)).map(({ text }) => text)

test('a person hears of each new key of theirs, and where it was made', async () => {
  const eve = await world.signIn(await world.person('Eve'), {
    'user-agent': 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Firefox/140.0',
  })

  assert.equal((await eve.post('/api/users/me/keys', body)).status, 201)

  const [text, ...others] = await textsTo(eve)
  assert.match(
    text ?? '',
    /The key “Nightly import” was created for your account at Guildhall: Firefox on Linux from 127\.0\.0\.1, on /,
  )
  assert.match(text ?? '', /If not, reset your password\./)
  assert.deepEqual(others, [])
})

test('all owners of an organization hear of its new keys, and all admins of a tenant of the tenant’s, without a name', async () => {
  const { ann, ben, cleo, path, members } = await world.organization()
  const eve = await world.person('Eve')
  const { id } = await world.join(ann, (await ann.get(path)).body.id, eve, 'admin')
  assert.equal((await ann.patch(`${path}/members/${members.ben.id}`, { role: 'owner' })).status, 200)
  const [tess, other] = [await world.tenantAdmin(), await world.tenantAdmin()]

  assert.equal((await eve.post(`${path}/keys`, body)).status, 201, id)
  assert.equal((await tess.post('/api/admin/keys', { ...body, name: 'Back end' })).status, 201)

  for (const owner of [ann, ben]) {
    const [text, ...others] = await textsTo(owner)
    assert.match(
      text ?? '',
      /“Nightly import” was created for .* on Guildhall\. .*\n\nYou get this email because you are an owner\./,
    )
    assert.doesNotMatch(text ?? '', /Eve|127\.0\.0\.1/)
    assert.deepEqual(others, [])
  }
  for (const admin of [tess, other]) {
    const [text] = await textsTo(admin)
    assert.match(
      text ?? '',
      /“Back end” was created for Guildhall\. .*\n\nYou get this email because you are an admin\./,
    )
  }
  for (const outsider of [eve, cleo]) assert.deepEqual(await textsTo(outsider), [])
})

test('the mail about a new key goes to the address of that moment', async () => {
  const eve = await world.person('Eve')
  const email = `new-${eve.email}`
  assert.equal((await eve.patch('/api/users/me', { email, currentPassword: password })).status, 200)
  const token = makeMailedToken(world.keyring, 'change_email', { tenant: world.tenantId, id: eve.id, generation: 1 })
  assert.equal((await eve.post('/api/users/me/keys', body)).status, 201)
  assert.equal((await eve.post('/api/auth/verify-email', { token })).status, 200)

  assert.deepEqual([(await mailsTo(eve.email)).length, (await mailsTo(email)).length], [1, 0])
})
