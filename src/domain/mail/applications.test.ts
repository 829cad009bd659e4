/** Mails about applications: when they are sent, to whom, and where. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { requestApplication } from '../../../test/application-requests.ts'
import { finishJobs } from '../../../test/queue.ts'
import { createWorld, type Person, password } from '../../../test/world.ts'
import { makeMailedToken } from '../access/tokens.ts'
import { tellOfApplication } from './applications.ts'

const world = await createWorld()
const list = '/api/admin/applications'

/** A tenant of its own, with two admins. */
async function makeTenant() {
  const tenant = await world.tenant()
  const [tess, tom] = [await world.tenantAdmin(tenant.slug), await world.tenantAdmin(tenant.slug)]
  const ann = await world.person('Ann', { tenant: tenant.slug })
  /** The mails about applications, the oldest first. */
  const mailsTo = async ({ email }: Pick<Person, 'email'>) => {
    await finishJobs(world)
    const mails = (await world.mails(email, tenant.slug)).filter(({ subject }) => /application/.test(subject))
    return mails.reverse()
  }
  const subjectsTo = async (reader: Pick<Person, 'email'>) => (await mailsTo(reader)).map(({ subject }) => subject)
  return { tenant, tess, tom, ann, mailsTo, subjectsTo }
}

test('all admins hear of a new application, of changed addresses and of a new secret, and of nothing else', async () => {
  const { tenant, tess, tom, ann, subjectsTo } = await makeTenant()
  const { application } = await requestApplication(tess)
  const path = `${list}/${application.id}`
  const told = [`A new application for ${tenant.name}`]
  assert.deepEqual(await subjectsTo(tom), told)
  for (const quiet of [
    { name: 'Notes', logoUrl: 'https://example.com/a.png', scopes: ['openid'], isHome: true, enabled: false },
    { requireVerifiedEmail: false, chooseOrganization: true },
    { redirectUris: application.redirectUris, postLogoutUris: [], startUrl: null },
  ])
    assert.equal((await tess.patch(path, quiet)).status, 200)
  assert.deepEqual(await subjectsTo(tom), told)
  for (const loud of [
    { redirectUris: ['https://new.example.com/'] },
    { postLogoutUris: ['https://new.example.com/'] },
    { startUrl: 'https://new.example.com/' },
    { backChannelLogoutUri: 'https://new.example.com/' },
  ]) {
    assert.equal((await tess.patch(path, loud)).status, 200)
    told.push(`New addresses of an application for ${tenant.name}`)
    assert.deepEqual(await subjectsTo(tom), told, JSON.stringify(loud))
  }
  assert.equal((await tess.post(`${path}/rotate-secret`)).status, 200)
  told.push(`A new secret of an application for ${tenant.name}`)
  for (const admin of [tess, tom]) assert.deepEqual(await subjectsTo(admin), told)
  assert.deepEqual(await subjectsTo(ann), [])
})

test('the mail names the application, also if it was deleted by then, and nobody who made it', async () => {
  const { tess, tom, mailsTo } = await makeTenant()
  const { application } = await requestApplication(tess, { name: 'Nightly Notes' })
  await tess.delete(`${list}/${application.id}`, { confirm: 'Nightly Notes' })
  const [mail, ...others] = await mailsTo(tom)
  assert.deepEqual(others, [])
  assert.match(mail?.text, /The application “Nightly Notes” was added to /)
  assert.match(mail?.text, /You get this email because you are an admin\./)
  assert.ok(!mail?.text.includes(tess.name) && !mail?.text.includes(tess.email))
})

test('the mail goes to the address of that moment, and to no address that nobody has verified', async () => {
  const { tenant, tess, tom, subjectsTo } = await makeTenant()
  const email = `new-${tom.email}`
  assert.equal((await tom.patch('/api/users/me', { email, currentPassword: password })).status, 200)
  const token = makeMailedToken(world.keyring, 'change_email', { tenant: tenant.id, id: tom.id, generation: 1 })
  await world.postgres.query('update users set email_verified = false where id = $1', [tess.id])
  await requestApplication(tess)
  assert.equal((await tom.post('/api/auth/verify-email', { token })).status, 200)
  assert.deepEqual([(await subjectsTo(tom)).length, (await subjectsTo({ email })).length], [1, 0])
  assert.deepEqual(await subjectsTo(tess), [])
})

test('all admins are mailed, however many there are', async () => {
  const { tenant, tess, tom } = await makeTenant()
  await world.postgres.query(
    `insert into users (tenant_id, id, email, email_verified, role)
     select $1, 'user_' || lpad(n::text, 26, '0'), n || '@example.org', true, 'admin' from generate_series(1, 1100) n`,
    [tenant.id],
  )
  // Nothing is committed: these mails need not be sent.
  const undo = new Error('undo')
  await assert.rejects(
    world.database.inTenant(tenant.id, async (sql) => {
      await tellOfApplication(sql, world, 'Notes', 'added')
      const mailed = await sql<{ userId: string }>`
        select job #>> '{payload,userId}' as user_id
        from outbox o
        cross join lateral jsonb_array_elements(o.jobs) job
        where o.tenant_id = ${tenant.id} and job #>> '{payload,kind}' = 'application_changed'`
      const ids = mailed.map(({ userId }) => userId)
      assert.deepEqual([ids.length, new Set(ids).size], [1_102, 1_102])
      assert.ok(ids.includes(tess.id) && ids.includes(tom.id))
      throw undo
    }),
    undo,
  )
})
