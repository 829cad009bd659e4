/** Checks refusals of invalid requests against the contract. */
import assert from 'node:assert/strict'
import { faultCodes } from '../src/platform/http/faults.ts'
import type { Answer } from './client.ts'
import type { Json } from './json.ts'

/** Checks one: 400, the field named, a code of the closed list. Routes of OAuth 2.0 name the field in a sentence. */
export function assertRefusal(answer: Answer, pointer: string, what: string, code?: string): void {
  assert.equal(answer.status, 400, `${what}: ${answer.status} ${JSON.stringify(answer.body)}`)
  if (answer.body.error !== undefined) {
    assert.equal(answer.body.error, 'invalid_request', what)
    assert.ok(answer.body.error_description.includes(pointer), `${what}: ${answer.body.error_description}`)
    return
  }
  assert.equal(answer.body.code, 'invalid_request', what)
  const fault = answer.body.errors.find((each: Json) => each.pointer === pointer)
  assert.ok(fault, `${what}: no fault at ${pointer} in ${JSON.stringify(answer.body.errors)}`)
  assert.ok(faultCodes.includes(fault.code), `${what}: ${fault.code}`)
  if (code) assert.equal(fault.code, code, what)
}

/** A field of a single length has a format, and is not reported as too short or too long. */
export function sizeFault({ minLength, maxLength }: Json, code: 'too_short' | 'too_long'): string {
  return minLength === maxLength ? 'invalid_format' : code
}
