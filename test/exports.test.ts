/** Exports: lists as CSV, for those who may read them, whole or visibly cut. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { get, type IncomingMessage } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { type TestContext, test } from 'node:test'
import { doors } from '../src/platform/channels.ts'
import { parseCsv } from './csv.ts'
import { from } from './devices.ts'
import { onRows } from './rows.ts'
import { until } from './smtp.ts'
import { type Answer, type Client, codeOf, createWorld, type Json, type Organization, type Person } from './world.ts'

/** Nobody sends a mail. A service behind a proxy has no mailbox. */
const mail = { SMTP_URL: 'smtp://127.0.0.1:1', MAIL_FROM: 'guildhall@example.com' }
const world = await createWorld({
  settings: { LIMITS: 'on', LIMIT_REQUESTS: '10000/60', TRUST_PROXY: '127.0.0.1', ...mail },
})
const { query } = world.postgres
const { giveMembers } = onRows(world)
const csv = { accept: 'text/csv' }

/** An organization as admins of the tenant reach it. */
const forAdmins = (path: string) => path.replace('/api/', '/api/admin/')

/** The lists of an organization, of the tenant and of a person that are answered as CSV. */
const listsOf = ({ path }: Pick<Organization, 'path'>) => [
  `${path}/members`,
  `${path}/audit`,
  `${forAdmins(path)}/members`,
  '/api/admin/users',
  '/api/admin/audit',
  '/api/users/me/audit',
]

async function readCsv(who: Client, path: string): Promise<Record<string, string>[]> {
  const answer = await who.get(path, csv)
  assert.equal(answer.status, 200, JSON.stringify(answer.body))
  return parseCsv(answer.body)
}

/** The response as it begins. Its body is not read. */
async function open({ headers }: Client, path: string, others = {}): Promise<IncomingMessage> {
  const request = get(world.url + path, { headers: { ...headers, ...csv, ...others }, agent: false })
  const [response] = (await once(request, 'response')) as [IncomingMessage]
  request.on('error', () => {}) // the response has it, too
  return response
}

let made: Promise<Organization> | undefined

/** An organization whose list of members is longer than what connections hold. The tests share it. Its admins are new each time. */
async function huge(): Promise<Organization> {
  made ??= makeHuge()
  const organization = await made
  const [ann, ben] = await Promise.all([world.signIn(organization.ann), world.signIn(organization.ben)])
  return { ...organization, ann, ben }
}

async function makeHuge(): Promise<Organization> {
  const organization = await world.organization()
  await giveMembers(organization.id, Array(10_000).fill('😀'.repeat(100)))
  const [first] = await query<{ id: string }>(
    `select u.id from users u join memberships m on m.tenant_id = u.tenant_id and m.user_id = u.id where m.organization_id = $1 and u.name like '😀%' limit 1`,
    [organization.id],
  )
  await query('update memberships set invited_by = $2 where organization_id = $1', [organization.id, first?.id])
  return organization
}

const endSessions = (person: Person) => query('update sessions set ended_at = now() where user_id = $1', [person.id])

test('each list that is answered as CSV has the lines of its JSON, with the same filters', async () => {
  const { ann, ...organization } = await world.organization()
  const tess = await world.tenantAdmin()
  for (const path of listsOf(organization)) {
    const who = path.includes('/admin/') ? tess : ann
    const { body } = await who.get(`${path}?limit=100`)
    const lines = await readCsv(who, path)
    assert.ok(lines.length > 0)
    assert.deepEqual(
      lines.slice(0, 100).map(({ Id }) => Id),
      body.data.map(({ id }: Json) => id),
      path,
    )
  }
  const idsOf = async (path: string, who: Client = ann) => {
    const { body } = await who.get(path)
    const lines = await readCsv(who, path)
    assert.deepEqual(
      lines.map(({ Id }) => Id),
      body.data.map(({ id }: Json) => id),
    )
    return lines.length
  }
  assert.equal(await idsOf(`${organization.path}/members?role=admin&sort=-name&query=be`), 1)
  assert.equal(await idsOf(`${organization.path}/audit?action=organization.created`), 1)
  assert.equal(await idsOf(`${forAdmins(organization.path)}/members?role=admin&sort=-name&query=be`, tess), 1)
  assert.equal(await idsOf(`/api/admin/users?organizationId=${organization.id}&sort=name`, tess), 3)
  assert.equal(await idsOf(`/api/admin/audit?userId=${ann.id}&action=user.*`, tess), 1)
  const declared = world.app.swagger() as Json
  const answering = Object.entries<Json>(declared.paths).filter(
    ([, { get }]) => get?.responses['200']?.content?.['text/csv'],
  )
  assert.equal(answering.length, listsOf(organization).length, 'these are all')
})

test('the file has a name with the day, the mark of UTF-8, headers in words, and times of RFC 3339', async () => {
  const { ann, path, slug, members } = await world.organization()
  const response = await fetch(`${world.url}${path}/members`, { headers: { ...ann.headers, ...csv } })
  const bytes = Buffer.from(await response.arrayBuffer())
  assert.match(
    response.headers.get('content-disposition') ?? '',
    new RegExp(`^attachment; filename="members-${slug}-\\d{4}-\\d\\d-\\d\\d\\.csv"$`),
  )
  assert.equal(response.headers.get('content-type'), 'text/csv; charset=utf-8; header=present')
  assert.equal(response.headers.get('cache-control'), 'no-store')
  assert.deepEqual([...bytes.subarray(0, 3)], [0xef, 0xbb, 0xbf])
  const [first] = parseCsv(bytes.toString())
  const { joinedAt } = members.ann
  assert.deepEqual(
    [first?.Name, first?.Email, first?.Role, first?.['Joined at'], first?.['Has second factor']],
    ['Ann', ann.email, 'owner', joinedAt, 'false'],
  )
  const head = await fetch(`${world.url}${path}/members`, { method: 'HEAD', headers: { ...ann.headers, ...csv } })
  assert.deepEqual([head.status, head.headers.get('content-type')], [200, 'text/csv; charset=utf-8; header=present'])
})

test('the file of one person’s activity has their id in its name', async () => {
  const [tess, ann] = [await world.tenantAdmin(), await world.person()]
  for (const [query, name] of [
    ['', 'activity-default'],
    [`?userId=${ann.id}`, `activity-${ann.id}-default`],
  ] as const) {
    const { headers } = await tess.get(`/api/admin/audit${query}`, csv)
    assert.match(headers.get('content-disposition') ?? '', new RegExp(`"${name}-[\\d-]{10}\\.csv"$`))
  }
})

test('what people have typed never becomes a formula', async () => {
  const { ann, path, id } = await world.organization()
  const eve = await world.person('=cmd|calc', { email: '+eve@example.com' })
  await world.join(ann, id, eve)
  const lines = await readCsv(ann, `${path}/members?query=${encodeURIComponent('=cmd')}`)
  assert.deepEqual(
    lines.map(({ Name, Email }) => [Name, Email]),
    [["'=cmd|calc", "'+eve@example.com"]],
  )
  const entries = await readCsv(ann, `${path}/audit?action=member.joined`)
  assert.ok(entries.some((entry) => entry['Target name'] === "'=cmd|calc"))
})

test('CSV is what `Accept` prefers, and JSON otherwise', async () => {
  const { ann, path } = await world.organization()
  const typeFor = async (accept: string) =>
    (await ann.get(`${path}/members`, { accept })).headers.get('content-type')?.split(';')[0]
  for (const accept of [
    'text/csv',
    'Text/CSV;header=present',
    'text/csv, */*',
    'application/json;q=0.5, text/csv;q=0.6',
  ])
    assert.equal(await typeFor(accept), 'text/csv', accept)
  for (const accept of [
    '*/*',
    'text/*',
    'text/csv;q=0',
    'text/csv;q=0.4, application/json',
    'application/json, text/csv',
    'text/csv;q=x',
    'text/csvs',
  ])
    assert.equal(await typeFor(accept), 'application/json', accept)
  assert.equal((await ann.get(path, csv)).headers.get('content-type')?.split(';')[0], 'application/json')
})

test('a list as CSV has no pages and no total', async () => {
  const { ann, path } = await world.organization()
  const { body } = await ann.get(`${path}/members?limit=1&cursor=x`, csv)
  assert.deepEqual(
    [body.code, body.errors.map(({ pointer, code }: Json) => [pointer, code])],
    [
      'invalid_request',
      [
        ['?limit', 'not_allowed'],
        ['?cursor', 'not_allowed'],
      ],
    ],
  )
  const tess = await world.tenantAdmin()
  assert.equal((await tess.get('/api/admin/users?includeTotal=true', csv)).status, 400)
})

test('whom a list is refused, its file is refused too', async () => {
  const { ann, cleo, dan, path } = await world.organization()
  const ended = await world.signIn(ann)
  await ended.post('/api/auth/sign-out')
  const codes = async (who: Client, list: string, headers = {}) => codeOf(await who.get(list, headers))
  for (const list of [...listsOf({ path }), `${path}/members?status=all`])
    for (const who of [world.nobody, ended, cleo, dan]) {
      const [asJson, asCsv] = [await codes(who, list), await codes(who, list, csv)]
      assert.deepEqual(asCsv, asJson, list)
    }
  assert.deepEqual(await codes(cleo, `${path}/members?status=all`, csv), [403, 'forbidden'])
  const [asSeenByCleo] = await readCsv(cleo, `${path}/members`)
  assert.deepEqual([asSeenByCleo?.['Has second factor'], asSeenByCleo?.['Last active at']], ['', ''])
})

test('a long list is whole', async () => {
  const { id, ann, path } = await world.organization()
  await giveMembers(id, [...Array.from({ length: 347 }, (_, n) => `Zoe ${n}`), null])
  for (const sort of ['joinedAt', '-name', 'email']) {
    const ids = (await readCsv(ann, `${path}/members?sort=${sort}`)).map(({ Id }) => Id)
    assert.deepEqual([ids.length, new Set(ids).size], [351, 351], sort)
  }
  assert.equal((await readCsv(ann, `${path}/members?query=Zoe%201`)).length, 111)
})

test('when the session ends in the middle, so does the file, visibly', async () => {
  const organization = await huge()
  const { ann, path } = organization
  const response = await open(ann, `${path}/members`)
  await endSessions(ann)
  let text = ''
  await assert.rejects(
    async () => {
      for await (const chunk of response) text += chunk
    },
    { code: 'ECONNRESET' },
  )
  assert.ok(!response.complete && text.split('\r\n').length < 10_000)

  // To HTTP/1.0 an end of the connection would mean that the answer is complete.
  const { ben } = organization
  const socket = connect(Number(new URL(world.url).port), '127.0.0.1')
  let failure: NodeJS.ErrnoException | undefined
  socket.on('error', (error) => {
    failure = error
  })
  const closed = new Promise((resolve) => socket.once('close', resolve))
  const headers = Object.entries({ ...ben.headers, ...csv, host: 'localhost' }).map((header) => header.join(': '))
  socket.write(`GET ${path}/members HTTP/1.0\r\n${headers.join('\r\n')}\r\n\r\n`)
  await once(socket, 'readable')
  await endSessions(ben)
  socket.resume()
  await closed
  assert.equal(failure?.code, 'ECONNRESET')
})

test('when the client goes away, nothing more is read', async () => {
  const { ann, path } = await huge()
  let reads = 0
  let isOver = false
  const count = { start: () => void reads++, end() {}, asyncStart() {}, asyncEnd() {}, error() {} }
  world.app.server.once('request', (_request, response) =>
    response.once('close', () => {
      isOver = true
    }),
  )
  doors.subscribe(count)
  const response = await open(ann, `${path}/members`)
  response.on('error', () => {}) // it is cut
  response.destroy()
  await until(() => isOver, 'the end of the request')
  const readsThen = reads
  await ann.get(path)
  doors.unsubscribe(count)
  assert.ok(readsThen < 90 && reads <= readsThen + 2, `${readsThen} of 100 pages were read, then ${reads}`)
})

test('a caller has one file at a time, until it is sent or its reader goes away', async () => {
  const { ann, ben, path } = await huge()
  const response = await open(ann, `${path}/members`)
  response.on('error', () => {}) // it is cut
  const second = await ann.get('/api/users/me/audit', csv)
  assert.deepEqual(codeOf(second), [503, 'overloaded'])
  assert.ok(Number(second.headers.get('retry-after')) > 0)
  assert.equal((await ben.get('/api/users/me/audit', csv)).status, 200)
  response.destroy()
  await until(async () => (await ann.get('/api/users/me/audit', csv)).status === 200, 'the place of the first')
})

/** Begins files of the members for several people, whose networks are given. The test ends when the places of these are free. */
async function hold(t: TestContext, { path }: Organization, people: readonly Person[], networks: readonly string[]) {
  const held = await Promise.all(people.map((each, n) => open(each, `${path}/members`, from(networks[n] ?? ''))))
  t.after(async () => {
    for (const response of held) response.on('error', () => {}).destroy() // it is cut
    for (const [n, each] of people.entries()) {
      const isFree = async () =>
        (await each.get('/api/users/me/audit', { ...csv, ...from(networks[n] ?? '') })).status === 200
      await until(isFree, 'the places of the files')
    }
  })
  assert.deepEqual(
    held.map(({ statusCode }) => statusCode),
    people.map(() => 200),
  )
}

test('one network takes three files at a time, and leaves places to others', async (t) => {
  const organization = await huge()
  const { ann, ben, cleo, dan } = organization
  const office = '192.0.2.1'
  await hold(t, organization, [ann, ben, cleo], [office, office, office])
  const fourth = await dan.get('/api/users/me/audit', { ...csv, ...from(office) })
  assert.deepEqual(codeOf(fourth), [503, 'overloaded'])
  assert.ok(Number(fourth.headers.get('retry-after')) > 0)
  assert.equal((await dan.get('/api/users/me/audit', { ...csv, ...from('192.0.2.2') })).status, 200)
})

test('one tenant takes five files at a time, and leaves places to others', async (t) => {
  const organization = await huge()
  const { ann, ben, cleo, dan } = organization
  const tenant = await world.tenant()
  const [stranger, ...others] = [
    await world.person('Sue', { tenant: tenant.slug }),
    await world.person(),
    await world.person(),
  ]
  for (const other of others) await world.join(organization.ann, organization.id, other)
  const networks = [1, 2, 3, 4, 5].map((n) => `192.0.2.${n}`)
  await hold(t, organization, [ann, ben, cleo, ...others], networks)
  const elsewhere = { ...csv, ...from('192.0.2.9') }
  const sixth = await dan.get('/api/users/me/audit', elsewhere)
  assert.deepEqual(codeOf(sixth), [503, 'overloaded'])
  assert.ok(Number(sixth.headers.get('retry-after')) > 0)
  assert.equal((await stranger.get('/api/users/me/audit', elsewhere)).status, 200)
})

test('a service that stops waits for no reader', async () => {
  const { ann, path } = await huge()
  const other = await world.otherApp()
  await other.listen({ host: '127.0.0.1', port: 0 })
  const { port } = other.server.address() as AddressInfo
  const request = get({ port, path: `${path}/members`, headers: { ...ann.headers, ...csv }, agent: false })
  request.on('error', () => {}) // the response has it, too
  const [response] = (await once(request, 'response')) as [IncomingMessage]
  await other.close()
  await assert.rejects(response.toArray(), { code: 'ECONNRESET' })
})

test('a person or a key has ten files a minute, of all lists together', async () => {
  const { ann, ben, path } = await world.organization()
  const answers: Answer[] = []
  for (let n = 0; n < 11; n++) answers.push(await ann.get(n % 2 ? `${path}/members` : '/api/users/me/audit', csv))
  assert.deepEqual(
    answers.map(({ status }) => status),
    [...Array(10).fill(200), 429],
  )
  const last = answers.at(-1)
  assert.deepEqual([last?.body.code, last?.body.policy], ['rate_limited', 'exports'])
  assert.equal((await ann.get(`${path}/members`)).status, 200)
  assert.equal((await ben.get(`${path}/members`, csv)).status, 200)
})
