import assert from 'node:assert/strict'
import { test } from 'node:test'
import { earlier } from '../../../test/earlier.ts'
import { until } from '../../../test/smtp.ts'
import { createWorld, type Person, password } from '../../../test/world.ts'

const world = await createWorld({ settings: { LIMITS: 'on', LIMIT_MAIL: '2/5400' }, worker: true })
const { query } = world.postgres

const forgot = (email: string) => world.nobody.post('/api/auth/forgot-password', { email })
const reset = (token: string) =>
  world.nobody.post('/api/auth/reset-password', { token, newPassword: 'another long passphrase' })
const resetMails = async ({ email }: Person) =>
  (await world.mails(email)).filter(({ text }) => text.includes('/reset-password#token='))

/** Pretends that the links and the counts were made so much earlier. */
async function pass(interval: string): Promise<void> {
  await query(`update mailed_tokens set expires_at = ${earlier('expires_at', '$1::interval')}`, [interval])
  await query('update rates set expire = expire - extract(epoch from $1::interval) * 1000', [interval])
}

test('a reset link is valid for as long as its address cannot get another one (LIMIT_MAIL)', async () => {
  const ann = await world.person()
  for (let times = 1; times <= 2; times++) {
    assert.equal((await forgot(ann.email)).status, 202)
    await world.mailedToken(ann.email, 'reset-password')
    await until(async () => (await resetMails(ann)).length === times, 'the mail')
  }
  const newest = await world.mailedToken(ann.email, 'reset-password')
  const [mail] = await resetMails(ann)

  await pass('89 minutes')
  assert.equal((await forgot(ann.email)).status, 202)
  assert.deepEqual(
    await query(`select from graphile_worker.jobs where task_identifier = 'request_reset'`),
    [],
    'the stranger who asked has used up what the address may be sent',
  )

  assert.equal((await reset(newest)).status, 200)
  assert.match(mail.text, /The link works once, for 90 minutes\./)
})

test('once a reset link has expired, its address can get another one', async () => {
  const ann = await world.person()
  await forgot(ann.email)
  const first = await world.mailedToken(ann.email, 'reset-password')
  await forgot(ann.email)
  await until(async () => (await resetMails(ann)).length === 2, 'the second mail')

  await pass('91 minutes')

  assert.equal((await reset(await world.mailedToken(ann.email, 'reset-password'))).status, 410)
  await forgot(ann.email)
  await until(async () => (await resetMails(ann)).length === 3, 'a third mail')
  const third = await world.mailedToken(ann.email, 'reset-password')
  assert.notEqual(third, first)
  assert.equal((await reset(third)).status, 200)
})

test('the reset link of an undone change of address is valid for the same time', async () => {
  const ann = await world.person()
  const email = `next-${ann.email}`
  assert.equal((await ann.patch('/api/users/me', { email, currentPassword: password })).status, 200)
  const undo = await world.mailedToken(ann.email, 'undo-email-change')
  assert.equal((await world.nobody.post('/api/auth/undo-email-change', { token: undo })).status, 200)
  const token = await world.mailedToken(ann.email, 'reset-password')

  await pass('89 minutes')

  assert.equal((await reset(token)).status, 200)
})
