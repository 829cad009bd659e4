/** Search: what a query finds in the lists of users, members, organizations and invitations, over HTTP. */
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { test } from 'node:test'
import fc from 'fast-check'
import { fillWords } from '../src/domain/search/writing.ts'
import { runEverywhere } from '../src/tasks.ts'
import { seed, times } from './depth.ts'
import { onEmailChanges } from './email-change.ts'
import { createWorld, type Json, type Person, type World } from './world.ts'

const world = await createWorld({ worker: true })
const { query } = world.postgres
const { change } = onEmailChanges(world)

/** People of many scripts. */
const people = [
  { name: 'Lena Fischer', email: 'lena@acme.com' },
  { name: 'Max Müller', email: 'max.mueller@mail.acme.com' },
  { name: 'Łukasz Żak', email: 'lukasz_zak@firma.example' },
  { name: "Kate O'Neill", email: 'kate+news@example.org' },
  { name: 'Jean-Luc Picard', email: 'picard@enterprise-d.example' },
  { name: 'أحمد علي', email: 'ahmad@example.org' },
  { name: '田中太郎', email: 'tanaka@example.org' },
  { name: 'Đặng Thị Hoa', email: 'hoa@example.org' },
  { name: 'İpek Işık', email: 'ipek@example.org' },
  { name: 'สมชาย ใจดี', email: 'somchai@example.org' },
  { name: '🚀 Rocket', email: 'rocket@example.org' },
  { name: null, email: 'anna.smith@xn--mller-kva.test' },
  { name: null, email: 'bob@online-shop.online' },
] as const

/** Queries, and whom they find, by the local parts of their addresses. */
const searches: readonly (readonly [string, string])[] = [
  ['fischer', 'lena'],
  ['FISCHER', 'lena'],
  ['fisch lena', 'lena'],
  ['lena fisch', 'lena'],
  ['lena müller', ''],
  ['ischer', ''],
  ['muller', 'anna.smith max.mueller'],
  ['MÜL', 'anna.smith max.mueller'],
  ['Mu\u0308ller max', 'max.mueller'],
  ['Łukasz', 'lukasz_zak'],
  ['zak lukasz', 'lukasz_zak'],
  ["O'Neill", 'kate+news'],
  ['oneill', 'kate+news'],
  ['neill kate', 'kate+news'],
  ['news', 'kate+news'],
  ['Jean-Luc', 'picard'],
  ['luc', 'picard'],
  ['أحمد', 'ahmad'],
  ['علي', 'ahmad'],
  ['田中', 'tanaka'],
  ['太郎', 'tanaka'],
  ['Đặng', 'hoa'],
  ['dang thi', 'hoa'],
  ['İpek', 'ipek'],
  ['ipek isik', 'ipek'],
  ['สม', 'somchai'],
  ['🚀', 'rocket'],
  ['smith', 'anna.smith'],
  ['anna.sm', 'anna.smith'],
  ['acme', 'lena max.mueller'],
  ['acme.com', 'lena max.mueller'],
  ['mail.acme', 'max.mueller'],
  ['com', ''],
  ['@acme', 'lena'],
  ['@ACME.com', 'lena'],
  ['@mail', 'max.mueller'],
  ['@enterprise-d', 'picard'],
  ['@acme fischer', 'lena'],
  ['@acme müller', ''],
  ['lena@ac', 'lena'],
  ['LENA@ACME.COM', 'lena'],
  ['lena@', 'lena'],
  ['mueller@mail', ''],
  ['kate+news@e', 'kate+news'],
  ['anna.smith@müller.test', 'anna.smith'],
  ['xn--mller', 'anna.smith'],
  ['@xn--mller', 'anna.smith'],
  ['online', 'bob'],
  ['@online-shop', 'bob'],
  ['lena -', 'lena'],
  ['lena @', 'lena'],
  ['---', ''],
  [' ', ''],
  ['@', ''],
  ['%', ''],
  ['f%r', ''],
  ['fisch_r', ''],
  ['x'.repeat(200), ''],
  ["' or true --", ''],
]

/** A tenant with an admin and these people, who are all members of an organization. */
async function populate(given: readonly { readonly name: string | null; readonly email: string }[] = people) {
  const { slug, id: tenant } = await world.tenant()
  const admin = await world.tenantAdmin(slug)
  await query(`update users set name = null, name_key = null, email = 'zz@zz.test' where id = $1`, [admin.id])
  await query(`update user_words set name_key = null, email = 'zz@zz.test' where user_id = $1`, [admin.id])
  const { body: organization } = await admin.post('/api/organizations', { name: 'Everybody' })
  for (const { name, email } of given) {
    const { status, body } = await admin.post('/api/admin/users', { email, ...(name !== null && { name }) })
    assert.equal(status, 201, JSON.stringify(body))
    await admin.post(`/api/admin/organizations/${organization.id}/members`, { userId: body.id })
  }
  return { admin, tenant, slug, path: `/api/organizations/${organization.id}`, orgId: organization.id as string }
}

async function read(person: Person, path: string, query: Readonly<Record<string, string>>): Promise<Json> {
  const { status, body } = await person.get(`${path}?${new URLSearchParams(query)}`)
  assert.equal(status, 200, JSON.stringify([query, body]))
  return body
}

const localParts = (addresses: readonly string[]) =>
  addresses
    .map((email) => email.split('@')[0])
    .sort()
    .join(' ')

test('users and members are found by the words of their names and addresses, in every script and order', async () => {
  const { admin, path, orgId } = await populate()
  const sorts = ['createdAt', '-createdAt', 'email', '-email', 'name', '-name', 'lastActiveAt']
  for (const [index, [typed, expected]] of searches.entries()) {
    const sort = sorts[index % sorts.length] ?? ''
    const { data, total } = await read(admin, '/api/admin/users', { query: typed, sort, includeTotal: 'true' })
    assert.equal(localParts(data.map(({ email }: Json) => email)), expected, `${typed} by ${sort}`)
    assert.equal(total, data.length, typed)
    for (const list of [`${path}/members`, `/api/admin/organizations/${orgId}/members`]) {
      const { data } = await read(admin, list, { query: typed })
      assert.equal(localParts(data.map(({ user }: Json) => user.email)), expected, `${typed} in ${list}`)
    }
  }
})

test('invitations are found by the words of their addresses', async () => {
  const { admin, path } = await populate([])
  for (const { email } of people) assert.equal((await admin.post(`${path}/invites`, { email })).status, 201)
  const named =
    /^[^@]*(fischer|FISCHER|fisch|muller|MÜL|Mu|Łukasz|luc|أحمد|علي|田|太郎|Đặng|dang|thi|İpek|isik|สม|🚀|O'N|neill|Jean|@acme [fm])/
  const sought = searches.filter(([typed]) => !named.test(typed) && typed !== 'zak lukasz')
  for (const [typed, expected] of [...sought, ['zak lukasz', 'lukasz_zak'], ['max muel', 'max.mueller']] as const) {
    const { data } = await read(admin, `${path}/invites`, { query: typed })
    assert.equal(localParts(data.map(({ email }: Json) => email)), expected, typed)
    const { data: revoked } = await read(admin, `${path}/invites`, { query: typed, status: 'revoked' })
    assert.deepEqual(revoked, [], typed)
  }
})

test('organizations are found by the words of their names and slugs, in the tenant and among one’s own', async () => {
  const { admin } = await populate([])
  const names = ['Fischer & Söhne', 'Müller GmbH', "L'Oréal", '株式会社田中', 'Amazon.com', 'Acme @ Berlin', '🚀🚀']
  for (const [index, name] of names.entries())
    assert.equal((await admin.post('/api/organizations', { name, slug: `made-${index}` })).status, 201)
  const found: readonly (readonly [string, string])[] = [
    ['sohne', '0'],
    ['SÖHNE fisch', '0'],
    ['gmbh mull', '1'],
    ['loreal', '2'],
    ['oreal', '2'],
    ["l'o", '2'],
    ['田中', '3'],
    ['amazon.c', '4'],
    ['com', '4'],
    ['acme@berlin', '5'],
    ['@berlin', '5'],
    ['🚀', '6'],
    ['made-5', '5'],
    ['made', '0 1 2 3 4 5 6'],
    ['ade', ''],
    ['&', ''],
  ]
  for (const [typed, expected] of found) {
    for (const list of ['/api/admin/organizations', '/api/organizations']) {
      const { data } = await read(admin, list, { query: typed })
      const slugs = data.map(({ slug }: Json) => slug.replace('made-', '')).sort()
      assert.equal(slugs.join(' '), expected, `${typed} in ${list}`)
    }
    const { total } = await read(admin, '/api/admin/organizations', {
      query: typed,
      includeTotal: 'true',
      sort: '-createdAt',
    })
    assert.equal(total, expected === '' ? 0 : expected.split(' ').length, typed)
  }
})

test('a query of sixty words finds what has all of them, and not what lacks one', async () => {
  const words = Array.from({ length: 60 }, (_, index) => `${'bcdfghjklmnp'[index % 12]}${'aeiou'[index % 5]}`)
  assert.equal(new Set(words).size, 60)
  const [local, domain, name] = [words.slice(0, 20), words.slice(20, 40), words.slice(40)]
  const person = { name: name.join(' '), email: `${local.join('.')}@${domain.join('-')}.test` }
  const { admin, path, orgId } = await populate([person, { ...person, email: `xx${person.email}` }])
  const ofAddress = [...local, ...domain]
  for (const email of [`a-${person.email}`, `xx${person.email}`].map((email) => email.replace('.test', '.more.test')))
    assert.equal((await admin.post(`${path}/invites`, { email })).status, 201)
  for (const slug of ['sixty', 'lacks'])
    await admin.post('/api/organizations', { name: `${slug === 'sixty' ? words[0] : 'xx'} ${name.join(' ')}`, slug })
  const people = ['/api/admin/users', `${path}/members`, `/api/admin/organizations/${orgId}/members`]
  const organizations = ['/api/admin/organizations', '/api/organizations']
  for (const [lists, all, others] of [
    [people, words, [`@${domain[0]}`, `${local[0]}.`]],
    [[`${path}/invites`], ofAddress, [`@${domain[0]}`, 'more']],
    [organizations, [words[0] ?? '', ...name], ['']],
  ] as const)
    for (const list of lists) {
      const count = async (...typed: string[]) => (await read(admin, list, { query: typed.join(' ') })).data.length
      assert.equal(await count(...all), 1, list)
      assert.equal(await count(...[...all].reverse(), ...others), 1, list)
      assert.equal(await count('xx', ...all.slice(1)), 1, list)
      assert.equal(await count(...all.slice(1)), 2, list)
      assert.equal(await count(...all, 'yy'), 0, list)
      assert.equal(await count('@other', ...all.slice(1)), 0, list)
    }
})

test('a new name, address or slug is found at once, and the old one no longer', async () => {
  const { admin, slug } = await populate([])
  const counts = async (...queries: string[]) => {
    const lists = queries.map((typed) => read(admin, '/api/admin/users', { query: typed }))
    return (await Promise.all(lists)).map(({ data }) => data.length)
  }
  const fay = await world.person('Fay', { tenant: slug })
  await fay.patch('/api/users/me', { name: 'Fay Weber' })
  assert.deepEqual(await counts('weber', 'fay'), [1, 1])
  await fay.patch('/api/users/me', { name: 'Gustava', locale: 'de' })
  await fay.patch('/api/users/me', { locale: 'fr' })
  assert.deepEqual(await counts('weber', 'gust'), [0, 1])
  await admin.patch(`/api/admin/users/${fay.id}`, { name: 'Helga' })
  assert.deepEqual(await counts('gustava', 'helga'), [0, 1])
  await fay.patch('/api/users/me', { name: null })
  assert.deepEqual(await counts('helga', 'fay @example'), [0, 1])

  const { body: made } = await fay.post('/api/organizations', {
    name: 'First',
    slug: `first-${randomBytes(4).toString('hex')}`,
  })
  const found = async (typed: string) => (await read(fay, '/api/organizations', { query: typed })).data.length
  const foundByAdmin = async (typed: string) =>
    (await read(admin, '/api/admin/organizations', { query: typed })).data.length
  await fay.patch(`/api/organizations/${made.id}`, { name: 'Second' })
  assert.deepEqual([await found('second'), await foundByAdmin('second'), await foundByAdmin('first')], [1, 1, 1])
  await admin.patch(`/api/admin/organizations/${made.id}`, { slug: `third-${made.slug.slice(6)}` })
  assert.deepEqual([await found('third'), await foundByAdmin('third'), await foundByAdmin('first')], [1, 1, 0])
})

test('a changed address is found at once, and so is the old one after the way back', async () => {
  const admin = await world.tenantAdmin()
  const mark = randomBytes(4).toString('hex')
  const ida = await world.person('Ida', { email: `old-x${mark}@example.com` })
  const found = async (typed: string) => (await read(admin, '/api/admin/users', { query: typed })).data.length
  await change(ida, `new-y${mark}@example.com`)
  assert.deepEqual([await found(`x${mark}`), await found(`y${mark}`)], [0, 1])
  const { wayBack, undo } = onEmailChanges(world)
  await undo(await wayBack(`old-x${mark}@example.com`))
  assert.deepEqual([await found(`x${mark}`), await found(`y${mark}`)], [1, 0])
})

test('the words of an account go with it, and those of an organization', async () => {
  const { admin, slug, tenant } = await populate([])
  const ivo = await world.person('Ivo', { tenant: slug })
  const { body } = await ivo.post('/api/organizations', { name: 'Ivory' })
  const count = async () => {
    const [row] = await query<{ count: string }>(
      `select (select count(*) from user_words where tenant_id = $1 and user_id = $2)
         || ' ' || (select count(*) from organization_words where tenant_id = $1 and organization_id = $3) as count`,
      [tenant, ivo.id, body.id],
    )
    return row?.count
  }
  assert.equal(await count(), '3 1')
  assert.equal((await admin.delete(`/api/admin/users/${ivo.id}`)).status, 200)
  assert.equal(await count(), '0 0')
})

/** That the words of all rows are those of their names and addresses, and no others, and have their sort keys. */
async function checkWords({ postgres }: World): Promise<void> {
  const wrong = await postgres.query(
    `select u.id, u.words, array(select w.word from user_words w where w.tenant_id = u.tenant_id and w.user_id = u.id order by 1) as rows
     from users u
     where u.words is null or u.words_version <> u.version or
       array(select w.word from user_words w where w.tenant_id = u.tenant_id and w.user_id = u.id order by 1)
         <> array(select w from unnest(string_to_array(u.words, ' ')) w where w <> '' and w not like '@%' order by w collate "C")`,
  )
  assert.deepEqual(wrong, [])
  const otherKeys = await postgres.query(
    `select id from users join user_words w on w.tenant_id = users.tenant_id and w.user_id = id
     where keys_version is distinct from version
       or (w.name_key, w.email, w.created_at) is distinct from (users.name_key, users.email, users.created_at)
     union all
     select id from organizations o join organization_words w on w.tenant_id = o.tenant_id and w.organization_id = id
     where keys_version is distinct from version or (w.name_key, w.created_at) is distinct from (o.name_key, o.created_at)`,
  )
  assert.deepEqual(otherKeys, [])
}

test('of renames at the same moment the last one is found, and nothing else', async () => {
  const { admin, slug } = await populate([])
  const joe = await world.person('Joe', { tenant: slug })
  for (let round = 0; round < 5; round++) {
    const names = ['Anton', 'Berta', 'Cäsar', 'Dora', 'Emil', 'Friedrich'].map((name) => `${name} ${name}sen`)
    await Promise.all(
      names.map((name, index) =>
        index % 2 ? joe.patch('/api/users/me', { name }) : admin.patch(`/api/admin/users/${joe.id}`, { name }),
      ),
    )
    const { name } = (await joe.get('/api/users/me')).body
    for (const each of names) {
      const { data } = await read(admin, '/api/admin/users', { query: each })
      assert.equal(data.length, each === name ? 1 : 0, `${each} of ${name}`)
    }
  }
  await checkWords(world)
})

test('what the release before writes is filled in, and found by its new words alone', async () => {
  const { admin, slug, tenant } = await populate([])
  const kim = await world.person('Kim', { tenant: slug })
  const { body: made } = await kim.post('/api/organizations', { name: 'Kiosk' })
  // As the release before does it: it knows neither column.
  await query(`update users set name = 'Lou Reed', name_key = 'lou reed', version = version + 1 where id = $1`, [
    kim.id,
  ])
  await query(`update organizations set name = 'Lido', name_key = 'lido', version = version + 1 where id = $1`, [
    made.id,
  ])
  await query(`insert into users (tenant_id, id, email) values ($1, 'user_' || repeat('1', 26), 'mo@before.test')`, [
    tenant,
  ])
  await runEverywhere(world, 'fill_words')

  const found = async (list: string, typed: string) => (await read(admin, list, { query: typed })).data.length
  assert.deepEqual([await found('/api/admin/users', 'reed'), await found('/api/admin/users', '@before')], [1, 1])
  assert.deepEqual(
    [await found('/api/admin/organizations', 'lido'), await found('/api/admin/organizations', 'kiosk')],
    [1, 1],
  )
  assert.equal(await fillWords(world.database, tenant), 0)
  await checkWords(world)
})

test('words of a domain that older code has left out are filled in, of users and of invitations', async () => {
  const emails = ['bob@online-shop.online', 'max@xn--mller-kva.test', 'lena@acme-west.test', 'ann@acme.test']
  const { admin, tenant } = await populate(emails.map((email) => ({ name: null, email })))
  const { body: other } = await admin.post('/api/organizations', { name: 'Other' })
  const invites = `/api/organizations/${other.id}/invites`
  for (const email of emails) assert.equal((await admin.post(invites, { email })).status, 201)
  const older: readonly (readonly [string, string])[] = [
    ['bob@online-shop.online', ' bob shop.online @online-shop.online'],
    ['max@xn--mller-kva.test', ' max muller.test @muller.test'],
    ['ann@acme.test', ' acme.test ann @acme.test'],
  ]
  for (const [rows, table, key] of [
    ['users', 'user_words', 'user_id'],
    ['invitations', 'invitation_words', 'invitation_id'],
  ])
    for (const [email, words] of older) {
      const changed = await query<{ id: string }>(
        `update ${rows} set words = $3 where tenant_id = $1 and email = $2 returning id`,
        [tenant, email, words],
      )
      assert.equal(changed.length, 1)
      await query(`delete from ${table} where ${key} = $1 and word <> all(string_to_array($2, ' '))`, [
        changed[0]?.id,
        words,
      ])
    }
  const found = async (list: string) => {
    const lists = ['@online-shop', 'online', '@xn--mller', 'xn--mller', '@müll', 'acme-w'].map(
      async (typed) => (await read(admin, list, { query: typed })).data.length,
    )
    return (await Promise.all(lists)).join(' ')
  }
  assert.equal(await found('/api/admin/users'), '0 0 0 0 1 1')

  assert.equal(await fillWords(world.database, tenant), 4, 'those whose domain has a hyphen, and no others')

  assert.equal(await found('/api/admin/users'), '1 1 1 1 1 1')
  assert.equal(await found(invites), '1 1 1 1 1 1')
  assert.equal(await fillWords(world.database, tenant), 0)
  await checkWords(world)
})

test('imported and invited people are found like others, and a change of another field keeps their words', async () => {
  const { admin, slug } = await populate()
  const { body } = await admin.get('/api/admin/users?query=lena')
  await admin.patch(`/api/admin/users/${body.data[0].id}`, { appMetadata: { plan: 'x' }, status: 'suspended' })
  assert.equal((await read(admin, '/api/admin/users', { query: 'lena fischer' })).data.length, 1)
  const nia = await world.person('Nia', { tenant: slug })
  await nia.patch('/api/users/me', { avatarUrl: 'https://example.com/nia.png' })
  assert.equal((await read(admin, '/api/admin/users', { query: 'nia' })).data.length, 1)
  await checkWords(world)
})

const vocabulary = [
  'ann',
  'anna',
  'annabel',
  'ben',
  'Beñ',
  'Ø',
  'o',
  'Smith',
  'smi',
  'acme',
  '東京',
  'x-y',
  'a.b',
  "d'Or",
] as const
const word = fc.constantFrom(...vocabulary)

test('a search finds what a comparison of all words finds', async () => {
  const given = fc
    .sample(fc.tuple(fc.array(word, { maxLength: 3 }), word, word), { numRuns: 60, seed: 7 })
    .map(([name, local, domain], index) => ({
      name: name.length === 0 ? null : name.join(' '),
      email: `${plain(local)}.${index}@${plain(domain).replace('.', '-')}.test`,
    }))
  const { admin } = await populate(given)
  await fc.assert(
    fc.asyncProperty(
      fc.array(word, { minLength: 1, maxLength: 3 }),
      fc.constantFrom('name', '-email', 'createdAt'),
      async (typed, sort) => {
        const { data } = await read(admin, '/api/admin/users', { query: typed.join(' '), sort, limit: '100' })
        const expected = given.filter((user) => typed.flatMap(wordsOf).every((each) => has(user, each)))
        assert.deepEqual(
          data.map(({ email }: Json) => email).sort(),
          expected.map(({ email }) => email).sort(),
          typed.join(' '),
        )
      },
    ),
    { numRuns: times(40), seed },
  )
})

/** As ASCII, for an address. */
const plain = (text: string) => comparable(text).replace(/[^a-z.-]/g, '') || 'x'
const comparable = (text: string) =>
  text.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase().replaceAll('ø', 'o').replaceAll("'", '')
const wordsOf = (text: string) =>
  comparable(text)
    .split(/[^\p{L}\p{N}.]+/u)
    .filter((each) => each !== '')

/** Whether a word of the name, of the local part or of the domain begins with what was typed. */
function has({ name, email }: { readonly name: string | null; readonly email: string }, typed: string): boolean {
  const [local = '', domain = ''] = email.split('@')
  const [ofName, ofLocal] = [name ?? '', local].map((text) => wordsOf(text).flatMap(beginnings))
  const inDomain = wordsOf(domain)
    .flatMap(beginnings)
    .filter((each) => each !== 'test')
  const apostrophes = (name ?? '')
    .split(/[\s]/)
    .filter((each) => each.includes("'"))
    .map((each) => comparable(each.split("'")[1] ?? ''))
  const characters = [...(name ?? '')].flatMap((each, index, all) =>
    /\p{Script=Han}/u.test(each) ? [all.slice(index).join('').split(' ')[0] ?? ''] : [],
  )
  return [...(ofName ?? []), ...(ofLocal ?? []), ...inDomain, ...apostrophes, ...characters].some((each) =>
    each.startsWith(typed),
  )
}

const beginnings = (text: string) => text.split('.').map((_, index, parts) => parts.slice(index).join('.'))
