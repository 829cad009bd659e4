import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type ErrorCode, GuildhallError, withConfirmation } from './index.ts'

/** A request that answers with these errors, one after the other, and then with the values that it got. */
function requestWith(...codes: ErrorCode[]) {
  const got: (string | undefined)[] = []
  const request = async (confirmed?: string) => {
    got.push(confirmed)
    const code = codes.shift()
    if (code) throw new GuildhallError(code, 'Refused.')
    return got
  }
  return request
}

test('a request is repeated with the result of the confirmation, and only if it was refused for want of one', async () => {
  const unasked = async () => assert.fail('nothing is to be confirmed')
  assert.deepEqual(await withConfirmation(requestWith(), unasked), [undefined])
  await assert.rejects(withConfirmation(requestWith('forbidden'), unasked), { code: 'forbidden' })

  const reasons: string[] = []
  const confirm = async ({ code }: GuildhallError) => {
    reasons.push(code)
    return 'a new token'
  }
  assert.deepEqual(await withConfirmation(requestWith('confirmation_required'), confirm), [undefined, 'a new token'])
  assert.deepEqual(await withConfirmation(requestWith('second_factor_required'), confirm), [undefined, 'a new token'])
  assert.deepEqual(reasons, ['confirmation_required', 'second_factor_required'])
})

test('a person is asked once to confirm, and a confirmation that fails ends the request', async () => {
  let asked = 0
  const confirm = async () => String(++asked)
  const request = requestWith('second_factor_required', 'confirmation_required')
  await assert.rejects(withConfirmation(request, confirm), { code: 'confirmation_required' })
  assert.equal(asked, 1)

  const cancelled = new Error('The person has closed the dialog.')
  const cancel = () => Promise.reject(cancelled)
  await assert.rejects(withConfirmation(requestWith('confirmation_required'), cancel), cancelled)
})
