/** Ends by the clock: only PostgreSQL's clock moves. No row is changed by hand, and no task runs. */
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { startMovedPostgres, withoutClock } from '../../../test/moved-clock.ts'
import { type Answer, codeOf, createWorld, type Json } from '../../../test/world.ts'
import { statement } from '../../platform/database/database.ts'

const opened = withoutClock ? undefined : await open()

async function open() {
  const { move, stop } = await startMovedPostgres()
  const world = await createWorld()
  after(stop)
  const tess = await world.tenantAdmin()
  const role = (key: string, ...permissions: string[]) => ({ key, name: key, permissions })
  const roles = [role('manager', 'invitations:write'), role('auditor', 'audit:read')]
  assert.equal((await tess.put('/api/admin/access', { permissions: [], roles })).status, 200)
  return { world, move }
}

/** Seconds by which the clock is ahead. */
let ahead = 0

/** A test that moves the clock: `pass` moves it forward, and `inSeconds` returns a later time of that clock. */
function clockTest(
  name: string,
  body: (
    parts: NonNullable<typeof opened> & {
      pass: (seconds: number) => Promise<void>
      inSeconds: (seconds: number) => string
    },
  ) => Promise<void>,
): void {
  test(name, { skip: withoutClock }, async () => {
    assert.ok(opened)
    await body({
      ...opened,
      pass: async (seconds) => {
        ahead += seconds
        await opened.move(ahead)
        const [row] = await opened.world.postgres.query<{ now: Date }>('select statement_timestamp() as now')
        const far = (row?.now.getTime() ?? 0) - Date.now() - ahead * 1000
        assert.ok(Math.abs(far) < 30_000, `the clock is ${far} ms away from where it should be`)
      },
      inSeconds: (seconds) => new Date(Date.now() + (ahead + seconds) * 1000).toISOString(),
    })
  })
}

clockTest('a grant, then the membership end between two requests, on every page that shows them', async (parts) => {
  const { world, pass, inSeconds } = parts
  const { ann, cleo, path, id, members } = await world.organization()
  const changed = await ann.patch(`${path}/members/${members.cleo.id}`, {
    grants: [{ role: 'auditor', expiresAt: inSeconds(300) }],
    expiresAt: inSeconds(600),
  })
  assert.equal(changed.status, 200)
  const check = async () =>
    (await cleo.post('/api/check', { checks: [{ organizationId: id, permission: 'audit:read' }] })).body.results[0]
  assert.equal((await cleo.get(`${path}/audit`)).status, 200)
  assert.equal((await check()).allowed, true)

  await pass(400)
  assert.deepEqual(codeOf(await cleo.get(`${path}/audit`)), [403, 'forbidden'])
  assert.deepEqual(await check(), { allowed: false, reason: 'not_granted' })
  assert.deepEqual((await cleo.get(`${path}/members/me`)).body.roles, ['member'])
  assert.equal((await cleo.get(path)).status, 200)

  await pass(300)
  assert.deepEqual(codeOf(await cleo.get(path)), [404, 'not_found'])
  assert.deepEqual(await check(), { allowed: false, reason: 'not_a_member' })
  assert.deepEqual((await cleo.get('/api/organizations')).body.data, [])
  const listed = (await ann.get(`${path}/members?status=all`)).body.data.map(({ user }: Json) => user.name)
  assert.deepEqual(listed.sort(), ['Ann', 'Ben'])
})

clockTest('offers are dead at the moment at which the grant of their maker ends', async (parts) => {
  const { world, pass, inSeconds } = parts
  const { ann, cleo, dan, path, members } = await world.organization()
  const grants = [{ role: 'manager', expiresAt: inSeconds(300) }]
  const until = { memberExpiresAt: inSeconds(800) } // nobody outlasts who invited them
  assert.equal(
    (await ann.patch(`${path}/members/${members.cleo.id}`, { grants, expiresAt: inSeconds(900) })).status,
    200,
  )
  const { body: invitation } = await cleo.post(`${path}/invites`, { email: dan.email, ...until })
  const { body: link } = await cleo.post(`${path}/links`, until)
  const token = link.url.split('#token=')[1]
  assert.equal((await dan.post('/api/links/preview', { token })).status, 200)

  await pass(150)
  assert.equal((await dan.post('/api/links/preview', { token })).status, 200)

  await pass(160)
  assert.deepEqual(codeOf(await dan.post('/api/links/preview', { token })), [410, 'link_ended'])
  assert.deepEqual(codeOf(await dan.post('/api/links/join', { token })), [410, 'link_ended'])
  const accepted = await dan.post(`/api/invites/${invitation.id}/accept`)
  assert.deepEqual(codeOf(accepted), [410, 'invitation_revoked'])
  assert.deepEqual((await dan.get('/api/organizations')).body.data, [])
})

clockTest('an invitation that expires while its acceptance waits for a lock is not accepted', async (parts) => {
  const { world, pass } = parts
  const { ann, dan, id, path } = await world.organization()
  const { body: invitation } = await ann.post(`${path}/invites`, { email: dan.email, expiresInDays: 1 })
  await pass(86_400 - 20)
  const [waiting] = await world.database.inTenant(world.tenantId, async (sql) => {
    await sql`select from organizations where tenant_id = ${sql.tenant} and id = ${id} for no key update`
    const sent = dan.post(`/api/invites/${invitation.id}/accept`)
    await world.postgres.awaitLine(1)
    await pass(30)
    return [sent]
  })
  assert.deepEqual(codeOf(await (waiting as Promise<Answer>)), [410, 'invitation_expired'])
})

clockTest('a membership that ends while a request waits for a lock is over when the request goes on', async (parts) => {
  const { world, pass, inSeconds } = parts
  const { ann, ben, id, path, members } = await world.organization()
  assert.equal((await ann.patch(`${path}/members/${members.ben.id}`, { expiresAt: inSeconds(120) })).status, 200)
  await pass(100)
  const [waiting] = await world.database.inTenant(world.tenantId, async (sql) => {
    await sql`select from organizations where tenant_id = ${sql.tenant} and id = ${id} for no key update`
    const sent = ben.patch(path, { name: 'Too late' })
    await world.postgres.awaitLine(1)
    await pass(30) // less than the limit of a statement, which PostgreSQL measures by the same clock
    return [sent]
  })
  assert.deepEqual(codeOf(await (waiting as Promise<Answer>)), [404, 'not_found'])
  assert.notEqual((await ann.get(path)).body.name, 'Too late')
})

clockTest(
  'a grant that ends while a request waits for a lock gives nothing when the request goes on',
  async (parts) => {
    const { world, pass, inSeconds } = parts
    const { cleo, dan, id, path, members, ann } = await world.organization()
    const grants = [{ role: 'manager', expiresAt: inSeconds(120) }]
    assert.equal((await ann.patch(`${path}/members/${members.cleo.id}`, { grants })).status, 200)
    const invite = () => cleo.post(`${path}/invites`, { email: dan.email })
    await pass(100)
    const [waiting] = await world.database.inTenant(world.tenantId, async (sql) => {
      await sql`select from organizations where tenant_id = ${sql.tenant} and id = ${id} for no key update`
      const sent = invite()
      await world.postgres.awaitLine(1)
      await pass(30)
      return [sent]
    })
    assert.deepEqual(codeOf(await (waiting as Promise<Answer>)), [403, 'forbidden'])
    assert.deepEqual((await dan.get('/api/users/me/invites')).body.data, [])
  },
)

clockTest('offers die with the grant of their maker while an acceptance or joining waits for a lock', async (parts) => {
  const { world, pass, inSeconds } = parts
  const { ann, cleo, dan, id, path, members } = await world.organization()
  const eve = await world.person('Eve')
  const grants = [{ role: 'manager', expiresAt: inSeconds(120) }]
  assert.equal((await ann.patch(`${path}/members/${members.cleo.id}`, { grants })).status, 200)
  const { body: invitation } = await cleo.post(`${path}/invites`, { email: dan.email })
  const { body: link } = await cleo.post(`${path}/links`, {})
  const token = link.url.split('#token=')[1]
  await pass(100)
  const sent = await world.database.inTenant(world.tenantId, async (sql) => {
    await sql`select from organizations where tenant_id = ${sql.tenant} and id = ${id} for no key update`
    const accepting = dan.post(`/api/invites/${invitation.id}/accept`)
    await world.postgres.awaitLine(1)
    const joining = eve.post('/api/links/join', { token })
    await pass(30)
    return [accepting, joining]
  })
  const [accepted, joined] = await Promise.all(sent)
  assert.deepEqual(codeOf(accepted as Answer), [410, 'invitation_revoked'])
  assert.deepEqual(codeOf(joined as Answer), [410, 'link_ended'])
  assert.equal((await ann.get(path)).body.memberCount, 3)
})

clockTest('an end is judged by the clock that will end it', async (parts) => {
  const { world, pass } = parts
  await pass(400)
  const tess = await world.tenantAdmin()
  const { ann, dan, id, path, members } = await world.organization()
  const passed = new Date(Date.now() + 120_000).toISOString() // by the clock of this process in two minutes
  const answers = [
    await ann.patch(`${path}/members/${members.cleo.id}`, { expiresAt: passed }),
    await ann.patch(`${path}/members/${members.cleo.id}`, { grants: [{ role: 'manager', expiresAt: passed }] }),
    await ann.post(`${path}/invites`, { email: dan.email, memberExpiresAt: passed }),
    await ann.post(`${path}/links`, { memberExpiresAt: passed }),
    await tess.post(`/api/admin/organizations/${id}/members`, { userId: dan.id, expiresAt: passed }),
  ]
  assert.deepEqual(
    answers.map(({ status, body }) => [status, body.errors?.[0]?.code]),
    answers.map(() => [400, 'out_of_range']),
  )
  assert.equal((await ann.get(path)).body.memberCount, 3)
})

clockTest(
  'an invitation is not sent again after the end of its membership, and a grant that has ended is not given',
  async (parts) => {
    const { world, pass, inSeconds } = parts
    await pass(400)
    const { ann, dan, path } = await world.organization()
    const eve = await world.person('Eve')
    const grants = [{ role: 'manager', expiresAt: inSeconds(100) }]
    const { body: over } = await ann.post(`${path}/invites`, { email: dan.email, memberExpiresAt: inSeconds(100) })
    const { body: invitation } = await ann.post(`${path}/invites`, { email: eve.email, grants })
    await pass(150)

    assert.deepEqual(codeOf(await ann.post(`${path}/invites/${over.id}/resend`)), [409, 'invitation_not_pending'])
    assert.equal((await eve.post(`/api/invites/${invitation.id}/accept`)).status, 200)
    const [joined] = (await ann.get(`${path}/audit?action=member.joined`)).body.data
    assert.deepEqual(joined.details, { role: 'member', via: 'invitation' })
  },
)

clockTest('somebody whose membership ends while they join is answered as a moment later', async (parts) => {
  const { world, pass, inSeconds } = parts
  const { ann, dan, path } = await world.organization()
  const eve = await world.person('Eve')
  for (const [way, table, code] of [
    ['accept', statement`invitations`, 'invitation_used'],
    ['join', statement`links`, 'link_ended'],
  ] as const) {
    const until = { memberExpiresAt: inSeconds(120) }
    const { body: invitation } = await ann.post(`${path}/invites`, { email: dan.email, ...until })
    const { body: link } = await ann.post(`${path}/links`, until)
    await pass(100)
    const [waiting] = await world.database.inTenant(world.tenantId, async (sql) => {
      await sql`lock table ${table} in share mode` // they are read, but not yet written
      const sent =
        way === 'accept'
          ? dan.post(`/api/invites/${invitation.id}/accept`)
          : eve.post('/api/links/join', { token: link.url.split('#token=')[1] })
      await world.postgres.awaitLine(1)
      await pass(30)
      return [sent]
    })
    assert.deepEqual(codeOf(await (waiting as Promise<Answer>)), [410, code])
  }
  assert.equal((await ann.get(path)).status, 200)
})
