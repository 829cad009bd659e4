import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Answer, createWorld } from '../../../test/world.ts'

const world = await createWorld({ processes: 2, settings: { LIMITS: 'on', LIMIT_INVITES: '10/3600' } })
const { query } = world.postgres
let guests = 0
const guest = () => `guest-${guests++}@example.com`
const outcome = ({ status, body }: Answer) => [status, body.code, body.policy]

test('an inviter has one limit of invitations across all organizations, and sees how many are left', async () => {
  const ann = await world.person()
  const paths: string[] = []
  for (let number = 0; number < 2; number++) {
    const { body } = await ann.post('/api/organizations', { name: `Acme ${number}` })
    paths.push(`/api/organizations/${body.id}/invites`)
  }
  for (let sent = 0; sent < 10; sent++) {
    const { status, headers } = await ann.post(paths[sent % 2] ?? '', { email: guest() })
    assert.equal(status, 201)
    assert.match(
      headers.get('ratelimit-policy') ?? '',
      /, "inviter";q=10;w=3600, "organization";q=10;w=3600, "network";q=25;w=3600$/,
    )
    assert.match(
      headers.get('ratelimit') ?? '',
      new RegExp(`, "inviter";r=${9 - sent};t=3\\d{3}, "organization";r=\\d+;t=\\d+, "network"`),
    )
  }
  const refused = await ann.post(paths[0] ?? '', { email: guest() })
  assert.deepEqual(outcome(refused), [429, 'rate_limited', 'inviter'])
  assert.ok(Number(refused.headers.get('retry-after')) > 3000)
  assert.equal((await ann.get(paths[0] ?? '')).body.data.length, 5, 'nothing was made')
  await query('delete from rates')
})

test('an inviter with an unverified address has a tenth of the limit', async () => {
  const ann = await world.person('Ann', { verified: false })
  const { body } = await ann.post('/api/organizations', { name: 'Acme' })
  const path = `/api/organizations/${body.id}/invites`
  assert.equal((await ann.post(path, { email: guest() })).status, 201)
  assert.deepEqual(outcome(await ann.post(path, { email: guest() })), [429, 'rate_limited', 'inviter'])
  await query('delete from rates')
})

test('a person sends no more invitations by keys than by sessions', async () => {
  await query('update tenants set personal_keys = true')
  const ann = await world.person('Ann', { verified: false })
  const { body } = await ann.post('/api/organizations', { name: 'Acme' })
  const path = `/api/organizations/${body.id}/invites`
  assert.equal((await ann.post(path, { email: guest() })).status, 201)
  for (let number = 0; number < 2; number++) {
    const key = await world.key(['invitations:write'], { person: ann })
    assert.deepEqual(outcome(await key.post(path, { email: guest() })), [429, 'rate_limited', 'inviter'])
  }
  await query('delete from rates')
})

test('an organization has one limit, however many admins it has', async () => {
  const { ann, ben, path } = await world.organization()
  await query('delete from rates')
  const answers: Answer[] = []
  for (let sent = 0; sent < 11; sent++)
    answers.push(await (sent % 2 ? ann : ben).post(`${path}/invites`, { email: guest() }))
  assert.deepEqual(
    answers.map(({ status }) => status),
    [...Array.from({ length: 10 }, () => 201), 429],
  )
  assert.equal(answers.at(-1)?.body.policy, 'organization')
  await query('delete from rates')
})

test('one address gets five invitations, from all inviters together, and no inviter learns the count', async () => {
  const email = guest()
  for (let sent = 0; sent < 5; sent++) {
    const ann = await world.person()
    const { body } = await ann.post('/api/organizations', { name: 'Acme' })
    const { status, headers } = await ann.post(`/api/organizations/${body.id}/invites`, { email })
    assert.equal(status, 201)
    assert.doesNotMatch(headers.get('ratelimit') ?? '', /recipient/)
  }
  const { ann, path } = await world.organization()
  const refused = await ann.post(`${path}/invites`, { email })
  assert.deepEqual(outcome(refused), [429, 'rate_limited', 'recipient'])
  assert.match(
    refused.headers.get('ratelimit-policy') ?? '',
    /, "recipient";q=5;w=3600$/,
    'the answer describes the policy that it names',
  )
  await query('delete from rates')
})

test('a refusal does not count for the shared limits of organization and network', async () => {
  const ann = await world.person('Ann', { verified: false })
  const { ann: olga, path } = await world.organization()
  await query('delete from rates')
  const { body } = await ann.post('/api/organizations', { name: 'Acme' })
  const statuses: number[] = []
  for (let sent = 0; sent < 30; sent++)
    statuses.push((await ann.post(`/api/organizations/${body.id}/invites`, { email: guest() })).status)
  assert.deepEqual(statuses, [201, ...Array.from({ length: 29 }, () => 429)])
  const { headers, status } = await olga.post(`${path}/invites`, { email: guest() })
  assert.equal(status, 201)
  assert.match(headers.get('ratelimit') ?? '', /"network";r=23;/)
  await query('delete from rates')
})

test('if one rate refuses, the count is taken back from the rates that were checked before', async () => {
  const { ann, path } = await world.organization()
  await query('delete from rates')
  const { body } = await ann.post(`${path}/invites`, { email: guest() })
  const counts = () => query<{ points: number }>('select points from rates order by key')
  for (const policy of ['organization', 'network', 'recipient']) {
    const set = (points: number) =>
      query('update rates set points = $2 where starts_with(key, $1)', [`${policy}:`, points])
    await set(100)
    assert.deepEqual(outcome(await ann.post(`${path}/invites/${body.id}/resend`)), [429, 'rate_limited', policy])
    await set(1)
    assert.deepEqual(
      (await counts()).map(({ points }) => points),
      [1, 1, 1, 1],
      policy,
    )
  }
  await query('delete from rates')
})

test('invitations count no more that were counted while the clock of the database was ahead', async () => {
  const { ann, path } = await world.organization()
  await query('delete from rates')
  const { body } = await ann.post(`${path}/invites`, { email: guest() })
  const resend = () => ann.post(`${path}/invites/${body.id}/resend`)
  await query('update rates set points = 100')
  assert.deepEqual(outcome(await resend()), [429, 'rate_limited', 'inviter'])
  await query('update rates set expire = expire + 86400 * 1000')
  const sent = await resend()
  assert.equal(sent.status, 200)
  assert.match(sent.headers.get('ratelimit') ?? '', /"inviter";r=9;t=3[56]\d\d, "organization";r=\d+;/)
  await query('delete from rates')
})

test('a refusal does not extend the wait: the window runs from the first invitation', async () => {
  const { ann, path } = await world.organization()
  await query('delete from rates')
  const { body } = await ann.post(`${path}/invites`, { email: guest() })
  const resend = () => ann.post(`${path}/invites/${body.id}/resend`)
  await query('update rates set points = 100, expire = expire - 1800 * 1000')
  for (let times = 0; times < 2; times++) {
    const refused = await resend()
    assert.deepEqual(outcome(refused), [429, 'rate_limited', 'inviter'])
    assert.ok(Number(refused.headers.get('retry-after')) <= 1800)
  }
  await query('update rates set expire = expire - 1800 * 1000')
  const sent = await resend()
  assert.equal(sent.status, 200)
  assert.match(sent.headers.get('ratelimit') ?? '', /"inviter";r=9;t=3[56]\d\d, "organization";r=9;/)
  await query('delete from rates')
})

test('an address that has its limit of invitations from one tenant can be invited by another', async () => {
  const { slug } = await world.tenant()
  const [here, there] = [await world.organization(), await world.organization({ tenant: slug })]
  await query('delete from rates')
  const email = guest()
  const { body } = await here.ann.post(`${here.path}/invites`, { email })
  await query(`update rates set points = 5 where starts_with(key, 'recipient:')`)
  const refused = await here.ann.post(`${here.path}/invites/${body.id}/resend`)
  assert.deepEqual(outcome(refused), [429, 'rate_limited', 'recipient'])
  assert.equal((await there.ann.post(`${there.path}/invites`, { email })).status, 201)
  await query('delete from rates')
})

test('a network is counted across all tenants', async () => {
  const { slug } = await world.tenant()
  const [here, there] = [await world.organization(), await world.organization({ tenant: slug })]
  await query('delete from rates')
  for (const [{ ann, path }, left] of [
    [here, 24],
    [there, 23],
  ] as const) {
    const { headers } = await ann.post(`${path}/invites`, { email: guest() })
    assert.match(headers.get('ratelimit') ?? '', new RegExp(`"network";r=${left};`))
  }
  await query('delete from rates')
})

test('resending counts like sending', async () => {
  const { ann, path } = await world.organization()
  await query('delete from rates')
  const { body } = await ann.post(`${path}/invites`, { email: guest() })
  for (let sent = 1; sent < 5; sent++) assert.equal((await ann.post(`${path}/invites/${body.id}/resend`)).status, 200)
  assert.deepEqual(outcome(await ann.post(`${path}/invites/${body.id}/resend`)), [429, 'rate_limited', 'recipient'])
  await query('delete from rates')
})

test('concurrent invitations cannot exceed the limit, and several processes count together', async () => {
  const { ann, id, path } = await world.organization()
  await query('delete from rates')
  const other = await world.otherApp()
  const elsewhere = async () => {
    const { statusCode } = await other.inject({
      method: 'POST',
      url: `/api/organizations/${id}/invites`,
      headers: ann.headers,
      payload: { email: guest() },
    })
    return statusCode
  }
  const here = async () => (await ann.post(`${path}/invites`, { email: guest() })).status
  const statuses = await Promise.all(Array.from({ length: 24 }, (_, index) => (index % 2 ? here() : elsewhere())))
  await other.close()
  assert.equal(statuses.filter((status) => status === 201).length, 10)
  assert.equal(statuses.filter((status) => status === 429).length, 14)
  await query('delete from rates')
})

test('a caller who may not invite is refused for that, and nothing is counted', async () => {
  const { cleo, dan, path } = await world.organization()
  await query('delete from rates')
  for (const [who, status] of [
    [cleo, 403],
    [dan, 404],
    [world.nobody, 401],
  ] as const) {
    const answer = await who.post(`${path}/invites`, { email: guest() })
    assert.equal(answer.status, status)
    assert.doesNotMatch(answer.headers.get('ratelimit') ?? '', /inviter|organization|recipient/)
  }
  assert.deepEqual(await query('select from rates'), [])
})

test('the counts reveal no address, id or network', async () => {
  const { ann, id, path } = await world.organization()
  const email = guest()
  await ann.post(`${path}/invites`, { email })
  const kept = JSON.stringify(await query('select * from rates'))
  assert.match(kept, /recipient/)
  for (const text of [email, ann.id, ann.email, id, '127.0.0.1']) assert.ok(!kept.includes(text), text)
})

test('an invitation that is not sent is not counted', async () => {
  const { ann, path, ben } = await world.organization()
  const eve = await world.person('Eve')
  const email = guest()
  await ann.post(`${path}/invites`, { email })
  await query('delete from rates')
  for (let times = 0; times < 6; times++) {
    assert.equal((await ann.post(`${path}/invites`, { email })).body.code, 'already_invited')
    assert.equal((await ann.post(`${path}/invites`, { email: ben.email })).body.code, 'already_a_member')
  }
  const { body } = await eve.post('/api/organizations', { name: 'Other' })
  assert.ok(body.id)
  assert.deepEqual(await query('select from rates where points <> 0'), [])
})
