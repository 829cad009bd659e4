/** Validation: what an answer says about a request that does not fit. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Answer, createWorld, type Json, password } from '../../../test/world.ts'

const world = await createWorld()
const { ann, path: acme } = await world.organization()
const tess = await world.tenantAdmin()

/** What is said of each field, by its pointer. */
function detailsOf({ status, body }: Answer): Record<string, string> {
  assert.deepEqual([status, body.code], [400, 'invalid_request'])
  return Object.fromEntries(body.errors.map(({ pointer, detail }: Json) => [pointer, detail]))
}

test('each fault says in a sentence what is needed', async () => {
  const signUp = (body: object) => world.nobody.post('/api/auth/sign-up', body)
  const details: [Answer, Record<string, string>][] = [
    [
      await signUp({ email: 'ann', password: 'short', name: '\n', invitationToken: 'a b' }),
      {
        '/email': 'Enter a valid email address.',
        '/password': 'At least 8 characters are needed.',
        '/name':
          'Enter a name of 1 to 100 characters, such as Ann, with at least one visible character and no line breaks or other control characters.',
        '/invitationToken': 'The part of the mailed link after `#token=`: `ghm_` and 97 more characters.',
      },
    ],
    [
      await signUp({ name: '', mail: 'ann@example.com' }),
      {
        '/email': '`email` is needed.',
        '/name': 'At least 1 character is needed.',
        '/password': '`password` is needed.',
        '/mail': 'There is no field `mail`. Known: email, password, name, invitationToken, deviceToken.',
      },
    ],
    [await signUp({ email: 'ann@example.com' }), { '/password': '`password` is needed.' }],
    [
      await ann.patch('/api/users/me', {
        name: 5,
        avatarUrl: 'http://x',
        locale: 'en_GB',
        timeZone: 'Mars',
        metadata: [],
      }),
      {
        '/name': 'A string or null is needed.',
        '/avatarUrl':
          'Enter a URL that starts with https://, like https://example.com/logo.png, without a user name or password.',
        '/locale': 'Enter a language tag (BCP 47) like en-GB.',
        '/timeZone': 'Enter the IANA name of a time zone, like Europe/Berlin.',
        '/metadata': 'A JSON object or null is needed.',
      },
    ],
    [
      await ann.patch('/api/users/me', {
        avatarUrl: `https://x/${'x'.repeat(2048)}`,
        metadata: { text: 'x'.repeat(8192) },
      }),
      { '/avatarUrl': 'At most 2048 characters are allowed.', '/metadata': 'At most 8 KiB of JSON are allowed.' },
    ],
    [
      await ann.patch('/api/users/me', { metadata: { a: { a: { a: { a: { a: {} } } } } } }),
      { '/metadata': 'At most five levels of objects and arrays are allowed.' },
    ],
    [
      await ann.patch(acme, { name: null, slug: 'Acme!' }),
      {
        '/name': 'A string is needed.',
        '/slug': 'Lower-case letters, digits and hyphens. No hyphen at the start or end. For example: acme',
      },
    ],
    [
      await ann.post(`${acme}/invites`, { email: 'eve@example.com', role: 'emperor' }),
      { '/role': 'One of these is needed: member, admin, owner.' },
    ],
    [await ann.request(acme, { method: 'PATCH', raw: '[]' }), { '': 'A JSON object is needed.' }],
    [await ann.request(acme, { method: 'PATCH' }), { '': 'A body in JSON is needed.' }],
    [
      await ann.delete(`${acme}/members/me`, { confirm: true }),
      { '/confirm': 'There is no field `confirm`. None is accepted here.' },
    ],
    [await ann.delete(`${acme}/members/me`, []), { '': 'This request takes no body, or {}.' }],
    [
      await tess.get(
        '/api/admin/users?limit=101&emailVerified=yes&sort=age&organizationId=acme&createdAfter=now&page=2&role=user&role=admin',
      ),
      {
        '?limit': 'A number from 1 to 100 is needed.',
        '?emailVerified': 'True or false is needed.',
        '?sort':
          'One of these is needed: createdAt, -createdAt, email, -email, name, -name, lastActiveAt, -lastActiveAt.',
        '?organizationId': 'An id like org_01k9zq3v5hf8gs4m2y7c6t0wdn is needed.',
        '?createdAfter':
          'A time like 2026-01-31T09:30:00Z is needed (RFC 3339; in a URL the + of an offset is written %2B).',
        '?page':
          'There is no query parameter `page`. Known: limit, cursor, includeTotal, query, email, id, status, role, emailVerified, hasSecondFactor, organizationId, createdAfter, createdBefore, lastActiveAfter, lastActiveBefore, externalId, sort.',
        '?role': 'Send a query parameter only once.',
      },
    ],
    [await ann.get('/api/users/me?page=2'), { '?page': 'There is no query parameter `page`. None is accepted here.' }],
  ]
  for (const [answer, expected] of details) assert.deepEqual(detailsOf(answer), expected)
})

test('an unknown value of a long list is answered by the nearest one, and not by the whole list', async () => {
  const types = ['member.*', 'organisation.*', 'member.join', 'king.crowned']
  const rest = (near?: string) =>
    `is none of the ${allowed.length} known values.${near ? ` Did you mean \`${near}\`?` : ''} The API reference lists them.`
  const document = (await world.nobody.get('/openapi.json')).body
  const allowed = document.components.parameters.types.schema.items.enum as string[]
  const webhook = { name: 'Billing', url: 'https://93.184.215.14/events', types }
  for (const list of [`${acme}/webhooks`, '/api/admin/webhooks'])
    assert.deepEqual(detailsOf(await tess.post(list, webhook)), {
      '/types/1': `This ${rest('organization.*')}`,
      '/types/2': `This ${rest('member.joined')}`,
      '/types/3': `This ${rest()}`,
    })
  for (const path of ['/api/admin/events?types', '/api/admin/audit?action', `${acme}/events?types`]) {
    const [name = ''] = path.split('?').slice(1)
    for (const [list, detail] of [
      [types, `Item 2 ${rest('organization.*')}`],
      [types.slice(3), `Item 1 ${rest()}`],
    ] as const) {
      const answer = await ann.get(`${path}=${list.join(',')}`)
      assert.deepEqual(detailsOf(answer), { [`?${name}`]: detail })
      assert.ok(JSON.stringify(answer.body).length < 1_000)
    }
  }
})

test('of a body with thousands of faults a hundred are named', async () => {
  const answer = await tess.post('/api/admin/webhooks', { name: '', url: '', types: Array(9_000).fill('x') })
  assert.equal(Object.keys(detailsOf(answer)).length, 100)
})

test('an id of the wrong type in the path is named, with an example of the right type', async () => {
  const { body } = await ann.get(`${acme}/members/${ann.id}`)
  assert.deepEqual(
    [body.code, body.detail],
    ['invalid_id', 'memberId: The id of a membership, or `me` for the caller’s own. For example: me'],
  )
})

test('text that cannot be stored is reported together with all other faults', async () => {
  const unsafe = await ann.patch('/api/users/me', { name: 'An\u0000n', locale: 'en_GB', metadata: { a: '\ud800' } })
  assert.deepEqual(Object.keys(detailsOf(unsafe)).sort(), ['/locale', '/metadata/a', '/name'])
  assert.deepEqual(Object.keys(detailsOf(await ann.get('/api/organizations?query=a%00b&limit=0'))).sort(), [
    '?limit',
    '?query',
  ])
})

test('no fault repeats the value that was sent', async () => {
  const secret = 'not-to-be-repeated'
  for (const answer of [
    await world.nobody.post('/api/auth/sign-in', { email: secret, password: [secret] }),
    await world.nobody.post(
      '/api/auth/verify-email',
      { token: `${secret}\n` },
      { authorization: `Bearer ${ann.token}` },
    ),
    await ann.patch('/api/users/me', { locale: secret, timeZone: { [secret]: secret }, name: `${secret}\n` }),
    await ann.post(`${acme}/invites`, { email: 'eve@example.com', role: secret }),
    await tess.get(`/api/admin/users?limit=${secret}&sort=${secret}&createdAfter=${secret}&organizationId=${secret}`),
  ]) {
    assert.equal(answer.status, 400)
    assert.ok(!JSON.stringify(answer.body).includes(secret), answer.body.detail)
  }
})

test('an action that needs none of its fields takes no body as {}', async () => {
  const actions = [
    'auth/passkey-options',
    'auth/confirm',
    'auth/sign-in/mail-code',
    'auth/sign-out',
    `${acme.slice(5)}/links`,
  ]
  for (const action of actions) {
    const person = await world.person()
    const [without, empty] = [await person.post(`/api/${action}`), await person.post(`/api/${action}`, {})]
    assert.equal(without.status, empty.status, action)
    assert.equal(without.body?.detail, empty.body?.detail, action)
  }
  assert.equal((await ann.post(`${acme}/links`)).status, 201)
})

test('a query that is no UTF-8 is refused, and names its parameter', async () => {
  for (const query of ['%ff', '%', '%ED%A0%80', '%C0%80', 'a%zz']) {
    const answer = await ann.get(`/api/organizations?limit=5&query=${query}`)
    assert.deepEqual(detailsOf(answer), { '?query': 'This is no percent-encoded UTF-8.' }, query)
  }
  assert.deepEqual(detailsOf(await ann.get('/api/organizations?%ff=1')), { '': 'This is no percent-encoded UTF-8.' })
  assert.equal((await ann.get('/api/organizations?query=Z%C3%BCrich+%26+Co')).status, 200)
})

test('numbers in queries consist of decimal digits only', async () => {
  const person = await world.person()
  for (const name of ['One', 'Two', 'Three']) await person.post('/api/organizations', { name })
  const page = async (limit: string) => person.get(`/api/organizations?limit=${limit}`)

  assert.equal((await page('2')).body.data.length, 2)
  for (const limit of [
    '1e1',
    '1E0',
    '0x2',
    '0b1',
    '2.0',
    '2.',
    '+2',
    '%2B2',
    '%202',
    '2%20',
    '2_0',
    '٢',
    '',
    'Infinity',
  ]) {
    assert.deepEqual(detailsOf(await page(limit)), { '?limit': 'A whole number is needed.' }, limit)
  }
})

test('a fault of a password says what is needed, in the unit that is counted', async () => {
  const { slug, id } = await world.tenant()
  await world.postgres.query('update tenants set password_minimum = 20 where id = $1', [id])
  const answer = await world.nobody.post(
    '/api/auth/sign-up',
    { email: 'ann@example.com', password: password.slice(0, 19) },
    { 'guildhall-tenant': slug },
  )
  assert.deepEqual(detailsOf(answer), { '/password': 'At least 20 characters are needed.' })
})
