import assert from 'node:assert/strict'
import { test } from 'node:test'
import { callback, challenge, makeScene, readVisit, type Scene, withToken } from '../../../test/authorizations.ts'
import { codeOf, createWorld, type Json, type Person, password } from '../../../test/world.ts'
import { openCode } from '../../domain/applications/codes.ts'
import { openRequest, sealRequest } from '../../domain/applications/sealed-requests.ts'
import { newId } from '../../platform/http/schemas.ts'

const world = await createWorld()
const { query } = world.postgres
const preview = '/api/auth/authorize/preview'
const complete = '/api/auth/authorize'

/** Sets the session of a person back in time. */
function age(person: Person, seconds: number): Promise<unknown> {
  return query('update sessions set authenticated_at = now() - make_interval(secs => $2) where user_id = $1', [
    person.id,
    seconds,
  ])
}

type Asked = Parameters<Scene['visit']>[0]

interface Row {
  readonly asks: string
  readonly scene?: Parameters<typeof makeScene>[1]
  /** What the request asks. */
  readonly asked?: Asked | ((scene: Scene) => Promise<Asked>)
  readonly signedIn?: false
  readonly prepare?: (scene: Scene) => Promise<unknown>
  readonly step: string
  readonly error: string
  /** Satisfies the step. */
  readonly satisfy?: (scene: Scene) => Promise<unknown>
}

const twoFactors = ({ ann }: Scene) => query('update sessions set assurance = 2 where user_id = $1', [ann.id])
const login = 'login_required'
const interaction = 'interaction_required'
const acme = async ({ ann }: Scene) => (await ann.post('/api/organizations', { name: 'Acme', slug: 'acme' })).body

/** Each row of what may be missing. */
const rows: readonly Row[] = [
  { asks: 'a session', signedIn: false, step: 'sign_in', error: login },
  { asks: 'a new account', asked: { prompt: 'create' }, signedIn: false, step: 'sign_up', error: 'invalid_request' },
  {
    asks: 'somebody else',
    asked: async ({ idToken }) => ({ id_token_hint: await idToken({ sub: newId('user'), sid: newId('dev') }) }),
    step: 'sign_in',
    error: login,
  },
  {
    asks: 'a new sign-in',
    asked: { prompt: 'login' },
    step: 'confirm',
    error: 'invalid_request',
    satisfy: ({ ann }) => age(ann, -1),
  },
  {
    asks: 'a new sign-in by max_age=0',
    asked: { max_age: '0' },
    step: 'confirm',
    error: login,
    satisfy: ({ ann }) => age(ann, -1),
  },
  {
    asks: 'a recent sign-in',
    asked: { max_age: '600' },
    prepare: ({ ann }) => age(ann, 3_600),
    step: 'confirm',
    error: login,
    satisfy: ({ ann }) => age(ann, 60),
  },
  {
    asks: 'two factors',
    asked: { acr_values: 'aal2 aal1' },
    step: 'second_factor',
    error: interaction,
    satisfy: twoFactors,
  },
  {
    asks: 'two factors by the tenant’s policy',
    prepare: ({ tenant }) => query(`update tenants set second_factor = 'required' where id = $1`, [tenant]),
    step: 'second_factor',
    error: interaction,
    satisfy: twoFactors,
  },
  {
    asks: 'a verified address',
    scene: { verified: false },
    step: 'verify_email',
    error: interaction,
    satisfy: ({ ann }) => query('update users set email_verified = true where id = $1', [ann.id]),
  },
  { asks: 'an organization', asked: { organization: 'acme' }, step: 'organization', error: interaction, satisfy: acme },
  {
    asks: 'any organization',
    scene: { chooseOrganization: true },
    step: 'organization',
    error: 'account_selection_required',
    satisfy: acme,
  },
  {
    asks: 'two factors by the organization’s policy',
    asked: { organization: 'acme' },
    prepare: async (scene) => {
      await acme(scene)
      await query(`update organizations set second_factor = 'required' where tenant_id = $1`, [scene.tenant])
    },
    step: 'second_factor',
    error: interaction,
    satisfy: twoFactors,
  },
  { asks: 'a selection', asked: { prompt: 'select_account' }, step: 'continue', error: 'invalid_request' },
  {
    asks: 'a click for a program of the device',
    scene: { kind: 'native', redirectUris: ['com.example.app:/cb'] },
    step: 'continue',
    error: interaction,
  },
  {
    asks: 'a click for a page on loopback',
    scene: { kind: 'browser', redirectUris: ['http://localhost:4000/cb'] },
    step: 'continue',
    error: interaction,
  },
]

for (const { asks, scene: options, asked, signedIn, prepare, step, error, satisfy } of rows)
  test(`${asks}: ${step}, and ${error} without a page`, async () => {
    const scene = await makeScene(world, options)
    const person = signedIn === false ? null : scene.ann
    await prepare?.(scene)
    const parameters = typeof asked === 'function' ? await asked(scene) : (asked ?? {})

    const silent = await scene.visit({ ...parameters, prompt: `${parameters?.prompt ?? ''} none`.trim() }, person)
    const request = await scene.requestOf(parameters, person)
    const shown = await scene.post(preview, { request }, person)
    const posted = await scene.post(complete, { request }, person)

    assert.deepEqual([silent.answer.error, silent.answer.state, silent.answer.iss], [error, 'the state', scene.issuer])
    assert.deepEqual([shown.status, shown.body.step], [200, step])
    if (step === 'continue') {
      assert.equal(posted.status, 200, 'the post is the click')
      return
    }
    assert.deepEqual(codeOf(posted), [403, 'authorization_incomplete'])
    assert.equal(posted.body.step, step)
    if (!satisfy) return
    await satisfy(scene)
    assert.equal((await scene.post(preview, { request })).body.step, null)
    assert.match((await scene.post(complete, { request })).body.url, /[?&]code=ghc_/)
  })

test('the page learns the application, the address to begin with, and the way back without a sign-in', async () => {
  const scene = await makeScene(world)
  const request = await scene.requestOf({ login_hint: ' Ann@Example.com', organization: 'acme' }, null)

  const { status, body } = await scene.post(preview, { request }, null)

  assert.equal(status, 200)
  const { cancelUrl, ...others } = body
  assert.deepEqual(others, {
    application: { id: scene.applicationId, name: 'Acme', logoUrl: null, startUrl: 'https://app.example.com/' },
    step: 'sign_in',
    organization: 'acme',
    emailHint: 'ann@example.com',
  })
  const back = new URL(cancelUrl)
  assert.equal(back.origin + back.pathname, callback)
  assert.deepEqual(
    ['error', 'state', 'iss'].map((name) => back.searchParams.get(name)),
    ['access_denied', 'the state', scene.issuer],
  )
  const other = await scene.post(preview, { request: await scene.requestOf({ login_hint: 'ann' }, null) }, null)
  assert.deepEqual([other.body.emailHint, other.body.organization], [null, null])
})

test('after the steps the page gets the way to the application, with a code for what was asked', async () => {
  const scene = await makeScene(world)
  const request = await scene.requestOf({}, null)

  const { status, body } = await scene.post(complete, { request })

  assert.equal(status, 200)
  const url = new URL(body.url)
  assert.equal(url.origin + url.pathname, callback)
  assert.equal(url.searchParams.get('state'), 'the state')
  assert.equal(url.searchParams.get('iss'), scene.issuer)
  const code = openCode(world.keyring, scene.tenant, url.searchParams.get('code') ?? '')
  assert.deepEqual(
    [code?.applicationId, code?.challenge, code?.scopes],
    [scene.applicationId, challenge, ['openid', 'email']],
  )
})

test('prompt=login cannot be stripped on the way: only a confirmation after the request satisfies it', async () => {
  const scene = await makeScene(world)
  const request = await scene.requestOf({ prompt: 'login' })
  const again = { request, prompt: 'none' }
  assert.equal((await scene.post(complete, again)).status, 400)
  assert.equal((await scene.post(complete, { request })).body.step, 'confirm')

  const confirmed = await scene.ann.post('/api/auth/confirm', { password })

  assert.equal(confirmed.status, 200)
  const ann = withToken(world, scene.ann, confirmed.body.session.token)
  assert.equal((await scene.post(complete, { request }, ann)).status, 200)
  assert.equal((await scene.post(complete, { request })).body.step, 'sign_in', 'the old token is nobody’s')
  const next = await scene.requestOf({ prompt: 'login' }, ann)
  assert.equal((await scene.post(complete, { request: next }, ann)).body.step, 'confirm', 'the next request asks anew')
})

test('a click counts only for the person whom the page has shown', async () => {
  const scene = await makeScene(world)
  const request = await scene.requestOf({ prompt: 'select_account' })
  const ben = await world.person('Ben', { tenant: scene.slug })
  const click = { request, userId: scene.ann.id }

  const byAnother = await scene.post(complete, click, ben)

  assert.deepEqual([...codeOf(byAnother), byAnother.body.step], [403, 'authorization_incomplete', 'continue'])
  assert.equal((await scene.post(complete, { ...click, userId: ben.id }, ben)).status, 200)
  assert.equal((await scene.post(complete, click)).status, 200)
  assert.equal((await scene.post(complete, click, null)).body.step, 'sign_in', 'what is missing comes first')
})

test('somebody in several organizations chooses one of theirs, and one that is named comes first', async () => {
  const scene = await makeScene(world, { chooseOrganization: true })
  const { ann } = scene
  const [one, two] = [await acme(scene), (await ann.post('/api/organizations', { name: 'Other' })).body]
  const request = await scene.requestOf()
  const organizationIn = async (body: object): Promise<Json> => {
    const answer = await scene.post(complete, body)
    if (answer.status !== 200) return answer.body.step
    const code = new URL(answer.body.url).searchParams.get('code') ?? ''
    return openCode(world.keyring, scene.tenant, code)?.organizationId
  }

  assert.equal(await organizationIn({ request }), 'organization')
  assert.equal(await organizationIn({ request, organizationId: newId('org') }), 'organization')
  assert.equal(await organizationIn({ request, organizationId: two.id }), two.id)
  const named = readVisit((await scene.visit({ organization: 'acme' })).response)
  assert.equal(openCode(world.keyring, scene.tenant, named.answer.code ?? '')?.organizationId, one.id)
  const ben = await world.person('Ben', { tenant: scene.slug })
  const strange = await scene.requestOf({ organization: one.id }, ben)
  assert.equal(
    (await scene.post(complete, { request: strange, organizationId: two.id }, ben)).body.step,
    'organization',
  )

  await query(`update memberships set role = 'member', status = 'suspended' where organization_id = $1`, [two.id])
  const only = await scene.visit()
  assert.equal(openCode(world.keyring, scene.tenant, only.answer.code ?? '')?.organizationId, one.id)
})

test('a request that is over, was changed, or is no longer right is answered 410, and says where to begin again', async () => {
  const scene = await makeScene(world)
  const { keyring } = world
  const request = await scene.requestOf({}, null)
  const sealed = openRequest<{ requestedAt: string }>(keyring, scene.tenant, 'authorize', request) ?? assert.fail()
  const begun = (minutes: number) => {
    const requestedAt = new Date(Date.parse(sealed.requestedAt) - minutes * 60_000).toISOString()
    return sealRequest(keyring, scene.tenant, 'authorize', { ...sealed, requestedAt })
  }
  const startUrl = 'https://app.example.com/'
  const refusal = async (text: string) => {
    const answers = [await scene.post(preview, { request: text }), await scene.post(complete, { request: text })]
    for (const answer of answers) assert.deepEqual(codeOf(answer), [410, 'request_expired'])
    return answers[0]?.body.startUrl
  }

  assert.equal((await scene.post(complete, { request: begun(50) })).status, 200)
  assert.equal(await refusal(begun(61)), startUrl)
  const end = request.at(-2) === 'A' ? 'B' : 'A'
  assert.equal(await refusal(`${request.slice(0, -2)}${end}${request.at(-1)}`), null)
  assert.equal(await refusal(sealRequest(keyring, scene.tenant, 'sign-out', sealed)), null)
  const other = await makeScene(world)
  assert.equal(await refusal(request.replace(/^ghr_\w{26}/, (await other.requestOf({}, null)).slice(0, 30))), null)

  await query('update applications set redirect_uris = $2 where id = $1', [
    scene.applicationId,
    ['https://new.example/cb'],
  ])
  assert.equal(await refusal(request), startUrl)
  await query('update applications set redirect_uris = $2, is_enabled = false where id = $1', [
    scene.applicationId,
    [callback],
  ])
  assert.equal(await refusal(request), null)
  await query(`update applications set is_enabled = true, scopes = '{openid}' where id = $1`, [scene.applicationId])
  assert.equal(await refusal(request), startUrl)
  await world.deleteTenant(scene.slug)
  assert.deepEqual(codeOf(await scene.post(preview, { request }, null)), [410, 'request_expired'])
})

test('the page asks with the cookie alone, from our own origin, and for its own tenant', async () => {
  const scene = await makeScene(world)
  const request = await scene.requestOf({}, null)
  const byToken = await world.nobody.post(complete, { request }, scene.ann.headers)
  assert.deepEqual([byToken.status, byToken.body.step], [403, 'sign_in'])
  const other = await makeScene(world)
  assert.equal((await scene.post(complete, { request }, other.ann)).body.step, 'sign_in')
  for (const path of [preview, complete]) {
    const crossed = await scene.post(path, { request }, scene.ann, { 'sec-fetch-site': 'cross-site' })
    assert.deepEqual(codeOf(crossed), [403, 'cross_site'])
    const mismatched = await scene.post(path, { request }, null, { 'guildhall-tenant': other.slug })
    assert.deepEqual(codeOf(mismatched), [400, 'tenant_mismatch'])
    for (const wrong of ['', 'ghr_', `${request}.`, `${request}\0`, request.slice(4), 5, null])
      assert.deepEqual(codeOf(await scene.post(path, { request: wrong })), [400, 'invalid_request'])
  }
})
