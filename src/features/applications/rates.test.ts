/** Rates of the routes for applications: whom each request counts for, and how one too many is answered. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { callback, cookieOf, makeScene, sealRequests } from '../../../test/authorizations.ts'
import { makeProduct, type Product, postForm, verifier } from '../../../test/grants.ts'
import { type Answer, Client, createWorld } from '../../../test/world.ts'
import type { ApplicationKind } from '../../domain/applications/applications.ts'

const behind = { TRUST_PROXY: '127.0.0.1', SMTP_URL: 'smtp://127.0.0.1:1', MAIL_FROM: 'Guildhall <a@example.com>' }
const rates = { LIMITS: 'on', LIMIT_ANONYMOUS: '3/3600', LIMIT_APPLICATION: '5/3600' }
const world = await createWorld({ settings: { ...behind, ...rates } })
const [ann, scene, sealed] = [await world.person(), await makeScene(world), await sealRequests(world, world.tenantId)]

let networks = 0
/** A sender in a network that nobody else is in. */
const sender = () => new Client(world, { 'x-forwarded-for': `2001:db8:${(++networks).toString(16)}::1` })

const policies = {
  anonymous: { most: 3, whose: 'its network, like requests without a session' },
  'unknown-application': { most: 3, whose: 'its network, apart from other requests' },
  application: { most: 5, whose: 'the application' },
} as const

/** How routes answer one request too many. */
const refusals = {
  'a problem': ({ body }: Answer, policy: string) =>
    assert.deepEqual([body.code, body.policy], ['rate_limited', policy]),
  'a page': ({ body, headers }: Answer) => {
    assert.equal(headers.get('content-type'), 'text/html; charset=utf-8')
    assert.match(`${body}`, /<h1>We cannot answer right now<\/h1>/)
  },
  'an error of OAuth': ({ body }: Answer) => assert.equal(body.error, 'temporarily_unavailable'),
} as const

type Send = (from: Client) => Promise<Answer>

/**
 * Shows whom a request counts for, and how one too many is answered.
 *
 * @param prepare makes what sends the request
 * @param status of those that are not too many
 */
function showRate(
  name: string,
  prepare: () => Send | Promise<Send>,
  status: number,
  counts: keyof typeof policies,
  refusal: keyof typeof refusals,
): void {
  const { most, whose } = policies[counts]
  test(`${name} counts for ${whose}, and beyond the rate gets ${refusal}`, async () => {
    const [send, from] = [await prepare(), sender()]
    const answers: Answer[] = []
    while (answers.at(-1)?.status !== 429 && answers.length <= most) answers.push(await send(from))

    const refused = answers.pop()
    assert.ok(refused && answers.length > 0)
    assert.deepEqual(new Set(answers.map((answer) => answer.status)), new Set([status]))
    assert.equal(refused.status, 429)
    assert.ok(Number(refused.headers.get('retry-after')) > 0)
    assert.equal(refused.headers.get('ratelimit-policy'), `"${counts}";q=${most};w=3600`)
    refusals[refusal](refused, counts)
    assert.equal((await send(sender())).status === 429, counts === 'application', 'from another network')
    assert.equal((await from.get('/api/tenant')).status === 429, counts === 'anonymous', 'without a session')
  })
}

const html = { accept: 'text/html' }
const [authorize = ''] = scene.address().split('?')
const endSession = authorize.replace(/authorize$/, 'end-session')
const withCookie = { ...cookieOf(ann), 'sec-fetch-site': 'same-origin' }

// No door asks whose session it is, so what browsers send counts for nobody.
for (const [name, send] of Object.entries<Send>({
  'authorize without a session': (from) => from.get(scene.address(), html),
  'authorize with a session': (from) => from.get(scene.address(), { ...cookieOf(scene.ann), ...html }),
  'authorize by a form': (from) => postForm(from, authorize, {}, html),
  'end-session': (from) => from.get(endSession, html),
  'end-session by a form': (from) => postForm(from, endSession, {}, html),
}))
  showRate(name, () => send, 303, 'anonymous', 'a page')
for (const [name, send] of Object.entries<Send>({
  'the preview of an authorization': (from) =>
    from.post('/api/auth/authorize/preview', { request: sealed.authorization }, withCookie),
  'the completion of an authorization': (from) =>
    from.post('/api/auth/authorize', { request: sealed.authorization }, withCookie),
  'the preview of a sign-out': (from) =>
    from.post('/api/auth/sign-out/preview', { request: sealed.signOut }, withCookie),
  'a sign-out for an application': (from) => from.post('/api/auth/sign-out', { request: sealed.signOut }),
}))
  showRate(name, () => send, 200, 'anonymous', 'a problem')

/** An access token, got from a network of its own. */
async function accessTo(product: Product): Promise<string> {
  const form = { grant_type: 'authorization_code', redirect_uri: callback, code_verifier: verifier }
  const { body } = await product.post('token', { ...form, code: await product.code(ann) }, sender().headers)
  return body.access_token
}

interface Asking {
  readonly path: string
  readonly fields: Readonly<Record<string, string | undefined>>
  readonly bearer: Record<string, string>
}

/** An application of its own, so that nothing else counts for it. */
async function prepare(kind: ApplicationKind, isKnown: boolean): Promise<Asking> {
  const product = await makeProduct(world, { kind })
  const { id, path } = product
  const secret = isKnown ? product.secret : 'x'
  return {
    path,
    fields: { client_id: id, client_secret: secret, grant_type: 'refresh_token', refresh_token: 'x', token: 'x' },
    bearer: { authorization: `Bearer ${isKnown ? await accessTo(product) : 'x'}` },
  }
}

const requests: Readonly<
  Record<string, { readonly status: number; send(asking: Asking, from: Client): Promise<Answer> }>
> = {
  token: { status: 400, send: ({ path, fields }, from) => postForm(from, `${path}/token`, fields) },
  revoke: { status: 200, send: ({ path, fields }, from) => postForm(from, `${path}/revoke`, fields) },
  userinfo: { status: 200, send: ({ path, bearer }, from) => from.get(`${path}/userinfo`, bearer) },
  'userinfo by a form': {
    status: 200,
    send: ({ path, bearer }, from) => postForm(from, `${path}/userinfo`, {}, bearer),
  },
}

for (const [who, kind, counts] of [
  ['with its secret', 'server', 'application'],
  ['without a secret', 'browser', 'anonymous'],
  ['with a wrong secret or token', 'server', 'unknown-application'],
] as const) {
  const isKnown = counts !== 'unknown-application'
  for (const [name, { status, send }] of Object.entries(requests)) {
    const sending = async () => {
      const asking = await prepare(kind, isKnown)
      return (from: Client) => send(asking, from)
    }
    showRate(`${name}, by an application ${who},`, sending, isKnown ? status : 401, counts, 'an error of OAuth')
  }
}

for (const [name, send] of Object.entries<(path: string, from: Client) => Promise<Answer>>({
  'a form without a parameter': (path, from) => postForm(from, `${path}/token`, {}),
  'a body of another type': (path, from) => from.post(`${path}/revoke`, {}),
})) {
  const sending = async () => {
    const { path } = await makeProduct(world, { kind: 'server' })
    return (from: Client) => send(path, from)
  }
  const status = name.includes('type') ? 415 : 400
  showRate(
    `${name}, which is refused before anybody asks who sends it,`,
    sending,
    status,
    'unknown-application',
    'an error of OAuth',
  )
}
