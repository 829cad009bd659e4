/** Slugs: made from names, chosen, changed, and leading to an organization. */
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { test } from 'node:test'
import { type Answer, codeOf, createWorld, type Json, type Person } from '../../../test/world.ts'

const world = await createWorld()
const unique = (name = 'x') => `${name}-${randomBytes(5).toString('hex')}`
const create = (person: Person, body: object = {}) => person.post('/api/organizations', { name: 'Acme', ...body })

const faultsOf = ({ body }: Answer) =>
  Object.fromEntries(body.errors.map(({ pointer, code }: Json) => [pointer, code]).sort())

test('a slug is made from the name', async () => {
  const word = randomBytes(5).toString('hex')
  for (const [name, slug] of [
    [`Acme ${word}`, `acme-${word}`],
    [`  ÀCME & Söhne, ${word}!  `, `acme-sohne-${word}`],
    [`--${word}--.--`, word],
    [`株式会社 ${word} b`, `${word}-b`],
    [`Größe ${word}`, `grosse-${word}`],
    [`Łódź & Ærø, ${word} Þór`, `lodz-aero-${word}-thor`],
    [`ŒUVRE Đurđa ${word} ISTANBUL ı`, `oeuvre-durda-${word}-istanbul-i`],
    [`long ${word} ${'x'.repeat(80)}`, `long-${word}-${'x'.repeat(25)}`],
    [`cut ${word} ${'x'.repeat(25)} y`, `cut-${word}-${'x'.repeat(25)}`],
  ] as const) {
    const { status, body } = await create(await world.person(), { name })
    assert.deepEqual([status, body.slug], [201, slug])
  }
})

test('a slug from a name that is taken gets a suffix, within the limit of length', async () => {
  const ann = await world.person()
  for (const name of [unique('taken'), `${unique('taken')} ${'x'.repeat(80)}`]) {
    const [first, second] = [await create(ann, { name }), await create(ann, { name })]

    assert.match(second.body.slug, new RegExp(`^${first.body.slug}-[a-z0-9]{6}$`))
    assert.ok(second.body.slug.length <= 48)
  }
})

test('a name without letters for a slug gives org- and six characters', async () => {
  for (const name of ['株式会社', '!!!', '🚀', '- -', 'Ω']) {
    const { status, body } = await create(await world.person(), { name })
    assert.equal(status, 201)
    assert.match(body.slug, /^org-[a-z0-9]{6}$/, name)
  }
})

test('an explicit slug is used as it is, or refused if another organization has it', async () => {
  const [ann, ben] = await Promise.all([world.person(), world.person('Ben')])
  const slug = unique()
  await create(ann, { slug })

  assert.deepEqual(codeOf(await create(ben, { slug })), [409, 'slug_taken'])
  assert.deepEqual(codeOf(await create(ann, { slug })), [409, 'slug_taken'])
  assert.equal((await ben.get('/api/organizations')).body.data.length, 0, 'nothing is left of a refusal')

  const { slug: tenant } = await world.tenant()
  const elsewhere = await create(await world.person('Eve', { tenant }), { slug })
  assert.deepEqual([elsewhere.status, elsewhere.body.slug], [201, slug], 'another tenant has slugs of its own')
})

test('no organization gets a word that is a page of the console as its slug, and one that has it stays reachable', async () => {
  const ann = await world.person()
  for (const [name, slug] of [
    ['New', 'new'],
    ['Settings!', 'settings'],
  ] as const) {
    const { status, body } = await create(ann, { name })
    assert.equal(status, 201)
    assert.match(body.slug, new RegExp(`^${slug}-[a-z0-9]{6}$`))
    const { data: before } = (await ann.get('/api/organizations')).body
    assert.deepEqual(codeOf(await create(ann, { slug })), [409, 'slug_taken'])
    assert.deepEqual(codeOf(await ann.patch(`/api/organizations/${body.id}`, { name: 'Other', slug })), [
      409,
      'slug_taken',
    ])
    assert.deepEqual((await ann.get('/api/organizations')).body.data, before, 'nothing is left of a refusal')
  }
  const { body: old } = await create(ann)
  await world.postgres.query(`update organizations set slug = 'new' where id = '${old.id}'`)
  assert.equal((await ann.patch('/api/organizations/new', { name: 'Old', slug: 'new' })).body.slug, 'new')
  assert.equal((await ann.get('/api/organizations/new')).body.id, old.id)
})

test('a slug that the service keeps is refused only after the caller is admitted', async () => {
  const [ann, tess] = [await world.person(), await world.tenantAdmin()]
  const body = { name: 'Acme', slug: 'new', ownerId: ann.id }
  assert.deepEqual(codeOf(await tess.post('/api/admin/organizations', body)), [409, 'slug_taken'])
  assert.deepEqual(codeOf(await ann.post('/api/admin/organizations', body)), [403, 'forbidden'])

  await ann.post('/api/auth/sign-out')
  assert.deepEqual(codeOf(await create(ann, { slug: 'new' })), [401, 'unauthenticated'])
})

test('slugs have 3 to 48 lower-case letters, digits and hyphens, with no hyphen at an end', async () => {
  const ann = await world.person()
  const { body: acme } = await create(ann)
  for (const slug of [
    '',
    'ab',
    'x'.repeat(49),
    '-abc',
    'abc-',
    '---',
    'Abc',
    'a_bc',
    'a.bc',
    'a bc',
    'äbc',
    'abc\n',
    5,
    null,
    ['abc'],
  ]) {
    for (const answer of [await create(ann, { slug }), await ann.patch(`/api/organizations/${acme.id}`, { slug })]) {
      assert.deepEqual([answer.status, Object.keys(faultsOf(answer))], [400, ['/slug']], JSON.stringify(slug))
    }
  }
  const word = randomBytes(2).toString('hex')
  for (const slug of [`${word}`.slice(0, 3), `${word}${'x'.repeat(44)}`, `1--${word}`, `${word}-2`]) {
    assert.equal((await ann.patch(`/api/organizations/${acme.id}`, { slug })).body.slug, slug)
  }
})

test('an organization is found by its id or its slug', async () => {
  const { id, slug, ann, ben, members } = await world.organization()
  const bySlug = `/api/organizations/${slug}`
  for (const path of ['', '/members', `/members/${members.cleo.id}`, '/invites', '/audit']) {
    const [one, other] = [await ben.get(`/api/organizations/${id}${path}`), await ben.get(`${bySlug}${path}`)]
    assert.deepEqual([other.status, other.body], [200, one.body], path)
  }
  assert.equal((await ben.patch(bySlug, { name: 'By slug' })).body.id, id)
  assert.equal((await ben.patch(`${bySlug}/members/${members.cleo.id}`, { role: 'admin' })).body.role, 'admin')
  const { body: invitation } = await ben.post(`${bySlug}/invites`, { email: `${unique()}@example.com` })
  assert.equal(invitation.organization.id, id)
  assert.equal((await ben.post(`${bySlug}/invites/${invitation.id}/resend`)).status, 200)
  assert.equal((await ben.delete(`${bySlug}/invites/${invitation.id}`)).status, 200)
  assert.equal((await ben.delete(`${bySlug}/members/me`)).status, 200)
  assert.equal((await ann.delete(bySlug, { confirm: slug })).status, 200)
})

test('a former slug leads nowhere until another organization takes it', async () => {
  const [ann, ben] = await Promise.all([world.person(), world.person('Ben')])
  const [before, now] = [unique(), unique()]
  const { body: acme } = await create(ann, { slug: before })

  await ann.patch(`/api/organizations/${acme.id}`, { slug: now })

  assert.equal((await ann.get(`/api/organizations/${before}`)).status, 404)
  assert.equal((await ann.get(`/api/organizations/${now}`)).body.id, acme.id)
  assert.equal((await create(ben, { slug: before })).status, 201)
  assert.equal((await ann.get(`/api/organizations/${before}`)).status, 404)
})

test("a slug leads to an organization of the caller's own tenant", async () => {
  const slug = unique()
  const { slug: tenant } = await world.tenant()
  const [ann, eve] = await Promise.all([world.person(), world.person('Eve', { tenant })])
  const [here, there] = [await create(ann, { slug }), await create(eve, { slug })]

  assert.equal((await ann.get(`/api/organizations/${slug}`)).body.id, here.body.id)
  assert.equal((await eve.get(`/api/organizations/${slug}`)).body.id, there.body.id)
  assert.equal((await eve.get(`/api/organizations/${here.body.id}`)).status, 404)
})

test("an organization cannot take another's slug, and can keep its own", async () => {
  const ann = await world.person()
  const [{ body: one }, { body: other }] = [await create(ann), await create(ann)]

  assert.deepEqual(codeOf(await ann.patch(`/api/organizations/${one.id}`, { name: 'New', slug: other.slug })), [
    409,
    'slug_taken',
  ])

  const { permissions: _, ...read } = (await ann.get(`/api/organizations/${one.id}`)).body
  assert.deepEqual(read, one)
  assert.equal((await ann.patch(`/api/organizations/${one.id}`, { slug: one.slug })).status, 200)
})

test("a deleted organization's slug is free, and the next organization shows nothing of the old one", async () => {
  const { slug, path, ann, ben, dan } = await world.organization()
  await ann.delete(path, { confirm: slug })

  const { status, body } = await create(dan, { slug })

  assert.equal(status, 201)
  assert.deepEqual([body.slug, body.memberCount], [slug, 1])
  assert.equal((await ben.get(`/api/organizations/${slug}`)).status, 404)
  assert.deepEqual(
    (await dan.get(`/api/organizations/${slug}/audit`)).body.data.map(({ action }: Json) => action),
    ['organization.created'],
  )
})
