/** Text: Unicode in every field that takes text. It comes back as it was sent (names in NFC), or it is refused. */
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { test } from 'node:test'
import fc from 'fast-check'
import { newToken } from '../src/domain/access/tokens.ts'
import { codeAt } from '../src/domain/credentials/totp.ts'
import { normalizeName } from '../src/platform/http/schemas.ts'
import { anApplication, requestApplication } from './application-requests.ts'
import { offerKeys } from './key-requests.ts'
import { addPasskey } from './sign-in.ts'
import { makeBodies } from './valid-bodies.ts'
import { offerWebhooks, webhookUrl } from './webhook-requests.ts'
import { type Answer, type Client, createWorld, type Json, password } from './world.ts'

const world = await createWorld()
const { slug: tenant } = await world.tenant()
const [ann, tess] = await Promise.all([world.person('Ann', { tenant }), world.tenantAdmin(tenant)])
const { body: acme } = await ann.post('/api/organizations', { name: 'Acme' })
await offerKeys(world, tenant)
await offerWebhooks(world, tenant)
const { operations, bodies, send } = await makeBodies(world)
const aProvider = { type: 'github', name: 'GitHub', clientId: 'guildhall' }
const { body: gitHub } = await tess.post('/api/admin/providers', aProvider)
const { application } = await requestApplication(tess)
const passkey = (await addPasskey(ann)).answer.body
const { body: hal } = await tess.post('/api/admin/users', { email: newEmail() })

function newEmail(): string {
  return `new-${randomBytes(6).toString('hex')}@example.com`
}

/** Unusual texts that names may have. */
const kept: Readonly<Record<string, string>> = {
  'a decomposed letter': 'Zoe\u0308',
  'a composed letter': 'Zo\u00eb',
  'marks in the wrong order': 'a\u0323\u0307 a\u0307\u0323',
  'Hangul in parts': '\u1112\u1161\u11ab',
  'a letter that composes to two': '\u{1d15e}x',
  zalgo: `Z${'\u0300\u0316\u0334'.repeat(30)}`,
  'a family of joined emoji': '👩🏽‍👩🏿‍👧‍👦',
  'a flag of tags': '\u{1f3f4}\u{e0067}\u{e0062}\u{e0065}\u{e006e}\u{e0067}\u{e007f}',
  'a keycap and a chosen look': '1\ufe0f\u20e3 ☠\ufe0e',
  'homoglyphs of Ann': '\u0410nn \u0391nn \uff21\uff4e\uff4e',
  ligatures: 'ﬁ ﷺ ㌀ Ⅷ',
  'the longest that a search key becomes': '\ufdfa'.repeat(100),
  'letters that change their length with their case': 'ß ẞ İ ı ŉ ΐ',
  'right to left': 'مريم بنت سعيد ١٢٣',
  'spaces of every width, inside': 'A\u2003n\u3000n\u00a0a',
  'what is not seen, inside': 'A\u200b\u200d\u00ad\u2060\ufeffnn',
  'private use and the last character': '\ue000\u{f0000}\u{10ffff}',
  'no characters': 'A\ufffe\uffff\u{1fffe}\ufdd0',
  'the sign of a lost character': '\ufffd',
  'a lookalike of markup': '＜script＞ ‹b›',
  markup: '</script><img src=x onerror=alert(1)>',
  'SQL, a shell and a template': `'; drop table users; -- $(id) \`id\` {{7*7}} \${7*7} %s %n`,
  'signs of LIKE': '%_\\',
  'an encoded word': '=?utf-8?q?Bcc=3A_x=40example=2Ecom?=',
  'what begins a formula': '=1+1',
  'words of programs': 'null undefined NaN true __proto__',
}

/** Texts that are pasted with a name, and taken off it. */
const pasted: Readonly<Record<string, string>> = {
  'a mark of direction': 'Ann\u200f',
  'marks of direction on both sides': '\u200e\u061cAnn\u200e',
  'a mark of direction inside': 'A\u200fnn',
  'spaces of every width': '\u00a0\u2003Ann\u3000\u202f ',
  'what has no width': '\ufeffAnn\u200b',
  'the end of a line': 'Ann\r\n',
}

/** Texts that names must not have. */
const refused: Readonly<Record<string, string>> = {
  NUL: 'A\u0000nn',
  'a high surrogate alone': 'Ann\ud83e',
  'a low surrogate alone': '\udd84Ann',
  'surrogates in the wrong order': 'A\udd84\ud83enn',
  'a line break': 'Ann\nBcc: all@example.com',
  'a carriage return': 'Ann\r\nBcc: all@example.com',
  'a tab': 'Ann\tEve',
  'a bell': 'Ann\u0007',
  delete: 'Ann\u007f',
  'the next line of C1': 'Ann\u0085Eve',
  'the line separator': 'Ann\u2028Eve',
  'the paragraph separator': 'Ann\u2029Eve',
  'an override of direction': 'Ann \u202egnp.exe',
  'an embedding of direction': 'Ann \u202bEve\u202c',
  'an isolate of direction': '\u2067Ann\u2069',
  'marks of direction alone': '\u200f\u061c',
  'nothing that is seen': '\u200d\u200b\u2060',
  'a filler that is a letter': '\u3164',
  spaces: ' \u2003\u00a0',
  'zalgo without an end': `Z${'\u0300'.repeat(100)}`,
  'more than a hundred once it is composed': '\u0958'.repeat(51),
}

type Setter = (text: string) => Promise<Answer>
/** For each operation that takes a name: sends it, and reads it back by another request if there is one. */
const names: Readonly<Record<string, Setter>> = {
  'PATCH /api/users/me': setter(ann, 'PATCH', '/api/users/me'),
  'PATCH /api/admin/users/{userId}': setter(tess, 'PATCH', `/api/admin/users/${hal.id}`),
  'POST /api/admin/users': (name) =>
    created(tess, '/api/admin/users', { email: newEmail(), name }, '/api/admin/users/'),
  'POST /api/organizations': (name) => created(ann, '/api/organizations', { name }, '/api/organizations/'),
  'PATCH /api/organizations/{orgId}': setter(ann, 'PATCH', `/api/organizations/${acme.id}`),
  'PATCH /api/admin/organizations/{orgId}': setter(tess, 'PATCH', `/api/admin/organizations/${acme.id}`),
  'POST /api/admin/organizations': (name) =>
    created(tess, '/api/admin/organizations', { name, ownerId: ann.id }, '/api/admin/organizations/'),
  'POST /api/admin/providers': async (name) => {
    await world.postgres.query('delete from providers where name <> $1', ['GitHub'])
    return created(tess, '/api/admin/providers', { ...aProvider, name }, '/api/admin/providers/')
  },
  'PATCH /api/admin/providers/{providerId}': setter(tess, 'PATCH', `/api/admin/providers/${gitHub.id}`),
  'POST /api/admin/applications': async (name) => {
    const answer = await tess.post('/api/admin/applications', { ...anApplication, name })
    if (answer.status !== 201) return answer
    const { id } = answer.body.application
    await world.postgres.query('delete from applications where id = $1', [id]) // there is room for fifty
    return { ...answer, status: 200, body: answer.body.application }
  },
  'PATCH /api/admin/applications/{appId}': setter(tess, 'PATCH', `/api/admin/applications/${application.id}`),
  'PATCH /api/admin/tenant': setter(tess, 'PATCH', '/api/admin/tenant'),
  ...namesOfKeys(ann, '/api/users/me/keys'),
  ...namesOfKeys(ann, '/api/organizations/{orgId}/keys'),
  ...namesOfKeys(tess, '/api/admin/keys'),
  ...namesOfWebhooks(ann, '/api/organizations/{orgId}/webhooks'),
  ...namesOfWebhooks(tess, '/api/admin/webhooks'),
  'POST /api/users/me/factors': async (name) => {
    const { body: setUp } = await ann.post('/api/users/me/factors/setup', { type: 'totp' })
    const code = codeAt(setUp.secret, Math.floor(Date.now() / 30_000))
    const body = { type: 'totp', name, setup: setUp.setup, code }
    const answer = await ann.post('/api/users/me/factors', body) // in place of the one before
    return answer.status === 201 ? { ...answer, status: 200, body: (await factors()).at(-1) } : answer
  },
  'PATCH /api/users/me/factors/{factorId}': async (name) => {
    const answer = await ann.patch(`/api/users/me/factors/${passkey.factor.id}`, { name })
    return answer.status === 200 ? { ...answer, body: (await factors())[0] } : answer
  },
}

/** Each webhook is deleted again: there is room for five. @param operations the path of the list, as operations name it */
function namesOfWebhooks(by: Client, operations: string): Record<string, Setter> {
  const path = operations.replace('{orgId}', acme.id)
  const create = (name: string) => by.post(path, { name, url: webhookUrl })
  const remove = ({ id }: Json) => by.delete(`${path}/${id}`)
  return {
    [`POST ${operations}`]: async (name) => {
      const answer = await create(name)
      if (answer.status !== 201) return answer
      await remove(answer.body.webhook)
      return { ...answer, status: 200, body: answer.body.webhook }
    },
    [`PATCH ${operations}/{webhookId}`]: async (name) => {
      const { webhook } = (await create('Billing')).body
      const answer = await by.patch(`${path}/${webhook.id}`, { name })
      const read = await by.get(`${path}/${webhook.id}`)
      await remove(webhook)
      return answer.status === 200 ? { ...answer, body: read.body } : answer
    },
  }
}

/** Each key is ended again: there is room for twenty. @param operations the path of the list, as operations name it */
function namesOfKeys(by: Client, operations: string): Record<string, Setter> {
  const path = operations.replace('{orgId}', acme.id)
  const create = (name: string) => by.post(path, { name, scopes: ['members:read'] })
  const end = async ({ id }: Json) => ({ ...(await by.delete(`${path}/${id}`)), status: 200 })
  return {
    [`POST ${operations}`]: async (name) => {
      const answer = await create(name)
      return answer.status === 201 ? end(answer.body.key) : answer
    },
    [`PATCH ${operations}/{keyId}`]: async (name) => {
      const { body } = await create('Import')
      const answer = await by.patch(`${path}/${body.key.id}`, { name })
      await end(body.key)
      return answer
    },
  }
}

async function factors(): Promise<Json[]> {
  return (await ann.get('/api/users/me/factors')).body.data
}

function setter(by: Client, method: string, path: string): Setter {
  return async (name) => {
    const answer = await by.request(path, { method, body: { name } })
    return answer.status === 200 ? by.get(path) : answer
  }
}

async function created(by: Client, path: string, body: object, toRead: string): Promise<Answer> {
  const answer = await by.post(path, body)
  return answer.status === 201 ? by.get(toRead + answer.body.id) : answer
}

/** The others need a password hash each, so they get few texts. */
const signingUp: Readonly<Record<string, Setter>> = {
  'POST /api/auth/sign-up': (name) => signedIn('/api/auth/sign-up', { email: newEmail(), password, name }),
  'POST /api/setup': async (name) => {
    const { id } = await world.tenant()
    const { token, hash } = newToken('ghu', id)
    await world.postgres.query(`insert into set_up_links values ($1, $2, now() + interval '1 hour')`, [id, hash])
    return signedIn('/api/setup', { token, email: newEmail(), password, name })
  },
}

async function signedIn(path: string, body: object): Promise<Answer> {
  const answer = await world.nobody.post(path, body)
  return answer.status === 201 ? { ...answer, status: 200, body: answer.body.user } : answer
}

function assertRefused({ status, body }: Answer, pointer: string, what: string): void {
  assert.deepEqual([status, body.code, body.errors?.[0]?.pointer], [400, 'invalid_request', pointer], what)
}

for (const [operation, set] of Object.entries(names)) {
  test(`the name in ${operation} keeps its text in NFC, or is refused`, async () => {
    for (const [what, text] of Object.entries(kept)) {
      const { status, body } = await set(text)
      assert.deepEqual([status, body.name], [200, text.normalize('NFC')], what)
    }
    for (const [what, text] of Object.entries(pasted)) {
      const { status, body } = await set(text)
      assert.deepEqual([status, body.name], [200, 'Ann'], what)
    }
    for (const [what, text] of Object.entries(refused)) assertRefused(await set(text), '/name', what)
  })
}

for (const [operation, set] of Object.entries(signingUp)) {
  test(`the name in ${operation} keeps its text in NFC, or is refused`, async () => {
    for (const text of ['Zoe\u0308', '👩🏽‍👩🏿‍👧‍👦', '</script>\ufeff%\\']) {
      const { status, body } = await set(text)
      assert.deepEqual([status, body.name], [200, text.normalize('NFC')])
    }
    for (const [what, text] of Object.entries(refused)) assertRefused(await set(text), '/name', what)
  })
}

test('every operation that takes a name is tested here', () => {
  const naming = operations.filter(({ body }) => body?.properties.name).map(({ name }) => name)
  assert.deepEqual(Object.keys({ ...names, ...signingUp }).sort(), naming.sort())
})

test('a name of any characters comes back as it is normalized, or is refused', async () => {
  const text = fc.oneof(fc.string({ unit: 'binary', maxLength: 12 }), fc.string({ unit: 'grapheme', maxLength: 12 }))
  await fc.assert(
    fc.asyncProperty(text, async (name) => {
      const answer = await ann.patch('/api/users/me', { name })
      if (answer.status === 200) assert.equal(answer.body.name, normalizeName(name))
      else assertRefused(answer, '/name', JSON.stringify(name))
    }),
    { numRuns: 60, seed: 1 },
  )
})

test('metadata keeps every text but NUL and lone surrogates, as key and as value, without normalizing it', async () => {
  const unstorable = ['NUL', 'a high surrogate alone', 'a low surrogate alone', 'surrogates in the wrong order']
  const all = Object.entries({ ...kept, ...refused })
  const [lost, storable] = [true, false].map((is) => all.filter(([what]) => unstorable.includes(what) === is))
  for (const [by, path, field] of [
    [ann, '/api/users/me', 'metadata'],
    [tess, `/api/admin/users/${hal.id}`, 'appMetadata'],
  ] as const) {
    const texts = Object.fromEntries((storable ?? []).map(([, text]) => [text, [text.slice(0, 40).toWellFormed()]]))
    assert.equal((await by.patch(path, { [field]: texts })).status, 200)
    assert.deepEqual((await by.get(path)).body[field], texts)
    for (const [what, text] of lost ?? []) {
      assert.equal((await by.patch(path, { [field]: { [text]: 1 } })).status, 400, what)
      assert.equal((await by.patch(path, { [field]: { a: [{ b: text }] } })).status, 400, what)
    }
    assert.deepEqual((await by.get(path)).body[field], texts)
  }
})

test('a name that was pasted with marks of direction and spaces is found by its letters, and they find it, too', async () => {
  const { body } = await ann.post('/api/organizations', { name: '\u200f علی‌رضا\u200e ' })
  assert.equal(body.name, 'علی‌رضا')
  for (const query of ['علی‌ر', 'علی‌رضا', '\u200fعلی‌رضا ', '\u061cعلی‌ر']) {
    const answer = await ann.get(`/api/organizations?query=${encodeURIComponent(query)}`)
    assert.deepEqual(
      answer.body.data.map(({ id }: Json) => id),
      [body.id],
      query,
    )
  }
  await ann.delete(`/api/organizations/${body.id}`, { confirm: body.slug })
})

test('a name that was stored with spaces around it, before they were taken off, is found after an update', async () => {
  const { body } = await ann.post('/api/organizations', { name: 'Quentin’s Bar' })
  const cy = await world.person('Quentin', { tenant })
  const spaces = ' \u00a0\u200b\u3000\ufeff'
  const { query } = world.postgres
  await query(`update users set name = $2 || name || $2, name_key = $3 || name_key where id = $1`, [
    cy.id,
    spaces,
    '  ',
  ])
  await query(`update organizations set name = name || $2, name_key = name_key || $3 where id = $1`, [
    body.id,
    spaces,
    ' ',
  ])
  await query(await readFile(new URL('../migrations/0031_names_without_spaces.sql', import.meta.url), 'utf8'))
  const found = await tess.get('/api/admin/users?query=quent')
  assert.deepEqual(
    found.body.data.map(({ name }: Json) => name),
    ['Quentin'],
  )
  assert.equal((await ann.get(`/api/organizations/${body.id}`)).body.name, 'Quentin’s Bar')
  await ann.delete(`/api/organizations/${body.id}`, { confirm: body.slug })
})

test('a search takes every text literally, in any normalization form', async () => {
  for (const [what, text] of Object.entries(kept)) {
    const { body } = await ann.post('/api/organizations', { name: text })
    for (const form of ['NFC', 'NFD', 'NFKC']) {
      const answer = await ann.get(`/api/organizations?query=${encodeURIComponent(text.normalize(form))}`)
      if (answer.status === 400 && [...text.normalize(form)].length > 254) continue
      assert.equal(answer.status, 200, `${what} in ${form}`)
      assert.ok(
        answer.body.data.some(({ id }: Json) => id === body.id),
        `${what} is not found in ${form}`,
      )
    }
    await ann.delete(`/api/organizations/${body.id}`, { confirm: body.slug })
  }
  for (const [what, text] of Object.entries(refused)) {
    const query = encodeURIComponent(text.toWellFormed())
    for (const path of ['/api/organizations', `/api/organizations/${acme.id}/members`]) {
      const { status } = await ann.get(`${path}?query=${query}`)
      assert.equal(status, text.includes('\u0000') || [...text].length > 254 ? 400 : 200, `${what} in ${path}`)
    }
  }
})

/** What may hold any character, and why. Every other text of a body is refused if a character of it is not safe to show. */
const exceptions: Readonly<Record<string, string>> = {
  password: 'only its hash is stored',
  currentPassword: 'compared with a hash',
  newPassword: 'only its hash is stored',
  confirm: 'compared with a slug or an address',
  recoveryCode: 'compared with a hash',
  clientExtensionResults: 'read by names that are known, and not stored',
  metadata: 'JSON that belongs to the caller, as the test above says',
  appMetadata: 'JSON that belongs to the tenant, as the test above says',
}
/** Marks of direction, which are taken off names and addresses. */
const marks = '\u061c\u200e\u200f'
/** A control character of each kind, and each character that changes the direction of writing. */
const unsafeCharacters = `\t\n\r\u0007\u007f\u0085\u2028\u2029\u202a\u202e\u2066\u2069${marks}`

/** A body with a character in the middle of every text that its schema allows, also of those that `valid` lacks. */
function spoil(schema: Json, valid: Json, character: string, pointer = ''): { body: Json; pointers: string[] } {
  assert.ok(schema.type, `${pointer} has no type`)
  if ([schema.type].flat().includes('string')) {
    if (['name', 'email'].includes(schema.format) && marks.includes(character)) return { body: valid, pointers: [] }
    const text = String(valid ?? 'text')
    const middle = Math.floor(text.length / 2)
    return { body: text.slice(0, middle) + character + text.slice(middle + 1), pointers: [pointer] }
  }
  const parts: [string, Json, Json][] = schema.items
    ? [['0', schema.items, valid?.[0]]]
    : Object.entries<Json>(schema.properties ?? {}).map(([name, each]) => [name, each, valid?.[name]])
  // Of an object with members that are known, no other member is read.
  if (schema.jsonObject && !schema.properties) parts.push(['text', { type: 'string' }, undefined])
  if (parts.length === 0) return { body: valid, pointers: [] }
  const spoilt = parts.map(([name, each, value]) => {
    const kept = { body: value, pointers: [] }
    return [name, name in exceptions ? kept : spoil(each, value, character, `${pointer}/${name}`)] as const
  })
  const body = Object.fromEntries(spoilt.map(([name, each]) => [name, each.body]))
  return { body: schema.items ? Object.values(body) : body, pointers: spoilt.flatMap(([, each]) => each.pointers) }
}

for (const operation of operations.filter(({ body }) => body)) {
  test(`${operation.name} refuses control characters in every text that it stores`, async () => {
    for (const character of unsafeCharacters) {
      const { body, pointers } = spoil(operation.body, bodies[operation.name], character)
      if (pointers.length === 0) return
      const answer = await send(operation, JSON.stringify(body))
      const refused = answer.body.errors?.map(({ pointer }: Json) => pointer) ?? []
      const code = character.codePointAt(0)?.toString(16)
      assert.deepEqual(
        pointers.filter((pointer) => !refused.includes(pointer)),
        [],
        `U+${code}: give these a format`,
      )
    }
  })
}

test('each exception is the name of a field', () => {
  const namesIn = ({ properties = {} }: Json): string[] =>
    Object.entries<Json>(properties).flatMap(([name, each]) => [name, ...namesIn(each)])
  const named = operations.flatMap(({ body }) => (body ? namesIn(body) : []))
  assert.deepEqual(
    Object.keys(exceptions).filter((name) => !named.includes(name)),
    [],
  )
})

test('a password is the same in any normalization form, and keeps all its characters', async () => {
  const signIn = (email: string, chosen: string) =>
    world.nobody.post('/api/auth/sign-in', { email, password: chosen }).then(({ status }) => status)
  const decomposed = 'Zoe\u0308\u2028 ﬁ👩‍👩‍👧‍👦\u202e\u0007 \u3164'
  const email = newEmail()
  assert.equal((await world.nobody.post('/api/auth/sign-up', { email, password: decomposed })).status, 201)
  assert.equal(await signIn(email, decomposed.normalize('NFC')), 200)
  assert.equal(await signIn(email, decomposed.normalize('NFKC')), 200)
  assert.equal(await signIn(email, decomposed.replace('\u202e', '')), 401)
  assert.equal(await signIn(email, decomposed.slice(0, -1)), 401)
  for (const unsafe of [`${password}\u0000`, `${password}\ud83e`]) {
    assertRefused(await world.nobody.post('/api/auth/sign-up', { email, password: unsafe }), '/password', unsafe)
    assert.equal(await signIn(email, unsafe), 400)
  }
})

test('an address is the same however its domain is written, and a lookalike is another address', async () => {
  const local = `ann-${randomBytes(5).toString('hex')}`
  const invite = (email: string) => ann.post(`/api/organizations/${acme.id}/invites`, { email })
  assert.equal((await invite(`${local}@bücher.example`)).body.email, `${local}@xn--bcher-kva.example`)
  for (const same of [
    `${local.toUpperCase()}@BÜCHER.example`,
    `${local}@bu\u0308cher.example`,
    `${local}@ｂücher。example`,
    `${local}@b\u00adücher.example`,
    `\u3000${local}@xn--bcher-kva.example `,
    `\u200e${local}@bücher.example\u200f`,
  ]) {
    assert.equal((await invite(same)).body.code, 'already_invited', same)
  }
  const lookalike = await invite(`${local}@bücher.ex\u0430mple`)
  assert.deepEqual([lookalike.status, lookalike.body.email.includes('.xn--')], [201, true])
  for (const [what, text] of Object.entries(refused)) {
    if (what === 'marks of direction alone') continue // they are taken off
    const { status } = await invite(`${local}${text}@example.com`)
    assert.equal(status, 400, JSON.stringify(text))
  }
})
