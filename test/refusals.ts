/** Refusals of what does not fit, as callers are promised them. */
import assert from 'node:assert/strict'
import { faultCodes } from '../src/platform/http/faults.ts'
import type { Answer } from './client.ts'
import type { Json } from './json.ts'

/** Holds one against the promise: 400, the field named, a code of the closed list. */
export function isRefusal(answer: Answer, pointer: string, what: string, code?: string): void {
  assert.equal(answer.status, 400, `${what}: ${answer.status} ${JSON.stringify(answer.body)}`)
  assert.equal(answer.body.code, 'invalid_request', what)
  const fault = answer.body.errors.find((each: Json) => each.pointer === pointer)
  assert.ok(fault, `${what}: no fault at ${pointer} in ${JSON.stringify(answer.body.errors)}`)
  assert.ok(faultCodes.includes(fault.code), `${what}: ${fault.code}`)
  if (code) assert.equal(fault.code, code, what)
}

/** What has one length has a form, and is not told to be longer or shorter. */
export function sizeFault({ minLength, maxLength }: Json, code: 'too_short' | 'too_long'): string {
  return minLength === maxLength ? 'invalid_format' : code
}
