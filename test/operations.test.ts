/**
 * Operations: every operation of the OpenAPI document, with requests generated from its schemas, by everybody. Whatever is sent, the
 * document declares the answer (world.ts checks it against the contract), and it is never an internal error.
 *
 * A failure prints the seed (`SEED`) and the request.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { fitting, plain, someOf } from './arbitraries.ts'
import { seed, times } from './depth.ts'
import { holdHeaders } from './headers.ts'
import { fillIn, type Inventory, makeInventory } from './inventory.ts'
import { aPicture } from './pictures.ts'
import { startProviderDouble } from './provider-double.ts'
import { type Made, type Operation, pictureBody, readOperations, requestsTo } from './requests.ts'
import { type Answer, createWorld } from './world.ts'

/** How many requests each operation gets. */
const runs = times(4)

const world = await createWorld({ settings: { OUTBOUND_PRIVATE: '127.0.0.1' } })
const double = await startProviderDouble()
const operations = readOperations(world.app.swagger())

let inventory: Inventory = await makeInventory(world, double)
/** Values of answers that later requests send. */
const given: Record<string, string> = { etag: '"0"', cursor: 'none' }

async function send({ method }: Operation, { by, path, query, headers, raw }: Made): Promise<Answer> {
  const fill = (text: string) =>
    fillIn(
      text.replace(/~(etag|cursor)~/g, (place, name: string) => given[name] ?? place),
      inventory,
    )
  const filled = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, fill(value)]))
  const answer = await inventory.callers[by].request(fill(path + query), {
    method,
    headers: filled,
    ...(raw === pictureBody ? { body: aPicture } : raw !== undefined && { raw: fill(raw) }),
  })
  given.etag = answer.headers.get('etag') ?? '"0"'
  given.cursor = answer.body?.nextCursor ?? given.cursor
  const isSpoilt = answer.status === 429 || (method !== 'GET' && answer.status < 300 && !(await inventory.isWhole()))
  if (isSpoilt) inventory = await makeInventory(world, double)
  return answer
}

const succeeded = new Set<string>()
/** What issuers publish. */
const forAnyPage = /^GET .*\/(openid-configuration|jwks\.json)$/

for (const [index, operation] of operations.entries()) {
  test(`${operation.name} answers as it declares, whatever is sent`, async () => {
    const fits = [plain, fitting].flatMap((choose, number) =>
      fc.sample(requestsTo(operation, choose), { numRuns: 1, seed: seed + index + number }),
    )
    const property = fc.asyncProperty(requestsTo(operation, someOf), async (made) => {
      const { status, body, headers } = await send(operation, made)

      holdHeaders(headers, operation.name, forAnyPage.test(operation.name))
      // If PostgreSQL takes longer than two seconds, the service is not ready.
      const isUnready = operation.name === 'GET /readyz' && status === 503
      assert.ok(status < 500 || isUnready, `${status}: ${JSON.stringify(body)}`)
      const type = headers.get('content-type') ?? ''
      if (status < 400) succeeded.add(operation.name)
      else if (body.error !== undefined) assert.match(body.error_description, /^[ !#-[\]-~]+$/)
      else if (type.startsWith('text/html')) assert.doesNotMatch(body, /<script/)
      else {
        assert.match(type, /^application\/problem\+json/)
        assert.ok(body.code && body.requestId === headers.get('x-request-id'))
        assert.doesNotMatch(JSON.stringify(body.detail), /node_modules|\.ts:|\bselect\b.*\bfrom\b|relation "|ECONN/i)
      }
    })
    const options = { numRuns: runs, seed: seed + index, examples: fits.map((made): [Made] => [made]) }
    await fc.assert(property, options).catch((error) => {
      throw new Error(`SEED=${seed}: ${error.message}`, { cause: error })
    })
  })
}

/** These need a form, an access token, or the cookie of a browser which an application has sent. */
const ofApplications = [
  'POST /api/auth/authorize',
  'GET /api/tenants/{tenantId}/authorize',
  'POST /api/tenants/{tenantId}/authorize',
  'POST /api/tenants/{tenantId}/end-session',
  'POST /api/tenants/{tenantId}/token',
  'POST /api/tenants/{tenantId}/revoke',
  'GET /api/tenants/{tenantId}/userinfo',
  'POST /api/tenants/{tenantId}/userinfo',
]

test('requests that fit were among them, to each operation', () => {
  const without = operations
    .map(({ name }) => name)
    .filter((name) => !succeeded.has(name) && !ofApplications.includes(name))
  assert.deepEqual(without, [], `SEED=${seed}: these were only ever refused: give what they need a place`)
})
