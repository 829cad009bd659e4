/** The OpenAPI document, as somebody reads it who does not know the service. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { unfold } from '../../../test/contract.ts'
import { createWorld, type Json } from '../../../test/world.ts'
import { problems } from '../../domain/problems.ts'
import { formats } from '../../platform/http/formats.ts'

const world = await createWorld()
const document = unfold(world.app.swagger())
const operations = Object.values<Json>(document.paths).flatMap((methods) => Object.values<Json>(methods))

test('every response has a description', () => {
  for (const { operationId, responses } of operations) {
    for (const [status, { description }] of Object.entries<Json>(responses)) {
      assert.ok(description.length > 5 && description !== 'Default Response', `${operationId} ${status}`)
    }
  }
})

test('every parameter has a description', () => {
  for (const { operationId, parameters = [] } of operations) {
    for (const { name, description = '' } of parameters) assert.ok(description.length > 5, `${operationId} ${name}`)
  }
})

test('every tag has a description and is used', () => {
  const used = new Set(operations.flatMap(({ tags }) => tags))
  assert.deepEqual([...used].sort(), document.tags.map(({ name }: Json) => name).sort())
  for (const { name, description } of document.tags) assert.ok(description, name)
})

test('the introduction says how to sign in, name a tenant, read errors and turn pages', () => {
  for (const word of [
    'Authorization: Bearer',
    '`ghk_…`',
    '`ght_…`',
    'Guildhall-Session: cookie',
    'Guildhall-Tenant',
    '`code`',
    '`cursor`',
    '/docs/problems',
  ])
    assert.ok(document.info.description.includes(word), word)
})

test('the example of each problem says what to do', () => {
  const examples = Object.entries<Json>(document.components.examples).filter(([name]) => name in problems)
  assert.ok(examples.length > 30)
  for (const [code, { summary, description }] of examples) {
    const { title, detail } = problems[code as keyof typeof problems] // as was just asked
    assert.deepEqual([summary, description], [title, detail])
  }
})

test('operations declare their request headers, and responses their cookies and links', () => {
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

test('a receiver finds in each webhook the headers that it checks, and what its answers mean', () => {
  const { pathItems } = document.components
  for (const [type, { $ref }] of Object.entries<Json>(document.webhooks)) {
    const { post } = pathItems[$ref.replace('#/components/pathItems/', '')] ?? assert.fail(type)
    const headers = post.parameters.map(({ name, in: place, required }: Json) => required && place === 'header' && name)
    assert.deepEqual(headers, ['webhook-id', 'webhook-timestamp', 'webhook-signature'], post.operationId)
    assert.deepEqual(Object.keys(post.responses), ['410', '2XX', 'default'])
    assert.deepEqual(post.security, [])
  }
})

test('operations name the scope that a key needs, or are for sessions alone', () => {
  const saidOf = (id: string): string => operations.find(({ operationId }) => operationId === id).description
  assert.match(saidOf('listUsers'), / A key needs the scope `users:read`\.$/)
  assert.match(saidOf('removeMember'), / A key needs the scope `members:remove`; of oneself `members:leave`\.$/)
  assert.match(saidOf('getCaller'), / Any key may do this\.$/)
  assert.match(saidOf('createKey'), / No key may do this\.$/)
  assert.doesNotMatch(saidOf('signIn'), /key/)
})

test('operations name every credential that they take', () => {
  const takenBy = (id: string) =>
    operations.find(({ operationId }) => operationId === id).security.flatMap((way: Json) => Object.keys(way))
  for (const id of ['getUserInfo', 'postUserInfo']) assert.deepEqual(takenBy(id), ['accessToken'])
  for (const id of ['getMe', 'getCaller', 'removeMember', 'checkPermissions'])
    assert.deepEqual(takenBy(id), ['session', 'cookie', 'key', 'accessToken'], id)
  for (const id of ['listOrganizationKeys', 'createToken', 'listUsers'])
    assert.deepEqual(takenBy(id), ['session', 'cookie', 'key'], id)
  assert.deepEqual(takenBy('createKey'), ['session', 'cookie'])
  assert.deepEqual(takenBy('verifyCredential'), ['key'])
  assert.deepEqual(takenBy('signIn'), [])
  const { accessToken } = document.components.securitySchemes
  assert.deepEqual([accessToken.type, accessToken.scheme], ['http', 'bearer'])
})

test('operations that take a picture say what a slow one gets', () => {
  const ofPictures = operations.filter(({ requestBody }) => 'image/png' in (requestBody?.content ?? {}))
  assert.ok(ofPictures.length >= 4)
  for (const { operationId, responses } of ofPictures) {
    const { value } = responses[408].content['application/problem+json'].examples.invalid_request
    assert.deepEqual([value.status, value.code], [408, 'invalid_request'], operationId)
  }
})

test('keys declare their version', () => {
  for (const id of ['getKey', 'rotateTenantKey', 'endOrganizationKey'])
    assert.ok(operations.find(({ operationId }) => operationId === id).responses[200].headers.ETag, id)
})

test('what takes `If-Match` has an `ETag`, where it is read and where it is changed', () => {
  const takes = ({ parameters = [] }: Json) => parameters.some(({ name }: Json) => name === 'If-Match')
  const taking = Object.entries<Json>(document.paths).filter(([, methods]) => Object.values<Json>(methods).some(takes))
  assert.ok(taking.length > 15)
  for (const [path, { get, patch, put }] of taking)
    for (const operation of [get, patch, put].filter(Boolean))
      assert.ok(operation.responses[200].headers.ETag, `${operation.operationId} ${path}`)
  const test = operations.find(({ operationId }) => operationId === 'testTenantWebhook')
  assert.equal(test?.responses[202].headers.ETag, undefined)
})

test('the example of a body has what must be sent, and no more', () => {
  const sent = (id: string) =>
    operations.find(({ operationId }) => operationId === id).requestBody.content['application/json'].example
  assert.deepEqual(Object.keys(sent('signUp')), ['email', 'password'])
  assert.deepEqual(Object.keys(sent('createOrganization')), ['name'])
  assert.deepEqual(Object.keys(sent('updateMe')), ['name'])
  // One of several fields is needed, which a schema of our kind does not say.
  assert.deepEqual(Object.keys(sent('continueSignIn')), ['attempt', 'totp'])
  assert.deepEqual(Object.keys(sent('addFactor')), ['type', 'setup', 'code'])
  assert.deepEqual(Object.keys(sent('changePassword')), ['currentPassword', 'newPassword'])
})

test('shared parts are described once, and refusals are named by their codes', () => {
  const { paths } = world.app.swagger() as Json // an OpenAPI document
  const shared = Object.values<Json>(paths).flatMap((methods) => Object.values<Json>(methods))
  const responses = shared.flatMap((operation) => Object.entries<Json>(operation.responses))

  const parameters = shared.flatMap((operation) => operation.parameters ?? []).filter(({ $ref }) => !$ref)
  const texts = parameters.map((parameter) => JSON.stringify(parameter))
  assert.deepEqual(
    texts.filter((text, index) => texts.indexOf(text) < index),
    [],
  )
  const headers = responses.flatMap(([, response]) => Object.values<Json>(response.headers ?? {}))
  assert.ok(headers.length > 0 && headers.every(({ $ref }) => $ref?.startsWith('#/components/headers/')))
  const refusals = responses.filter(([status]) => Number(status) >= 400).map(([, { $ref }]) => $ref?.split('/').at(-1))
  assert.ok(refusals.length > 0)
  for (const name of refusals) {
    const { content } = document.components.responses[name]
    const { examples } = content['application/problem+json'] ?? content['application/json']
    // Some are also pages, some are of a body that is late, and some are errors of OAuth 2.0, which have a name for several statuses.
    assert.equal(Object.keys(examples).join('.'), name.replace(/^(page|408|oauth\.\d+)\./, ''))
  }
})

test('every format in the document is in the list of formats', () => {
  const named = [...JSON.stringify(document).matchAll(/"format":"([^"]*)"/g)].map(([, name]) => name)
  const known = [...Object.keys(formats), 'int32', 'int64', 'uri', 'binary']
  assert.deepEqual(
    [...new Set(named)].filter((name) => !known.includes(name ?? '')),
    [],
  )
  assert.ok(named.length > 100)
})
