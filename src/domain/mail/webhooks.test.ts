/** Mails about webhooks: who gets them, where, and what they say. */
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { queueIsDone } from '../../../test/queue.ts'
import { startSink } from '../../../test/smtp.ts'
import { createWorld, hurry, type Person } from '../../../test/world.ts'
import { tellOfWebhook, tellOfWebhooks, type WebhookChange } from './webhooks.ts'

const sink = await startSink()
after(() => sink.stop())
const world = await createWorld({
  settings: {
    SMTP_URL: `smtp://127.0.0.1:${sink.port}`,
    MAIL_FROM: 'Guildhall <no-reply@guildhall.example>',
  },
  worker: true,
})

const webhook = { name: 'Nightly Billing', url: 'https://billing.example.com:8443/a-secret-path' }

/** Mails the people of a webhook. */
function tell(
  change: WebhookChange,
  { tenantId = world.tenantId, organizationId = null }: { tenantId?: string; organizationId?: string | null },
): Promise<void> {
  return world.database.inTenant(tenantId, (sql) => tellOfWebhook(sql, world, { ...webhook, organizationId }, change))
}

/** The mails about webhooks that have arrived, as they are read. */
async function mailsTo({ email }: Pick<Person, 'email'>): Promise<{ subject: string; text: string }[]> {
  await hurry(world.postgres)
  await queueIsDone(world.postgres)
  return sink.arrived
    .filter(({ recipients, mail }) => recipients.includes(email) && /webhook/.test(mail.subject ?? ''))
    .map(({ mail: { subject = '', text = '' } }) => ({ subject, text: text.replaceAll('\u2060', '') }))
}

/** Each change, with the subject of its mail and what the mail says. */
const changes: readonly (readonly [WebhookChange, RegExp, RegExp])[] = [
  [
    'added',
    /^A new webhook for /,
    /was added to .* sends events to billing\.example\.com:8443\. .* disable the webhook on the page/,
  ],
  ['url', /^A new URL of a webhook for /, /now sends events to billing\.example\.com:8443\. .* disable the webhook on/],
  ['failing', /^A webhook for .* is failing$/, /failed for a day: .*within five days, .* is disabled\. .* deliveries /],
  ['setter_left', /^Check a webhook for /, /person who set this URL has left, or may no longer .* change the URL or /],
  [
    { disabledBecause: 'failures' },
    /^A webhook for .* was disabled$/,
    /had failed for five days: .* enable the webhook soon/,
  ],
  [{ disabledBecause: 'gone' }, /^A webhook for .* was disabled$/, /answered 410 \(Gone\).* enable the webhook soon/],
  [
    { missedUntil: '2026-01-31T09:30:00.000Z' },
    /^A webhook for .* has missed events$/,
    /missed events up to 31 January 2026 at 09:30 UTC\. .* read everything again\./,
  ],
]

test('all admins of a tenant hear what happens to its webhook, and how to react', async () => {
  const tenant = await world.tenant()
  const [tess, tom] = [await world.tenantAdmin(tenant.slug), await world.tenantAdmin(tenant.slug)]
  const { ann } = await world.organization({ tenant: tenant.slug })
  for (const [change] of changes) await tell(change, { tenantId: tenant.id })

  for (const admin of [tess, tom]) {
    const mails = await mailsTo(admin)
    assert.equal(mails.length, changes.length)
    for (const [change, subject, words] of changes) {
      const mail = mails.find(({ subject: line, text }) => subject.test(line) && words.test(text.replace(/\s+/g, ' ')))
      assert.ok(mail, JSON.stringify(change))
      assert.match(mail.subject, new RegExp(` ${tenant.name}\\b`))
      assert.match(mail.text, /“Nightly Billing”/)
      assert.equal(mail.text.split('\n\n').at(-2), 'You get this email because you are an admin.', 'the note')
      if (typeof change === 'string' || 'disabledBecause' in change)
        assert.match(mail.text, /on the page Administration → Webhooks\b/, 'what to do, and where')
      assert.doesNotMatch(mail.text, /a-secret-path|undefined|null/)
    }
  }
  assert.deepEqual(await mailsTo(ann), [], 'an owner of an organization')
})

test('all owners of an organization hear what happens to its webhook, and nobody else', async () => {
  const { ann, ben, cleo, id, path, members } = await world.organization()
  assert.equal((await ann.patch(`${path}/members/${members.ben.id}`, { role: 'owner' })).status, 200)
  const { name } = (await ann.get(path)).body
  const others = await world.organization()
  const tess = await world.tenantAdmin()
  await tell('added', { organizationId: id })

  for (const owner of [ann, ben]) {
    const [mail, ...more] = await mailsTo(owner)
    assert.equal(mail?.subject, `A new webhook for ${name}`)
    assert.ok(mail.text.includes(`was added to ${name} on Guildhall.`), mail.text)
    assert.match(mail.text, /You get this email because you are an owner\./)
    assert.ok(mail.text.includes(`disable the webhook on the page Webhooks of ${name}.`), mail.text)
    assert.deepEqual(more, [])
  }
  for (const outsider of [cleo, others.ann, tess]) assert.deepEqual(await mailsTo(outsider), [])
})

/** What takes the mails about an organization's webhook from its owner. */
const silences: Readonly<Record<string, string>> = {
  'address is not verified': 'update users set email_verified = false where id = $1',
  'account is suspended': `update users set status = 'suspended' where id = $1`,
}

for (const [name, statement] of Object.entries(silences)) {
  test(`an owner whose ${name} hears of no webhook`, async () => {
    const { ann, ben, id, path, members } = await world.organization()
    assert.equal((await ann.patch(`${path}/members/${members.ben.id}`, { role: 'owner' })).status, 200)
    await world.postgres.query(statement, [ben.id])
    await tell('url', { organizationId: id })

    assert.deepEqual([(await mailsTo(ann)).length, (await mailsTo(ben)).length], [1, 0])
  })
}

test('the mail goes to the address of that moment', async () => {
  const { ann, id } = await world.organization()
  const email = `new-${ann.email}`
  await world.database.inTenant(world.tenantId, async (sql) => {
    await tellOfWebhook(sql, world, { ...webhook, organizationId: id }, 'added')
    await sql`update users set email = ${email} where tenant_id = ${sql.tenant} and id = ${ann.id}`
  })

  assert.deepEqual([(await mailsTo(ann)).length, (await mailsTo({ email })).length], [1, 0])
})

test('the job keeps no address and no name in the clear, and its mail is not sent if the organization is gone', async () => {
  const { ann, id } = await world.organization()
  await world.database.inTenant(world.tenantId, async (sql) => {
    await tellOfWebhook(sql, world, { ...webhook, organizationId: id }, 'added')
    const [waiting] = await sql<{ jobs: string }>`
      select jobs::text as jobs from outbox where tenant_id = ${sql.tenant} and jobs::text like '%webhook_changed%'`
    assert.ok(waiting?.jobs.includes(ann.id))
    assert.doesNotMatch(`${waiting?.jobs}`, /Nightly|billing\.example|@/)
    await sql`delete from organizations where tenant_id = ${sql.tenant} and id = ${id}`
  })

  assert.deepEqual(await mailsTo(ann), [])
})

test('everybody is mailed, however many there are', async () => {
  const [large, small] = [await world.organization(), await world.organization()]
  const tess = await world.tenantAdmin()
  const { tenantId: tenant, postgres } = world
  await postgres.query(
    `with people as (
       insert into users (tenant_id, id, email, email_verified)
       select $1, 'user_' || lpad(n::text, 26, '0'), n || '@example.org', true from generate_series(1, 10000) n
       returning id)
     insert into memberships (tenant_id, id, organization_id, user_id, role)
     select $1, 'mem_' || right(id, 26), $2, id, 'owner' from people`,
    [tenant, large.id],
  )
  await postgres.query('analyze users, memberships')
  const owners = [large.id, small.id, null]
  // Nothing is committed: these mails need not be sent.
  const undo = new Error('undo')
  await assert.rejects(
    world.database.inTenant(tenant, async (sql) => {
      await tellOfWebhooks(
        sql,
        world,
        owners.map((organizationId) => ({ webhook: { ...webhook, organizationId }, change: 'failing' })),
      )
      const mailed = await sql<{ userId: string; organizationId: string | null }>`
        select job #>> '{payload,userId}' as user_id, job #>> '{payload,organizationId}' as organization_id
        from outbox o
        cross join lateral jsonb_array_elements(o.jobs) job
        where o.tenant_id = ${tenant} and job #>> '{payload,kind}' = 'webhook_changed'`
      const of = (owner: string | null) =>
        mailed.filter(({ organizationId }) => organizationId === owner).map(({ userId }) => userId)
      assert.equal(new Set(of(large.id)).size, 10_001)
      assert.deepEqual(of(small.id), [small.ann.id])
      assert.ok(of(null).includes(tess.id))
      assert.equal(new Set(mailed.map((mail) => JSON.stringify(mail))).size, mailed.length, 'each once')
      throw undo
    }),
    undo,
  )
})
