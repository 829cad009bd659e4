/** Cross-site: a request of another site with the browser's cookie has no effect, whichever operation it is. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { uuidToTenantId } from '../src/platform/http/schemas.ts'
import { unfold } from './contract.ts'
import { operationsOf, type Plain, plainly } from './plain.ts'
import { createWorld } from './world.ts'

const world = await createWorld()
const document = unfold(world.app.swagger())
const send = plainly(world.url)
const ann = await world.person()

/** All other ids are wrong: the requests end before an id is looked at. */
const ids = new Proxy<Readonly<Record<string, string>>>(
  { tenantId: uuidToTenantId(world.tenantId) },
  { get: (known, name) => Reflect.get(known, name) ?? 'x' },
)
const operations = operationsOf(document, ids).filter(({ method }) => method !== 'GET')

/** Applications send browsers there with a form. */
const leading = ['POST /api/tenants/{tenantId}/authorize', 'POST /api/tenants/{tenantId}/end-session']

const sites: readonly Readonly<Record<string, string>>[] = [
  {},
  { 'sec-fetch-site': 'cross-site' },
  { 'sec-fetch-site': 'same-site' },
  { origin: 'https://evil.example' },
  { origin: 'null' },
]

/** Whether it is the problem `cross_site`, or what routes of OAuth 2.0 make of it. */
function isRefused({ status, code, text }: Plain): boolean {
  return (
    status === 403 &&
    (code === 'cross_site' || /"error_description":"A browser may send the session cookie only/.test(text))
  )
}

async function sendFromOthers({ method, path, takesBody, takesPicture, takesForm }: (typeof operations)[number]) {
  const type = takesPicture ? 'image/png' : takesForm ? 'application/x-www-form-urlencoded' : 'application/json'
  const body = takesPicture || takesBody ? 'a=b' : undefined
  const headers = { cookie: `guildhall=${ann.token}`, ...(body && { 'content-type': type }) }
  return Promise.all(sites.map((site) => send(method, path, { ...site, ...headers }, body)))
}

for (const operation of operations) {
  if (leading.includes(operation.name)) continue
  test(`${operation.name} refuses the cookie if another site sends the request`, async () => {
    for (const answer of await sendFromOthers(operation)) assert.ok(isRefused(answer), answer.text)
  })
}

test('where other sites send browsers with a form, the answer is the address with its query, and nothing is done', async () => {
  const found = operations.filter(({ name }) => leading.includes(name))
  assert.equal(found.length, leading.length)
  for (const operation of found)
    for (const { status, headers } of await sendFromOthers(operation))
      assert.deepEqual([status, headers.location], [303, `${operation.path}?a=b`], operation.name)
})
