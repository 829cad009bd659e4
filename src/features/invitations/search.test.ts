/** Search of an organization’s invitations, over HTTP. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { onInvitations } from '../../../test/invitations.ts'
import { onRows } from '../../../test/rows.ts'
import { type Answer, createWorld, type Json, type Organization } from '../../../test/world.ts'
import { fillWords } from '../../domain/search/writing.ts'

const world = await createWorld()
const { query } = world.postgres
const { tenantId: tenant } = world
const { inviteBy, invite } = onInvitations(world)
const { giveInvitations } = onRows(world)
const tess = await world.tenantAdmin()
const noWords = '(words is null) <> (email is null)'

/** The addresses that a search finds, in the order of the list, page by page. */
async function found({ ann, path }: Organization, typed: string, more: Record<string, string> = {}): Promise<string[]> {
  const emails: string[] = []
  let way = `${path}/invites?${new URLSearchParams({ query: typed, limit: '100', ...more })}`
  while (way) {
    const { body, headers, status }: Answer = await ann.get(way)
    assert.equal(status, 200, way)
    emails.push(...body.data.map(({ email }: Json) => email))
    way = /^<([^>]+)>; rel="next"$/.exec(headers.get('link') ?? '')?.[1] ?? ''
  }
  return emails
}

const wordsOf = (id: string) =>
  query<{ word: string }>('select word from invitation_words where invitation_id = $1 order by word', [id])

/** That all invitations of the world have the words of their addresses, and no others have any. */
async function checkWords(): Promise<void> {
  assert.deepEqual(await query(`select id from invitations where ${noWords}`), [])
  const wrong = await query(
    `select i.id
     from invitations i,
       lateral (select array_agg(w.word order by w.word) as words from invitation_words w
         where (w.tenant_id, w.organization_id, w.invitation_id, w.created_at) = (i.tenant_id, i.organization_id, i.id, i.created_at)) own,
       lateral (select array_agg(word order by word collate "C") as words from unnest(string_to_array(i.words, ' ')) word
         where word <> '' and word not like '@%') wanted
     where own.words is distinct from wanted.words`,
  )
  assert.deepEqual(wrong, [])
}

test('a new invitation is found at once, by each kind of word, and by nothing else', async () => {
  const acme = await world.organization()
  await fillWords(world.database, tenant)
  const email = 'Zora_quill.Feather+news-4242@mail.Müller.test'
  await inviteBy(acme.ann, acme, email)
  const many = Array.from({ length: 100 }, (_, index) => ({ email: `row-${index}@bulk.test` }))
  assert.equal((await acme.ann.post(`${acme.path}/invites/bulk`, { invites: many })).status, 200)

  const one = ['zora_quill.feather+news-4242@mail.xn--mller-kva.test']
  for (const typed of [
    ...['zora', 'ZOR', 'quill', 'quill.fea', 'feather', 'news', '4242', 'mail', 'muller', 'MÜLL', 'mail.mü', 'ｑuill'],
    ...['zora feather', 'feath quil mull', '@mail', '@mail.müller', 'zora_quill.feather+news-4242@', 'zora @mail 4242'],
    ...[email, `${email} quill`],
  ])
    for (const status of ['', 'pending'])
      assert.deepEqual(await found(acme, typed, status ? { status } : {}), one, `${typed} ${status}`)
  for (const typed of [
    'ora',
    'zora bulk',
    '@müller',
    'test',
    'feather@',
    'zora_quill.feather+news-4242@x',
    'ゾラ',
    '-',
    '%',
  ])
    assert.deepEqual(await found(acme, typed), [], typed)
  assert.deepEqual(await found(acme, 'zora', { status: 'revoked' }), [])
  assert.equal((await found(acme, 'bulk row')).length, 100)
  assert.deepEqual(await found(acme, 'row 77'), ['row-77@bulk.test'])
  const { body } = await tess.get(`/api/admin/organizations/${acme.slug}/invites?query=quill`)
  assert.deepEqual(
    body.data.map(({ email }: Json) => email),
    one,
  )
  await checkWords()
})

test('a search finds the invitations of its organization alone, though others have newer ones', async () => {
  const [acme, other, none] = [await world.organization(), await world.organization(), await world.organization()]
  await inviteBy(acme.ann, acme, 'vanessa@acme.test')
  for (const number of [1, 2, 3]) await inviteBy(other.ann, other, `vanessa@acme.test${number}.test`)
  for (const typed of ['vanessa', '@acme', 'vanessa@acme.t']) {
    assert.deepEqual(await found(acme, typed, { limit: '1' }), ['vanessa@acme.test'], typed)
    assert.equal((await found(other, typed, { limit: '1' })).length, 3, typed)
    assert.deepEqual(await found(none, typed, { limit: '1' }), [], typed)
  }
})

test('a search finds the same before and after the words of older code are filled in', async () => {
  const acme = await world.organization()
  const label = fc.stringMatching(/^[a-c]{1,3}(-[a-c]{1,2})?$/)
  const local = fc.stringMatching(/^[a-c]{1,3}('[a-c])?([.+_-][a-c]{1,3}){0,3}$/)
  const address = fc.tuple(local, fc.array(label, { minLength: 1, maxLength: 3 })).map((parts) => ({
    local: parts[0],
    domain: `${parts[1].join('.')}.test`,
  }))
  const [addresses, typed] = [
    fc.sample(address, { numRuns: 200, seed: 40 }),
    fc.sample(address, { numRuns: 30, seed: 41 }),
  ]
  const emails = [...new Set(addresses.map(({ local, domain }) => `${local}@${domain}`))]
  const queries = typed.flatMap(({ local, domain }, index) => {
    const [first, last] = [local.slice(0, 1 + (index % 5)), domain.slice(0, 1 + (index % 7))]
    return [first, last, `${first} ${last}`, `@${last}`, `${local}@`, `${first} @${last}`, `${local}@${last}`]
  })
  const looked = async () => {
    const all: Record<string, string[]> = {}
    for (const each of queries) all[each] = await found(acme, each)
    return all
  }
  await giveInvitations(acme, emails)
  await invite(acme, 'abc@of-this-release.test')
  const before = await looked()
  assert.ok(Object.values(before).flat().length > 1_000)
  assert.ok(before[queries.find((each) => each === 'a') ?? '']?.includes('abc@of-this-release.test'))

  assert.equal(await fillWords(world.database, tenant), emails.length)

  assert.deepEqual(await looked(), before)
  assert.equal(await fillWords(world.database, tenant), 0)
  await checkWords()
})

test('the words of an invitation go with the account of the invited person, and with the invitation', async () => {
  const acme = await world.organization()
  const guest = await world.person('Guest', { email: 'wilhelmina@leaves.test' })
  const { id } = await invite(acme, guest.email)
  assert.deepEqual(await wordsOf(id), [{ word: 'leaves.test' }, { word: 'wilhelmina' }])

  assert.equal((await tess.delete(`/api/admin/users/${guest.id}`)).status, 200)

  assert.deepEqual(await wordsOf(id), [])
  assert.deepEqual(await query('select email, words from invitations where id = $1', [id]), [
    { email: null, words: null },
  ])
  assert.deepEqual(await found(acme, 'wilhelmina'), [])
  const other = await invite(acme, 'stays@leaves.test')
  await acme.ann.delete(acme.path, { confirm: acme.slug })
  assert.deepEqual(await wordsOf(other.id), [])
})

test('what older code erases without its words is no longer found, and the task erases the words', async () => {
  const acme = await world.organization()
  const { id } = await invite(acme, 'ottilie@older.test')
  await query('update invitations set email = null where id = $1', [id])
  assert.deepEqual(await found(acme, 'ottilie'), [])

  assert.equal(await fillWords(world.database, tenant), 1)

  assert.deepEqual(await wordsOf(id), [])
  assert.deepEqual(await found(acme, 'ottilie'), [])
  await checkWords()
})

test('frequent words are found in order, page by page, also those that only the oldest have', async () => {
  const acme = await world.organization()
  // Newest first: 9,000 with one word, 3,000 with the other, and four with both; all ten are of the same minute.
  await query(
    `insert into invitations (tenant_id, id, organization_id, email, role, status, created_at, expires_at)
     select $1, 'inv_' || lpad((n * 7919 % 100003)::text, 26, '0'), $2,
       case when n > 12000 then 'anna+smith.' when n > 9000 then 'smith.' else 'anna.' end || n || '@example.com', 'member',
       case when n % 3000 = 1 then 'revoked' else 'accepted' end,
       '2026-01-01'::timestamptz - make_interval(mins => n / 10), '2026-01-08'
     from generate_series(1, 12004) n`,
    [tenant, acme.id],
  )
  await query('analyze invitations') // foreign keys were planned for few rows
  await fillWords(world.database, tenant)
  const expected = async (condition: string) => {
    const rows = await query<{ email: string }>(
      `select email from invitations where organization_id = $1 and ${condition} order by created_at desc, id desc`,
      [acme.id],
    )
    return rows.map(({ email }) => email)
  }
  const both = await expected(`email like 'anna+smith%'`)
  assert.equal(both.length, 4)
  assert.deepEqual(await found(acme, 'anna smith', { limit: '3' }), both)
  assert.deepEqual(await found(acme, 'smith'), await expected(`email like '%smith%'`))
  assert.deepEqual(await found(acme, 'anna 120'), await expected(`email like 'anna%.120%'`))
  const revoked = await expected(`email like 'anna%' and status = 'revoked'`)
  assert.equal(revoked.length, 4)
  assert.deepEqual(await found(acme, 'anna', { status: 'revoked', limit: '2' }), revoked)
  assert.deepEqual(await found(acme, 'anna 12001', { status: 'revoked' }), revoked.slice(-1))
})
