/** Fields: every field of every body in the OpenAPI document, with invalid values. */
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { test } from 'node:test'
import { keyNameIn } from './key-requests.ts'
import { outboxIsEmpty } from './queue.ts'
import { assertRefusal, sizeFault } from './refusals.ts'
import { makeBodies } from './valid-bodies.ts'
import { codeOf, createWorld, type Json } from './world.ts'

const world = await createWorld()
const { operations, bodies, alternatives, ids, ann, acme, callerOf, send } = await makeBodies(world)
// Uses are noted again after a while, and events come into the feed, which would look like changes here.
await world.postgres.query(`update sessions set last_active_at = now() + interval '1 hour'`)
await world.postgres.query(`update memberships set last_active_at = now() + interval '1 hour'`)
await outboxIsEmpty(world)

/** The whole content of the database, as one number for each table. */
async function remember(): Promise<Json> {
  const tables = await world.postgres.query<{ name: string }>(
    `select format('%I.%I', schemaname, tablename) as name from pg_tables
     where schemaname = 'public' or tablename = '_private_jobs' order by 1`,
  )
  const kept: Record<string, unknown> = {}
  for (const { name } of tables) {
    kept[name] = await world.postgres.query(
      `select count(*), md5(string_agg(t::text, '' order by t::text)) from ${name} t`,
    )
  }
  return kept
}

test('every operation with a body is tested here', () => {
  const withBody = operations.filter(({ body }) => body).map(({ name }) => name)
  assert.deepEqual(Object.keys(bodies).sort(), withBody.sort(), 'give each operation a body in valid-bodies.ts')
  for (const { name, body } of operations.filter(({ body }) => body)) {
    const fields = Object.keys({ ...alternatives[name], ...bodies[name] })
    assert.deepEqual(fields.sort(), Object.keys(body.properties).sort(), name)
    assert.equal(body.additionalProperties, false, `${name} takes unknown fields`)
  }
})

/** Fields that these operations need, though not of everybody. */
const alsoRequired: Readonly<Record<string, string[]>> = {
  'POST /api/auth/sign-up': ['password'],
  'POST /api/users/me/password': ['currentPassword'],
}

const wrongTypes: Readonly<Record<string, unknown[]>> = {
  string: [5, 0, true, false, {}, [], ['acme'], { toString: 'acme' }],
  object: [5, true, 'text', [], [{}], '{}'],
  array: [5, true, 'text', {}, '[]'],
  integer: ['5', 1.5, true, {}, []],
  boolean: ['true', 1, 0, {}, []],
}

for (const operation of operations.filter(({ name, body }) => body && bodies[name])) {
  const valid = bodies[operation.name]
  const { properties, required = [] } = operation.body
  test(`${operation.name} refuses each invalid field, and changes nothing`, async () => {
    const before = await remember()
    const refuse = async (field: string, value: unknown, code?: string) =>
      assertRefusal(
        await send(operation, JSON.stringify({ ...valid, [field]: value })),
        `/${field}`,
        `${operation.name} with ${field} = ${JSON.stringify(value)?.slice(0, 80)}`,
        code,
      )

    for (const [field, schema] of Object.entries<Json>(properties)) {
      const types: string[] = [schema.type].flat()
      for (const value of wrongTypes[types[0] ?? ''] ?? []) {
        const type = typeof value === 'number' ? 'integer' : typeof value
        if (!types.slice(1).includes(type)) await refuse(field, value, 'wrong_type')
      }
      if (!types.includes('null')) await refuse(field, null, 'wrong_type')
      if (schema.maxLength) {
        await refuse(field, 'a'.repeat(schema.maxLength + 1), sizeFault(schema, 'too_long'))
        await refuse(field, 'ü'.repeat(schema.maxLength + 1), sizeFault(schema, 'too_long'))
      }
      if (schema.minLength) await refuse(field, 'a'.repeat(schema.minLength - 1), sizeFault(schema, 'too_short'))
      if (schema.enum) await refuse(field, types[0] === 'boolean' ? !schema.enum[0] : 'emperor', 'not_allowed')
      if ((schema.format && schema.format !== 'password') || schema.pattern) {
        for (const text of ['\t\n', ' '.repeat(schema.minLength ?? 3), '\u202e\u202e\u202e']) await refuse(field, text)
      }
      if (types.includes('string')) {
        const text = String(valid[field] ?? alternatives[operation.name]?.[field])
        for (const unsafe of ['\u0000', `${text}\u0000`, '\ud800', `${text}\udfff`]) {
          await refuse(field, unsafe, 'invalid_format')
        }
      }
      if (schema.jsonObject ?? schema.additionalProperties) {
        await refuse(field, { deep: { deep: { deep: { deep: { deep: {} } } } } }, 'out_of_range')
        await refuse(field, { text: 'x'.repeat(8192) }, 'too_long')
        for (const unsafe of [
          '{"a":"\\u0000"}',
          '{"\\u0000":1}',
          '{"a":["\\ud800"]}',
          '{"a":1e999}',
          '{"a":{"__proto__":1}}',
        ]) {
          const answer = await send(operation, JSON.stringify({ ...valid, [field]: 'here' }).replace('"here"', unsafe))
          assert.equal(answer.status, 400, `${operation.name} with ${field} = ${unsafe}`)
          assert.ok(answer.body.errors.some(({ pointer }: Json) => pointer.startsWith(`/${field}/`)))
        }
      }
    }
    for (const field of required) {
      const { [field]: _absent, ...rest } = valid
      assertRefusal(
        await send(operation, JSON.stringify(rest)),
        `/${field}`,
        `${operation.name} without ${field}`,
        'required',
      )
    }
    assert.deepEqual(await remember(), before)
  })

  test(`${operation.name} refuses an unknown field, and a body that is no object`, async () => {
    const before = await remember()
    const extra = (json: string) => `${JSON.stringify(valid).slice(0, -1)},${json}}`
    for (const [json, pointer, code] of [
      ['"surplus":1', '/surplus', 'unknown_field'],
      ['"id":"org_01k9zq3v5hf8gs4m2y7c6t0wdn"', '/id', 'unknown_field'],
      ['"tenantId":null', '/tenantId', 'unknown_field'],
      ['"a/b~c":1', '/a~1b~0c', 'unknown_field'],
      ['"":1', '/', 'unknown_field'],
      ['"__proto__":{"role":"owner"}', '/__proto__', 'not_allowed'],
      ['"constructor":{"prototype":{"role":"owner"}}', '/constructor', 'not_allowed'],
      ['"constructor":1', '/constructor', 'unknown_field'],
    ] as const) {
      assertRefusal(await send(operation, extra(json)), pointer, `${operation.name} with ${json}`, code)
    }
    for (const raw of ['[]', '"text"', '5', 'true', '[{}]', 'null']) {
      assertRefusal(await send(operation, raw), '', `${operation.name} with ${raw}`, 'wrong_type')
    }
    if (!operation.isOptional)
      assertRefusal(await send(operation, ''), '', `${operation.name} without a body`, 'required')
    assert.deepEqual(await remember(), before)
  })

  if (required.length === 0) continue
  test(`${operation.name} names all missing fields at once`, async () => {
    const { body } = await send(operation, '{}')
    assert.deepEqual(
      body.errors.map(({ pointer }: Json) => pointer).sort(),
      [...required, ...(alsoRequired[operation.name] ?? [])].map((field: string) => `/${field}`).sort(),
    )
  })
}

test('a refusal stays small, whatever is wrong', async () => {
  const many = Object.fromEntries(Array.from({ length: 5000 }, (_, index) => [`f${index}`, 1]))
  const long = { ['k'.repeat(60_000)]: 1 }
  let nested = '"\\u0000"'
  for (let depth = 0; depth < 10_000; depth++) nested = `{"a":${nested}}`
  for (const raw of [JSON.stringify(many), JSON.stringify(long), `{"metadata":${nested}}`]) {
    const answer = await ann.request('/api/users/me', { method: 'PATCH', raw })
    assert.equal(answer.status, 400)
    assert.ok(JSON.stringify(answer.body).length < 130_000)
  }
})

test('text that only resembles an address, a link, a locale or a time zone is refused', async () => {
  const before = await remember()
  const refused: Readonly<Record<string, readonly string[]>> = {
    avatarUrl: [
      'http://example.com/a.png',
      'javascript:alert(1)',
      'data:image/png;base64,AA==',
      '//example.com/a.png',
      'https://',
      'https://user:secret@example.com/',
      'https://exa mple.com/',
      'https:\\\\example.com',
      'https://example.com/\r\nset-cookie: a=b',
      'example.com',
    ],
    locale: ['english!', 'e', 'en_GB', '-', 'x'.repeat(35)],
    timeZone: ['Europe/Atlantis', '+02:00', '../../etc/passwd', 'europe'],
    name: ['', ' ', '\u00a0', 'An\u0007n', 'Ann\u202eevil', 'Ann\nBcc: all', '\u0958'.repeat(100)],
  }
  for (const [field, values] of Object.entries(refused)) {
    for (const value of values) {
      assertRefusal(
        await ann.patch('/api/users/me', { [field]: value }),
        `/${field}`,
        `${field} = ${JSON.stringify(value)}`,
      )
    }
  }
  for (const email of [
    'ann',
    'ann@',
    '@example.com',
    'ann@localhost',
    'a b@example.com',
    'ann@example.com, bob@example.com',
    'ann@exam\nple.com',
    'ann@example.com\r\nbcc: all@example.com',
    '"ann"@example.com',
    'ann@[127.0.0.1]',
    'ann@127.0.0.1',
    'ann..b@example.com',
    '.ann@example.com',
    'ann@-example.com',
    'ann@exa_mple.com',
    'ann@example.com%0a',
    'änn@example.com',
    `${'a'.repeat(65)}@example.com`,
    `ann@${'a'.repeat(64)}.com`,
    `ann@${'a.'.repeat(126)}com`,
    'ann<eve@example.com>',
  ]) {
    assertRefusal(await ann.post(`${acme}/invites`, { email }), '/email', JSON.stringify(email))
  }
  assert.deepEqual(await remember(), before)
})

/** Forms that another site sends: they are led to their query before anything else is looked at. */
const isLed = ({ method, path }: { readonly method: string; readonly path: string }) =>
  method === 'POST' && /\/(authorize|end-session)$/.test(path) && path.startsWith('/api/tenants/')

/** OAuth has these ignore what they do not know (RFC 6749, 3.2). */
const ignoresQuery = ({ path }: { readonly path: string }) =>
  /^\/api\/tenants\/.*\/(token|revoke|userinfo|jwks\.json|openid-configuration)$/.test(path)

test('operations without query parameters refuse any, but for those of OAuth that ignore it', async () => {
  const without = operations.filter(
    (each) => each.query.length === 0 && each.path.startsWith('/api') && !isLed(each) && !ignoresQuery(each),
  )
  assert.equal(operations.filter(ignoresQuery).length, 6)
  for (const operation of without) {
    const answer = await callerOf(operation).request(`${operation.path}?surplus=1`, {
      method: operation.method,
      ...(bodies[operation.name] && { body: bodies[operation.name] }),
    })
    assertRefusal(answer, '?surplus', operation.name, 'unknown_field')
  }
})

for (const operation of operations.filter(({ method }) => method === 'PATCH')) {
  const nullable = Object.entries<Json>(operation.body.properties)
    .filter(([, { type }]) => [type].flat().includes('null'))
    .map(([field]) => field)
  // The grants of a member are shown with more than was sent (features/members/suspension.test.ts), and keys are only narrowed.
  if (nullable.length === 0 || /\/(members\/\{memberId\}|keys\/\{keyId\})$/.test(operation.name)) continue
  test(`${operation.name} clears with null, and leaves omitted fields as they are`, async () => {
    // An address changes only by its link, and a confirming password is not stored.
    const { email: _email, currentPassword: _proof, ...fields } = bodies[operation.name] ?? {}
    const full: Json = {
      ...fields,
      ...(operation.path.includes('organizations') && { slug: `s-${randomBytes(4).toString('hex')}` }),
    }
    const set = await send(operation, JSON.stringify(full))
    assert.equal(set.status, 200)
    for (const field of Object.keys(full)) assert.deepEqual(set.body[field], full[field])

    for (const field of nullable) {
      const cleared = await send(operation, JSON.stringify({ [field]: null }))
      assert.equal(cleared.status, 200)
      assert.deepEqual(cleared.body[field], emptyOf(field))
    }
    // An organization is read with what the caller may do there.
    const { permissions: _, ...body } = (await callerOf(operation).get(operation.path)).body
    for (const field of Object.keys(full)) {
      assert.deepEqual(body[field], nullable.includes(field) ? emptyOf(field) : full[field], field)
    }
    const unchanged = await send(operation, '{}')
    assert.deepEqual(unchanged.body, body)
  })
}

/** What is there after a field was cleared. */
function emptyOf(field: string): unknown {
  return /metadata$/i.test(field) ? {} : null
}

for (const name of ['POST /api/organizations', 'POST /api/organizations/{orgId}/invites', 'POST /api/admin/users']) {
  test(`${name} stores each field that it takes`, async () => {
    const operation = operations.find((each) => each.name === name) ?? assert.fail()
    const { currentPassword: _proof, expiresInDays: _days, mail: _mail, ...fields } = bodies[name] ?? {}
    const { status, body } = await send(operation, JSON.stringify(bodies[name]))
    assert.equal(status, 201)
    // The answer names the roles, too.
    const stored = {
      ...body,
      ...(body.grants && { grants: body.grants.map(({ name: _name, ...grant }: Json) => grant) }),
    }
    for (const [field, value] of Object.entries(fields)) assert.deepEqual(stored[field], value, field)
  })
}

test('ids of another type or form are 400, anywhere in the path', async () => {
  const wrong = [
    '1',
    'ORG_01k9zq3v5hf8gs4m2y7c6t0wdn',
    'org_01k9zq3v5hf8gs4m2y7c6t0wdl',
    'org_8zzzzzzzzzzzzzzzzzzzzzzzzz',
    'a%00b',
    'Acme',
    'a_b',
    'usr_x',
    "'",
    '%25',
    '..%2f..',
    '%F0%9F%A6%84',
    'x'.repeat(150),
  ]
  for (const operation of operations.filter((each) => !isLed(each))) {
    const template = operation.name.split(' ')[1] ?? ''
    for (const [parameter = '', name = ''] of template.matchAll(/\{(\w+)\}/g)) {
      for (const id of wrong) {
        const path = template
          .replace(parameter, id)
          .replace(/\{(\w+)\}/g, (_, each: string) => ids[keyNameIn(template, each)] ?? '')
        const answer = await callerOf(operation).request(path, {
          method: operation.method,
          ...(bodies[operation.name] && { body: bodies[operation.name] }),
        })
        const what = `${operation.name} with ${name} = ${id}`
        if (answer.body.error === undefined) assert.deepEqual(codeOf(answer), [400, 'invalid_id'], what)
        else assert.deepEqual([answer.status, answer.body.error], [400, 'invalid_request'], what)
      }
    }
  }
})
