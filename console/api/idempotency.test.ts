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

async function answer(request: Request, status: number, schemaPath: string = path): Promise<void> {
  type Answered = Parameters<NonNullable<typeof idempotency.onResponse>>[0]
  await idempotency.onResponse?.({ request, response: new Response(null, { status }), schemaPath } as Answered) // nor here
}

/** Another request of the console, and its answer. */
async function change(method: string, status: number, schemaPath = `${path}/{orgId}`): Promise<void> {
  const request = new Request(`http://localhost${path}/acme`, { method })
  await idempotency.onRequest?.({ request, schemaPath } as Sent)
  await answer(request, status, schemaPath)
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

test('a submission without a response gets a new key once another change is done, which may have undone it', async () => {
  for (const method of ['POST', 'PATCH', 'PUT', 'DELETE']) {
    const lost = await send({ name: 'Eve' })
    await change('GET', 200)
    await change(method, 409)
    await change(method, 503)
    await change('POST', 200, '/api/auth/sign-in/continue') // as when a request must be confirmed
    assert.equal((await send({ name: 'Eve' })).key, lost.key, method)
    await change(method, 204)
    assert.notEqual((await send({ name: 'Eve' })).key, lost.key, method)
  }
  const lost = await send({ name: 'Acme' })
  const other = await send({ name: 'Other' })
  await answer(other.request, 400)
  assert.equal((await send({ name: 'Acme' })).key, lost.key)
  await answer((await send({ name: 'Other' })).request, 201)
  assert.notEqual((await send({ name: 'Acme' })).key, lost.key)
})

test('after some minutes the same submission gets a new key', async (t) => {
  t.mock.timers.enable({ apis: ['Date'], now: Date.now() })
  const { key } = await send({ name: 'Lost' })
  t.mock.timers.tick(6 * 60_000)
  assert.notEqual((await send({ name: 'Lost' })).key, key)
})
