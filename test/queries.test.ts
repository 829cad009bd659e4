/** Queries: every query parameter in the OpenAPI document, with invalid values. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { unfold } from './contract.ts'
import { keyNameIn } from './key-requests.ts'
import { assertRefusal, sizeFault } from './refusals.ts'
import { makeWebhooks, offerWebhooks } from './webhook-requests.ts'
import { type Answer, createWorld, type Json, mailboxKey } from './world.ts'

const world = await createWorld()
const { ann, id: orgId } = await world.organization()
const tess = await world.tenantAdmin()
await offerWebhooks(world)
const webhooks = await makeWebhooks({ owner: ann, orgId, admin: tess })

interface Operation {
  readonly name: string
  readonly path: string
  readonly query: readonly Json[]
}

const operations: Operation[] = Object.entries<Json>(unfold(world.app.swagger()).paths).flatMap(
  ([template, { get }]) =>
    // To `authorize` and `end-session` an application may send more; their own tests try each parameter.
    get === undefined || template.includes('{tenantId}')
      ? []
      : {
          name: `GET ${template}`,
          path: template
            .replace('{orgId}', orgId)
            .replace('{userId}', ann.id)
            .replace('{webhookId}', webhooks[keyNameIn(template, 'webhookId')] ?? ''),
          query: (get.parameters ?? []).filter((parameter: Json) => parameter.in === 'query'),
        },
)

function ask({ path }: Operation, query: string): Promise<Answer> {
  const headers = path === '/api/mailbox' ? { 'guildhall-mailbox-key': mailboxKey } : {}
  return (path.includes('/admin/') ? tess : ann).get(`${path}?${query}`, headers)
}

for (const operation of operations.filter(({ query }) => query.length > 0)) {
  test(`${operation.name} refuses invalid query parameters`, async () => {
    const refuse = async (name: string, query: string, code?: string) =>
      assertRefusal(await ask(operation, query), `?${name}`, `${operation.name}?${query.slice(0, 80)}`, code)

    assert.equal((await ask(operation, '')).status, 200)
    await refuse('surplus', 'surplus=1', 'unknown_field')
    await refuse('__proto__', '__proto__=1')
    await refuse('offset', 'offset=10', 'unknown_field')
    for (const { name, schema } of operation.query) {
      await refuse(name, `${name}=a&${name}=b`)
      await refuse(name, `${name}=${name}&${name}=${name}`)
      await refuse(`${name}[]`, `${name}[]=a`, 'unknown_field')
      await refuse(name, `${name}=a%00b`)
      if (schema.type === 'integer') {
        for (const value of ['0', '101', '-1']) await refuse(name, `${name}=${value}`, 'out_of_range')
        for (const value of ['1.5', 'abc', '', '1e400', 'NaN', 'null', '0x', '1,2', '%20'])
          await refuse(name, `${name}=${value}`)
        await refuse(name, `${name}=99999999999999999999`)
      }
      if (schema.type === 'boolean') for (const value of ['yes', '2', 'TRUE']) await refuse(name, `${name}=${value}`)
      if (schema.enum) for (const value of ['emperor', '']) await refuse(name, `${name}=${value}`, 'not_allowed')
      for (const value of ['acme', 'user_1', '%25'])
        if (schema.pattern && !new RegExp(schema.pattern).test(value)) await refuse(name, `${name}=${value}`)
      if (schema.maxLength)
        await refuse(name, `${name}=${'a'.repeat(schema.maxLength + 1)}`, sizeFault(schema, 'too_long'))
      if (schema.minLength) await refuse(name, `${name}=`, sizeFault(schema, 'too_short'))
      if (schema.format === 'date-time') {
        for (const value of [
          '2026-01-01',
          'now',
          'infinity',
          '2026-13-01T00:00:00Z',
          '2026-02-30T00:00:00Z',
          '2026-01-01T00:00:00',
          '0000-01-01T00:00:00Z',
          '2026-01-01T00:00:00%2B23:59',
          '2026-01-01T00:00:00-18:00',
          '10000-01-01T00:00:00Z',
        ]) {
          await refuse(name, `${name}=${value}`, 'invalid_format')
        }
      }
    }
  })
}

test('a search is literal: nothing in it acts as a pattern or a statement, or fails', async () => {
  const naughty = [
    '%25',
    '_',
    '\\',
    "'",
    "';drop table users;--",
    '%27%20or%20zzq=zzq',
    '*',
    '%',
    '%zz',
    '%ff',
    '%ed%a0%80',
    '%E2%80%AE',
    '%252e%252ezzq',
    '..%2f',
    '{{zzq*7}}',
    '%F0%9F%A6%84',
    '%0d%0aset-cookie:a=b',
    '(',
    '[zzq',
    '$zzq',
    '%C3%9F',
    '+',
    '-',
    'null',
  ]
  const searches = operations.flatMap((operation) =>
    operation.query
      .filter(({ name }) => ['query', 'action', 'cursor', 'to'].includes(name))
      .map(({ name }) => ({ operation, name })),
  )
  assert.ok(searches.length > 10)
  for (const { operation, name } of searches) {
    for (const text of naughty) {
      const { status, body } = await ask(operation, `${name}=${text}`)
      assert.ok(status === 200 || status === 400, `${operation.name}?${name}=${text}: ${status}`)
      if (status === 200) assert.deepEqual(body.data, [], `${operation.name}?${name}=${text} finds something`)
    }
  }
})
