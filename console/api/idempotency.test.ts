import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { idempotency, keyedPaths } from './idempotency.ts'

type Sent = NonNullable<typeof idempotency.onRequest> extends (options: infer Options) => unknown ? Options : never

const path = '/api/organizations'

/** The key that a submission is sent with, and its request. */
async function send(body: unknown, schemaPath: string = path): Promise<{ key: string | null; request: Request }> {
  const request = new Request(`http://localhost${schemaPath}`, { method: 'POST', body: JSON.stringify(body) })
  await idempotency.onRequest?.({ request, schemaPath } as Sent) // it looks at nothing else
  return { key: request.headers.get('idempotency-key'), request }
}

async function answer(request: Request, status: number): Promise<void> {
  type Answered = Parameters<NonNullable<typeof idempotency.onResponse>>[0]
  await idempotency.onResponse?.({ request, response: new Response(null, { status }) } as Answered) // nor here
}

test('an operation is sent with a key if the service takes one, and only then', async () => {
  const { paths } = JSON.parse(readFileSync(join(import.meta.dirname, '../../openapi.json'), 'utf8'))
  const taking = Object.keys(paths).filter((each) =>
    paths[each].post?.parameters?.some(({ $ref = '' }) => $ref === '#/components/parameters/Idempotency-Key'),
  )
  assert.deepEqual([...keyedPaths].sort(), taking.sort())
  assert.equal((await send({}, '/api/auth/sign-in')).key, null)
})

test('a submission without a response keeps its key, and every other submission has its own', async () => {
  const lost = await send({ name: 'Acme' })
  assert.match(lost.key ?? '', /^"[0-9a-f-]{36}"$/)
  const other = await send({ name: 'Other' })
  const busy = await send({ name: 'Acme' })
  assert.notEqual(other.key, lost.key)
  assert.equal(busy.key, lost.key)

  await answer(busy.request, 503)
  const again = await send({ name: 'Acme' })
  assert.equal(again.key, lost.key)
  await answer(again.request, 201)
  assert.notEqual((await send({ name: 'Acme' })).key, lost.key)
})

test('after some minutes the same submission gets a new key', async (t) => {
  t.mock.timers.enable({ apis: ['Date'], now: Date.now() })
  const { key } = await send({ name: 'Lost' })
  t.mock.timers.tick(6 * 60_000)
  assert.notEqual((await send({ name: 'Lost' })).key, key)
})
