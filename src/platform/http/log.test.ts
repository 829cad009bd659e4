import assert from 'node:assert/strict'
import { test } from 'node:test'
import Fastify from 'fastify'
import { logForm } from './log.ts'

/** What a line says of an object. */
function logged(object: object): Record<string, Record<string, unknown>> {
  let line = ''
  const { log } = Fastify({ logger: { ...logForm, stream: { write: (text: string) => (line = text) } } })
  log.error(object, 'failed')
  return JSON.parse(line)
}

test('an error is logged with its own name, and a person without theirs', () => {
  const { err, user, name } = logged({
    err: Object.assign(new Error('taken back'), { name: 'AbortError' }),
    user: { name: 'Ann' },
    name: 'Ann',
  })
  assert.deepEqual([err?.type, err?.message], ['AbortError', 'taken back'])
  assert.deepEqual([user?.name, name], ['[redacted]', '[redacted]'])
})

test('an error that is logged as `error` is described as well, with nothing else that it carries', () => {
  const { error: refused } = logged({
    error: Object.assign(new TypeError('no'), { detail: 'ann@example.com', code: 7 }),
  })
  assert.deepEqual([refused?.type, Object.keys(refused ?? {})], ['TypeError', ['type', 'code', 'message', 'stack']])
  const { error: late } = logged({ error: new DOMException('too late', 'TimeoutError') })
  assert.deepEqual([late?.type, late?.message], ['TimeoutError', 'too late'])
})
