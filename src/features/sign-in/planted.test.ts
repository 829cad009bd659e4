/** Planted: what a stranger leaves in organizations and in the tenant goes when the owner of the mailbox gets the account. */
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { test } from 'node:test'
import { offerKeys, requestKey } from '../../../test/key-requests.ts'
import { makeLink } from '../../../test/membership-requests.ts'
import { meetAt, statuses } from '../../../test/races.ts'
import { continueWith, mailedCodeOf } from '../../../test/sign-in.ts'
import { until } from '../../../test/smtp.ts'
import { offerWebhooks, requestWebhook } from '../../../test/webhook-requests.ts'
import { type Answer, Client, codeOf, createWorld, type Json, type Person, password } from '../../../test/world.ts'
import { makeMailedToken } from '../../domain/access/tokens.ts'
import { newId } from '../../platform/http/schemas.ts'

const world = await createWorld({ processes: 4 })
const { query } = world.postgres
const { tenantId: tenant } = world
await offerKeys(world)
await offerWebhooks(world)
await query('update tenants set mail_codes = true where id = $1', [tenant])

const newPassword = 'another long passphrase'
const stranger = () =>
  world.person('Mal', { verified: false, email: `victim-${randomBytes(5).toString('hex')}@example.com` })

/** Each way in which the owner of the mailbox gets an account that somebody else has made. Its last request is sent later. */
const ways: Readonly<Record<string, (person: Person) => Promise<() => Promise<Answer>>>> = {
  'a reset of the password': async ({ id, email }) => {
    await query(
      `insert into mailed_tokens (tenant_id, user_id, purpose, generation, email, expires_at)
       values ($1, $2, 'reset_password', 1, $3, now() + interval '1 hour')`,
      [tenant, id, email],
    )
    const token = makeMailedToken(world.keyring, 'reset_password', { tenant, id, generation: 1 })
    return () => world.nobody.post('/api/auth/reset-password', { token, newPassword })
  },
  'a mailed code': async ({ email }) => {
    const { body } = await world.nobody.post('/api/auth/sign-in/mail-code', { email })
    const mailCode = await mailedCodeOf(world, body.attempt.token)
    return () => continueWith(world, body.attempt.token, { mailCode })
  },
}

const program = (secret: string) => new Client(world, { authorization: `Bearer ${secret}` })
const invite = (person: Person, path: string, email: string) =>
  person.post(`${path}/invites`, { email, role: 'owner', mail: false, expiresInDays: 30 })
const webhookNow = async ({ id }: Json) => {
  const [row] = await query('select status, disabled_because, moves from webhooks where id = $1', [id])
  return row
}

for (const [name, prove] of Object.entries(ways)) {
  test(`${name} takes from an unverified account what its maker planted in organizations`, async () => {
    const [mal, accomplice] = [await stranger(), await world.person('Eve')]
    const { body: organization } = await mal.post('/api/organizations', { name: 'Victim Inc.' })
    const path = `/api/organizations/${organization.id}`
    const { body: invitation } = await invite(mal, path, accomplice.email)
    const link = await makeLink(mal, organization.id)
    const { key, secret } = await requestKey(mal, `${path}/keys`)
    const { webhook } = await requestWebhook(mal, `${path}/webhooks`)
    assert.equal((await program(secret).get(`${path}/members`)).status, 200)

    assert.equal((await (await prove(mal))()).status, 200)

    assert.deepEqual(codeOf(await accomplice.post(`/api/invites/${invitation.id}/accept`)), [410, 'invitation_revoked'])
    assert.deepEqual(codeOf(await accomplice.post('/api/links/join', { token: link.token })), [410, 'link_ended'])
    assert.deepEqual(codeOf(await program(secret).get(`${path}/members`)), [401, 'unauthenticated'])
    assert.deepEqual(await webhookNow(webhook), { status: 'disabled', disabled_because: 'person', moves: 1 })
    const tess = await world.tenantAdmin()
    const { body } = await tess.get(`/api/admin/audit?organizationId=${organization.id}`)
    const told = Object.fromEntries(
      body.data.map(({ action, target, details }: Json) => [action, [target.id, details]]),
    )
    assert.deepEqual(
      ['invitation.revoked', 'link.ended', 'key.ended', 'webhook.disabled'].map((action) => told[action]),
      [
        [invitation.id, { cause: 'inviter_reset' }],
        [link.id, { reason: 'maker', cause: 'inviter_reset' }],
        [key.id, { reason: 'reset' }],
        [webhook.id, { status: { from: 'active', to: 'disabled' } }],
      ],
    )
  })

  test(`${name} takes from an unverified admin what they planted in the tenant, and in organizations of others`, async () => {
    const [mal, accomplice] = [await stranger(), await world.person('Eve')]
    await query(`update users set role = 'admin' where id = $1`, [mal.id])
    const { ann, id, path } = await world.organization()
    const { body: invitation } = await invite(mal, `/api/admin/organizations/${id}`, accomplice.email)
    const { body: anns } = await ann.post(`${path}/invites`, { email: `else-${accomplice.email}` })
    const { secret } = await requestKey(mal, '/api/admin/keys', { scopes: ['users:read'] })
    const { webhook } = await requestWebhook(mal, '/api/admin/webhooks')
    const { webhook: other } = await requestWebhook(ann, `${path}/webhooks`)

    assert.equal((await (await prove(mal))()).status, 200)

    assert.deepEqual(codeOf(await accomplice.post(`/api/invites/${invitation.id}/accept`)), [410, 'invitation_revoked'])
    assert.deepEqual(codeOf(await program(secret).get('/api/admin/users')), [401, 'unauthenticated'])
    assert.equal((await webhookNow(webhook))?.status, 'disabled')
    assert.equal((await webhookNow(other))?.status, 'active')
    assert.equal((await ann.get(`${path}/invites/${anns.id}`)).body.status, 'pending')
  })

  test(`an invitation that is accepted while ${name} is waited for is refused`, async () => {
    const [mal, accomplice] = [await stranger(), await world.person('Eve')]
    const { body: organization } = await mal.post('/api/organizations', { name: 'Victim Inc.' })
    const { body: invitation } = await invite(mal, `/api/organizations/${organization.id}`, accomplice.email)
    const rescue = await prove(mal)

    const [rescued, accepted] = await meetAt(
      world,
      (sql) => sql`select from organizations where tenant_id = ${tenant} and id = ${organization.id} for no key update`,
      [rescue, () => accomplice.post(`/api/invites/${invitation.id}/accept`)],
    )

    assert.equal(rescued?.status, 200)
    assert.deepEqual(accepted && codeOf(accepted), [410, 'invitation_revoked'])
  })

  test(`whatever a stranger plants at the moment of ${name}, nothing of it lives`, async () => {
    const mal = await stranger()
    const rescue = await prove(mal)
    const plant = async (): Promise<Answer[]> => {
      const made = await mal.post('/api/organizations', { name: 'Victim Inc.' })
      if (made.status !== 201) return [made]
      const path = `/api/organizations/${made.body.id}`
      return [
        await invite(mal, path, `eve-${randomBytes(5).toString('hex')}@example.com`),
        await mal.post(`${path}/links`, {}),
        await mal.post(`${path}/keys`, { name: 'Import', scopes: ['members:read'] }),
        await mal.post(`${path}/webhooks`, { name: 'Export', url: 'https://93.184.215.14/events' }),
      ]
    }
    const planted = Array.from({ length: 6 }, plant)

    assert.equal((await rescue()).status, 200)

    const answers = (await Promise.all(planted)).flat()
    assert.deepEqual(
      statuses(answers).filter((each) => each !== '201' && each !== '401 unauthenticated'),
      [],
    )
    const live = await query(
      `select id from invitations where invited_by = $1 and status = 'pending'
       union all select id from links where created_by = $1 and ended_at is null
       union all select id from api_keys where holder_id = $1 and ended_at is null
       union all select id from webhooks where url_set_by = $1 and status <> 'disabled'`,
      [mal.id],
    )
    assert.deepEqual(live, [])
  })
}

test('what a stranger plants in an organization that they came into after the first look ends, too', async () => {
  const mal = await world.person('Mal')
  const { id, path } = await world.organization()
  const asked = await mal.patch('/api/users/me', { email: `next-${mal.email}`, currentPassword: password })
  assert.equal(asked.status, 200)
  const token = makeMailedToken(world.keyring, 'undo_email_change', { tenant, id: mal.id, generation: 1 })
  const { awaitLine, waiting } = world.postgres

  const [undone, planted] = await world.database.inTenant(tenant, async (log) => {
    // The last statements of a request that plants wait for this row: it has locked the organization and read its session.
    await log`
      insert into subjects (tenant_id, user_id, organization_id, id)
      values (${tenant}, ${mal.id}, ${id}, 'sub_01k9zq3v5hf8gs4m2y7c6t0wdn')`
    const sent = await world.database.inTenant(tenant, async (account) => {
      await account`select from users where tenant_id = ${tenant} and id = ${mal.id} for no key update`
      const undone = world.nobody.post('/api/auth/undo-email-change', { token })
      await awaitLine(1) // it has looked at organizations
      await query(
        `insert into memberships (tenant_id, id, organization_id, user_id, role) values ($1, $2, $3, $4, 'owner')`,
        [tenant, newId('mem'), id, mal.id],
      )
      const planted = requestWebhook(mal, `${path}/webhooks`)
      await awaitLine(2)
      return [undone, planted] as const
    })
    let isOver = false
    void sent[0].then(() => {
      isOver = true
    })
    await until(async () => isOver || (await waiting('from organizations')).length > 0, 'the second look')
    return sent
  })

  assert.equal((await undone).status, 200)
  assert.equal((await webhookNow((await planted).webhook))?.status, 'disabled')
})
