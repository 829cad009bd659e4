/** Look-ups of forty tenants that share trips to PostgreSQL: each request is answered as if it were alone. */
import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { Pipeline } from '../src/platform/database/pipeline.ts'
import { startProxy } from './proxy.ts'
import { openPatient } from './timeout.ts'
import { createWorld } from './world.ts'

const world = await createWorld()
const { query, url } = world.postgres

interface Asked {
  readonly path: string
  readonly token: string
}

/** A person with an organization in each of forty tenants, and what each of them asks. */
const tenants = await Promise.all(
  Array.from({ length: 40 }, async () => {
    const { slug } = await world.tenant()
    const ann = await world.person('Ann', { tenant: slug })
    const { body } = await ann.post('/api/organizations', { name: `Acme ${slug}` })
    return { ann, organization: `/api/organizations/${body.id}` }
  }),
)
const ended = await world.person()
await ended.post('/api/auth/sign-out')
// The use of a session is noted after an answer, at most once a minute, and shows in the next one. It is not due meanwhile.
await query(`update sessions set last_active_at = now() + interval '1 hour'`)
await query(`update users set last_active_at = now() + interval '1 hour'`)
await query(`update memberships set last_active_at = now() + interval '1 hour'`)

const asked: Asked[] = tenants.flatMap(({ ann: { token }, organization }, index) => [
  { path: '/api/users/me', token },
  { path: organization, token },
  { path: `${organization}/members/me`, token },
  { path: '/api/users/me/devices', token },
  // Refused: nobody may see the organization of another tenant, and nobody anything with an ended session.
  { path: tenants[(index + 1) % tenants.length]?.organization ?? '', token },
  { path: '/api/users/me', token: ended.token },
])

/** The service behind a proxy that counts the transactions in each write to the database. */
async function serve(t: TestContext) {
  const proxy = await startProxy(Number(new URL(url).port))
  const database = openPatient(url.replace(/:\d+\//, `:${proxy.port}/`))
  const app = await world.otherApp(database)
  t.after(async () => {
    await app.close()
    await database.close()
    proxy.close()
  })
  const get = async ({ path, token }: Asked) => {
    const { statusCode, payload } = await app.inject({ url: path, headers: { authorization: `Bearer ${token}` } })
    // Of a problem, which names the request.
    return `${statusCode} ${payload.replace(/"(requestId|instance)":"[^"]*"/g, '')}`
  }
  const alone: string[] = []
  for (const each of asked) alone.push(await get(each))
  let most = 0
  proxy.inspect = (from, piece) => {
    if (from === 'client') most = Math.max(most, piece.toString('latin1').split('set local').length - 1)
    return 'pass'
  }
  return {
    alone,
    /** All at once, in another order each time. @returns those that were answered otherwise than alone */
    async askAtOnce(round: number): Promise<Asked[]> {
      const turned = asked.map((_, index) => (index * 7 + round * 11) % asked.length)
      const answers = await Promise.all(turned.map((index) => get(asked[index] as Asked)))
      return turned.filter((index, place) => answers[place] !== alone[index]).map((index) => asked[index] as Asked)
    },
    /** The most transactions that one write contained. */
    get most() {
      return most
    },
  }
}

test('of forty tenants that look up at once, each request is answered as if it were alone', async (t) => {
  const service = await serve(t)
  const statuses = [0, 1, 2, 3, 4, 5].map((kind) => service.alone[kind]?.slice(0, 3))
  assert.deepEqual(statuses, ['200', '200', '200', '200', '404', '401'])
  assert.equal(new Set(service.alone.filter((answer) => answer.startsWith('200'))).size, 4 * tenants.length)

  for (let round = 0; round < 10; round++) assert.deepEqual(await service.askAtOnce(round), [])
  assert.ok(service.most > 1, 'they shared trips')
})

test('the comparison finds rows that were handed to the wrong requests', async (t) => {
  const service = await serve(t)
  const handleReadyForQuery = Pipeline.prototype.handleReadyForQuery
  t.mock.method(Pipeline.prototype, 'handleReadyForQuery', function (this: Pipeline) {
    const begins = this.items.flatMap((item, index) =>
      typeof item === 'object' && item.text.startsWith('begin') ? [index] : [],
    )
    // Each gets the rows of the next one.
    if (begins.length > 1) this.rows.push(...this.rows.splice(0, begins[1]))
    handleReadyForQuery.call(this)
  })

  assert.notDeepEqual(await service.askAtOnce(0), [])
})
