/** Notices of webhooks: what the hourly task finds, and whom it mails. */
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { holdRow } from '../../../test/holding.ts'
import { queueIsDone } from '../../../test/queue.ts'
import { startSink } from '../../../test/smtp.ts'
import { onStoredWebhooks } from '../../../test/stored-webhooks.ts'
import { createWorld, hurry, type Organization, type Person, password } from '../../../test/world.ts'
import { runEverywhere } from '../../tasks.ts'

const sink = await startSink()
after(() => sink.stop())
const world = await createWorld({
  settings: {
    SMTP_URL: `smtp://127.0.0.1:${sink.port}`,
    MAIL_FROM: 'Guildhall <no-reply@guildhall.example>',
  },
  worker: true,
})
const { query } = world.postgres
const { add, stateOf } = onStoredWebhooks(world)
await query('update tenants set organization_webhooks = true')

const hours = (count: number) => new Date(Date.now() - count * 3_600_000).toISOString()
const missed = { missed_until: '2026-01-31T09:30:00.000Z', missed_told: false }
const failing = (since: string) => ({ status: 'failing', failing_since: since })

/** Subjects of the mails about webhooks to somebody, without the name at their end. */
async function subjectsTo({ email }: Person): Promise<string[]> {
  await hurry(world.postgres)
  await queueIsDone(world.postgres)
  return sink.arrived
    .filter(({ recipients, mail }) => recipients.includes(email) && /webhook/.test(mail.subject ?? ''))
    .map(({ mail }) => `${mail.subject}`.replace(/ Acme \w+/, ''))
    .sort()
}

const tellAll = () => runEverywhere(world, 'tell_of_webhooks')

test('the owners hear once of a webhook that has failed for a day, and of events that it missed', async () => {
  const { ann, ben, id } = await world.organization()
  const of = { organization_id: id, url_set_by: ann.id }
  const long = await add({ ...of, ...failing(hours(25)) })
  const short = await add({ ...of, ...failing(hours(23)) })
  const late = await add({ ...of, ...missed })
  await add(of)

  assert.equal(await tellAll(), 2)
  assert.equal(await tellAll(), 0)

  assert.deepEqual(await subjectsTo(ann), ['A webhook for has missed events', 'A webhook for is failing'])
  assert.deepEqual(await subjectsTo(ben), [])
  const told = async (webhook: string) => {
    const { failing_told, missed_told } = await stateOf(webhook)
    return [failing_told, missed_told]
  }
  assert.deepEqual(
    [await told(long), await told(short), await told(late)],
    [
      [true, true],
      [false, true],
      [false, true],
    ],
  )
})

test('webhooks that send nothing have no notices until they send again', async (t) => {
  const { ann, id } = await world.organization()
  const of = { organization_id: id, url_set_by: ann.id, ...missed }
  const disabled = await add({ ...of, status: 'disabled', disabled_because: 'person' })
  assert.equal(await tellAll(), 0, 'disabled')
  await query('update tenants set organization_webhooks = false')
  t.after(() => query('update tenants set organization_webhooks = true'))
  await add({ ...of, ...failing(hours(30)) })
  assert.equal(await tellAll(), 0, 'paused')

  await query('update tenants set organization_webhooks = true')
  await query(`update webhooks set status = 'active', disabled_because = null where id = $1`, [disabled])
  assert.equal(await tellAll(), 3)
  assert.equal((await subjectsTo(ann)).length, 3)
})

/** Each way in which ben, an admin, loses the right to a webhook whose URL he has set. */
const losses: Readonly<Record<string, (acme: Organization) => Promise<unknown>>> = {
  leaves: ({ ben, path }) => ben.delete(`${path}/members/me`),
  'is removed': ({ ann, path, members }) => ann.delete(`${path}/members/${members.ben.id}`),
  'is demoted': ({ ann, path, members }) => ann.patch(`${path}/members/${members.ben.id}`, { role: 'member' }),
  'is suspended as a member': ({ ann, path, members }) =>
    ann.patch(`${path}/members/${members.ben.id}`, { status: 'suspended' }),
  'is suspended as a user': async ({ ben }) =>
    (await world.tenantAdmin()).patch(`/api/admin/users/${ben.id}`, { status: 'suspended' }),
  'has reached the end of the membership': ({ members }) =>
    query('update memberships set expires_at = now() where id = $1', [members.ben.id]),
  // What the deletion of an account does to the webhooks whose URL the person has set.
  'has deleted their account': ({ id }) =>
    query('update webhooks set url_set_by = null where organization_id = $1', [id]),
}

for (const [name, lose] of Object.entries(losses)) {
  test(`the owners hear once when the person who set the URL ${name}`, async () => {
    const acme = await world.organization()
    const webhook = await add({ organization_id: acme.id, url_set_by: acme.ben.id })
    const anns = await add({ organization_id: acme.id, url_set_by: name.includes('account') ? null : acme.ann.id })
    await query('update webhooks set setter_left = url_set_by is null where id = $1', [anns])
    assert.equal(await tellAll(), 0)

    await lose(acme)
    assert.equal(await tellAll(), 1)
    assert.equal(await tellAll(), 0)

    assert.equal((await stateOf(webhook)).setter_left, true)
    assert.deepEqual(await subjectsTo(acme.ann), ['Check a webhook for'])
    assert.deepEqual(await subjectsTo(acme.ben), [])
  })
}

test('a member has the right by roles with both permissions, and by none with one of them', async () => {
  const tess = await world.tenantAdmin()
  const roles = [
    { key: 'sender', name: 'Sender', permissions: ['webhooks:write'] },
    { key: 'reader', name: 'Reader', permissions: ['events:read'] },
  ]
  assert.equal((await tess.put('/api/admin/access', { permissions: [], roles })).status, 200)
  const { ann, cleo, id, path, members } = await world.organization()
  const webhook = await add({ organization_id: id, url_set_by: cleo.id })
  const grant = async (...keys: string[]) => {
    const grants = keys.map((role) => ({ role, expiresAt: null }))
    assert.equal((await ann.patch(`${path}/members/${members.cleo.id}`, { grants })).status, 200)
  }
  await grant('sender', 'reader')
  assert.equal(await tellAll(), 0)

  await grant('sender')
  assert.equal(await tellAll(), 1)

  await grant('reader', 'sender')
  assert.equal(await tellAll(), 0, 'of a right that is back nobody hears')
  assert.equal((await stateOf(webhook)).setter_left, false)
  assert.deepEqual(await subjectsTo(ann), ['Check a webhook for'])

  await grant('reader')
  assert.equal(await tellAll(), 1, 'if it is lost again, it is a loss')
})

test('the other admins hear when somebody who set the URL of the tenant’s webhook is no admin any more', async () => {
  const [tess, tom] = [await world.tenantAdmin(), await world.tenantAdmin()]
  const { ann } = await world.organization()
  const webhook = await add({ url_set_by: tess.id })
  await add({ url_set_by: tom.id })
  assert.equal(await tellAll(), 0)

  assert.equal((await tom.patch(`/api/admin/users/${tess.id}`, { role: 'user' })).status, 200)
  assert.equal(await tellAll(), 1)

  assert.equal((await stateOf(webhook)).setter_left, true)
  assert.deepEqual(await subjectsTo(tom), ['Check a webhook for Guildhall'])
  for (const other of [tess, ann]) assert.deepEqual(await subjectsTo(other), [])
})

test('a webhook that a person disabled is found when it is enabled after its setter has left', async () => {
  const { ann, ben, id } = await world.organization()
  await ben.delete('/api/users/me', { password })
  const webhook = await add({ organization_id: id, status: 'disabled', disabled_because: 'person' })
  assert.equal(await tellAll(), 0)

  await query(`update webhooks set status = 'active', disabled_because = null where id = $1`, [webhook])
  assert.equal(await tellAll(), 1)
  assert.deepEqual(await subjectsTo(ann), ['Check a webhook for'])
})

test('all webhooks have their notices, however many there are', async () => {
  const { ann, id } = await world.organization()
  await query('update users set email_verified = false where id = $1', [ann.id]) // so that it gets no 251 mails
  const one = await add({ organization_id: id, url_set_by: ann.id, ...missed })
  await query(
    `insert into webhooks (tenant_id, id, organization_id, name, url, url_set_by, place, missed_until, missed_told)
     select tenant_id, id || n, organization_id, name, url, url_set_by, place, missed_until, missed_told
     from webhooks, generate_series(1, 250) n where id = $1`,
    [one],
  )

  assert.equal(await tellAll(), 251)
  assert.deepEqual(await query('select from webhooks where organization_id = $1 and not missed_told', [id]), [])
  const marked = 'select count(*)::int as count from webhooks where organization_id = $1 group by xmin'
  for (const { count } of await query(marked, [id])) assert.ok(count <= 10, `${count} in one transaction`)
})

test('the hourly task waits for nobody: a webhook that is just being changed has its notice the next time', async (t) => {
  const { ann, id } = await world.organization()
  const of = { organization_id: id, url_set_by: ann.id, ...missed }
  const [held] = [await add(of), await add(of)]
  const release = await holdRow(t, world.postgres, 'webhooks', held)

  assert.equal(await tellAll(), 1)
  await release()
  assert.equal(await tellAll(), 1)
})
