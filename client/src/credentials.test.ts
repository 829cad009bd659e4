/** `authenticate` and `credentials.verify` of a client with the tenant's key: in a product's server. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { newId } from '../../src/platform/http/schemas.ts'
import { makeProduct } from '../../test/grants.ts'
import { createGuildhall } from '../../test/patient-client.ts'
import { createWorld } from '../../test/world.ts'
import { type IncomingRequest, isGuildhallError, type KeyGuildhall } from './index.ts'

const world = await createWorld()
const { url } = world
await world.postgres.query(
  'update tenants set personal_keys = true, organization_keys = true, organization_webhooks = true',
)
const origin = 'https://notes.example.com'
const backend = await world.key(['credentials:verify'])
let asked = 0
const counting = (request: Request, init?: RequestInit) => {
  asked++
  return fetch(request, init)
}
const guildhall = createGuildhall({ url, key: backend.token, origin, fetch: counting })

const incoming = (headers: Record<string, string>, method = 'GET') =>
  new Request(`${origin}/notes`, { method, headers })
const bearer = ({ token }: { readonly token: string }) => incoming({ authorization: `Bearer ${token}` })

type Options = { organization: string; permissions?: readonly string[] }

const tooMany = { code: 'rate_limited', title: 'Too many requests.', detail: 'Wait.', requestId: 'req_1' }

/** @returns the id of the sender, or the code of the error */
async function judge(request: IncomingRequest, options?: Options, by: KeyGuildhall = guildhall): Promise<string> {
  try {
    const sender = options ? await by.authenticate(request, options) : await by.authenticate(request)
    return sender.type === 'user' ? sender.user.id : sender.key.id
  } catch (error) {
    if (isGuildhallError(error)) return error.code
    throw error
  }
}

test('the sender of a request is known by one request to Guildhall, whether a person or a program', async () => {
  const { ann, id, slug } = await world.organization()
  const key = await world.key(['members:read'], { person: ann })
  const program = await world.key(['members:read'], { organization: id })
  asked = 0

  const sender = await guildhall.authenticate(bearer(ann), { organization: slug, permissions: ['members:update'] })

  assert.equal(asked, 1)
  assert.ok(sender.type === 'user')
  assert.deepEqual([sender.user.id, sender.organization.role, sender.key], [ann.id, 'owner', null])
  assert.ok(sender.permissions.includes('members:update'))
  assert.equal((await sender.guildhall.me.get()).id, ann.id, 'asks in their name')
  assert.equal(await judge(incoming({ cookie: `__Host-guildhall=${ann.token}` })), ann.id)
  assert.equal(await judge(bearer(key), { organization: id }), ann.id)
  assert.equal(await judge(bearer(program), { organization: id }), program.id)
})

test('who may not pass is refused with the code that says why', async () => {
  const { ann, cleo, dan, id } = await world.organization()
  const ended = await world.signIn(ann)
  await ended.post('/api/auth/sign-out')
  assert.equal(await judge(bearer(ended)), 'unauthenticated')
  assert.equal(
    await judge(bearer({ token: ann.token.replace(/.$/, (last) => (last === 'A' ? 'B' : 'A')) })),
    'unauthenticated',
  )
  assert.equal(await judge(bearer(dan), { organization: id }), 'not_found')
  assert.equal(await judge(bearer(cleo), { organization: id, permissions: ['members:update'] }), 'forbidden')
  await assert.rejects(guildhall.authenticate(bearer(cleo), { organization: id, permissions: ['audit:read', 'a:b'] }), {
    message: 'The sender lacks permissions: a:b, audit:read.',
    status: 403,
  })
  await world.postgres.query(`update organizations set second_factor = 'required' where id = $1`, [id])
  assert.equal(await judge(bearer(cleo), { organization: id }), 'second_factor_required')
  // What is left out by mistake lets nobody pass.
  const forgotten = (options: object) => judge(bearer(cleo), options as Options)
  assert.equal(await forgotten({ organization: undefined }), 'invalid_id')
  assert.equal(await forgotten({ organization: id, permissions: undefined }), 'invalid_request')
  assert.equal(await forgotten({ permissions: [] }), 'invalid_request')
})

test('what is left out by mistake is refused where its absence would mean more', async () => {
  const { ann, cleo, id } = await world.organization()
  const refused = { code: 'invalid_request', status: 400 }
  const body = { credential: cleo.token, organization: id }
  assert.equal((await guildhall.credentials.verify(body)).valid, true)
  const forgotten = (fields: object) => guildhall.credentials.verify({ ...body, ...fields })
  await assert.rejects(forgotten({ permissions: undefined }), refused)
  await assert.rejects(forgotten({ organization: undefined }), refused)

  const { tokens } = createGuildhall({ url, token: cleo.token })
  assert.ok((await tokens.create({ organization: id })).token)
  await assert.rejects(tokens.create({ organization: id, permissions: undefined as never }), refused)

  const { organizations } = createGuildhall({ url, token: ann.token })
  const { admin } = createGuildhall({ url, token: (await world.tenantAdmin()).token })
  const webhook = newId('whk')
  const events = { sequences: undefined as never }
  await assert.rejects(organizations.webhooks.retry(id, webhook), { code: 'not_found' })
  await assert.rejects(organizations.webhooks.retry(id, webhook, events), refused)
  await assert.rejects(admin.webhooks.retry(webhook), { code: 'not_found' })
  await assert.rejects(admin.webhooks.retry(webhook, events), refused)
})

test('a text that is no credential is refused without a request to Guildhall, and so is a key in a cookie', async () => {
  const ann = await world.person()
  const key = await world.key(['me:read'], { person: ann })
  asked = 0
  for (const request of [
    incoming({}),
    incoming({ 'x-user-id': ann.id }),
    incoming({ authorization: 'Bearer undefined' }),
    incoming({ authorization: `Basic ${key.token}` }),
    incoming({ authorization: `Bearer ghk_${'x'.repeat(300)}` }),
    incoming({ cookie: `__Host-guildhall=${key.token}` }),
  ])
    assert.equal(await judge(request), 'unauthenticated')
  assert.equal(asked, 0)
  const cookie = `__Host-guildhall=${ann.token}`
  assert.equal(await judge(incoming({ cookie, 'sec-fetch-site': 'cross-site' }, 'POST')), 'cross_site')
})

test('an access token of an application is taken for its person, and never in a cookie', async () => {
  const { ann, id } = await world.organization()
  const { id: applicationId, signIn } = await makeProduct(world, { scopes: ['openid', 'api'] })
  const { access_token: token } = await signIn(ann, { scopes: ['openid', 'api'] })
  const { access_token: narrow } = await signIn(ann, { scopes: ['openid'] })

  const sender = await guildhall.authenticate(bearer({ token }), { organization: id, permissions: ['members:update'] })
  assert.ok(sender.type === 'user')
  assert.deepEqual([sender.user.id, sender.application?.id], [ann.id, applicationId])
  assert.equal((await sender.guildhall.organizations.get(id)).id, id, 'asks in their name')
  assert.equal(await judge(bearer({ token }), { organization: id, permissions: ['keys:read'] }), 'forbidden')
  assert.equal(await judge(incoming({ cookie: `__Host-guildhall=${token}` })), 'unauthenticated')

  assert.equal((await createGuildhall({ url, token }).me.get()).id, ann.id)
  const without = createGuildhall({ url, origin })
  assert.equal((await without.authenticate(bearer({ token }))).user.id, ann.id)
  await assert.rejects(without.authenticate(bearer({ token: narrow })), { code: 'unauthenticated', status: 401 })
  await assert.rejects(without.authenticate(incoming({ cookie: `__Host-guildhall=${token}` })), {
    code: 'unauthenticated',
  })
})

test('a client without a key takes no keys, and what Guildhall refuses its key says nothing of the sender', async () => {
  const { ann, id } = await world.organization()
  const key = await world.key(['me:read'], { person: ann })
  const without = createGuildhall({ url })
  await assert.rejects(without.authenticate(bearer(key)), { code: 'unauthenticated' })
  const { slug } = await world.tenant()
  const refused = [
    createGuildhall({ url, key: (await world.key(['users:read'])).token }),
    createGuildhall({ url, key: (await world.key(['members:read'], { organization: id })).token }),
    createGuildhall({ url, key: backend.token, tenant: slug }),
    createGuildhall({ url, key: undefined as never }),
    createGuildhall({ url, key: `${backend.token}\n` }),
  ]
  const revoked = await world.key(['credentials:verify'])
  await world.postgres.query('update api_keys set ended_at = now() where id = $1', [revoked.id])
  refused.push(createGuildhall({ url, key: revoked.token }))
  for (const client of refused) assert.equal(await judge(bearer(ann), undefined, client), 'unexpected')
  const busy = async () => new Response(JSON.stringify(tooMany), { status: 429, headers: { 'retry-after': '60' } })
  await assert.rejects(createGuildhall({ url, key: backend.token, fetch: busy }).authenticate(bearer(ann)), {
    code: 'rate_limited',
    retryAfter: 60,
  })
})

test('no other server is believed', async () => {
  const ann = await world.person()
  const user = { id: ann.id }
  for (const body of [
    '',
    '{}',
    'null',
    '{"valid":1}',
    '{"valid":true}',
    '{"valid":true,"caller":{}}',
    JSON.stringify({ valid: true, caller: { user, organization: null } }),
  ]) {
    const other = createGuildhall({ url, key: backend.token, fetch: async () => new Response(body) })
    assert.equal(await judge(bearer(ann), { organization: 'acme' }, other), 'unexpected', body)
  }
})
