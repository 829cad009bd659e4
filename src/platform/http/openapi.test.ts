/** The OpenAPI document, as somebody reads it who does not know the service. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createWorld, type Json } from '../../../test/world.ts'
import { problems } from './problems.ts'

const world = await createWorld()
const document = world.app.swagger() as Json // an OpenAPI document
const operations = Object.values<Json>(document.paths).flatMap((methods) => Object.values<Json>(methods))

test('every answer says what it is', () => {
  for (const { operationId, responses } of operations) {
    for (const [status, { description }] of Object.entries<Json>(responses)) {
      assert.ok(description.length > 5 && description !== 'Default Response', `${operationId} ${status}`)
    }
  }
})

test('every parameter says what it is', () => {
  for (const { operationId, parameters = [] } of operations) {
    for (const { name, description = '' } of parameters) assert.ok(description.length > 5, `${operationId} ${name}`)
  }
})

test('every tag is described, and used', () => {
  const used = new Set(operations.flatMap(({ tags }) => tags))
  assert.deepEqual([...used].sort(), document.tags.map(({ name }: Json) => name).sort())
  for (const { name, description } of document.tags) assert.ok(description, name)
})

test('the introduction says how to sign in, name a tenant, read errors and turn pages', () => {
  for (const word of [
    'Authorization: Bearer',
    'Guildhall-Session: cookie',
    'Guildhall-Tenant',
    '`code`',
    '`cursor`',
    '/docs/problems',
  ])
    assert.ok(document.info.description.includes(word), word)
})

test('the example of each problem says what to do', () => {
  for (const [code, { summary, description }] of Object.entries<Json>(document.components.examples)) {
    const { title, detail } = problems[code as keyof typeof problems] // the examples are those of problems
    assert.deepEqual([summary, description], [title, detail])
  }
})

test('the headers that choose something, and those that tell something, are in it', () => {
  const find = (id: string): Json => operations.find(({ operationId }) => operationId === id)
  const headersOf = (id: string) =>
    (find(id).parameters ?? []).filter((each: Json) => each.in === 'header').map(({ name }: Json) => name)
  assert.deepEqual(headersOf('signIn').sort(), ['Guildhall-Session', 'Guildhall-Tenant'])
  assert.deepEqual(headersOf('previewInvitation'), ['Guildhall-Tenant'])
  assert.deepEqual(headersOf('getMe'), [])
  assert.ok(find('signUp').responses[201].headers['Set-Cookie'])
  assert.ok(find('listMembers').responses[200].headers.Link)
  assert.ok(find('createOrganization').responses[201].headers.Location)
})

test('the example of a body is what has to be sent, and no more', () => {
  const sent = (id: string) =>
    operations.find(({ operationId }) => operationId === id).requestBody.content['application/json'].example
  assert.deepEqual(Object.keys(sent('signUp')), ['email', 'password'])
  assert.deepEqual(Object.keys(sent('createOrganization')), ['name'])
  assert.deepEqual(Object.keys(sent('updateMe')), ['name'])
})
