/** Mails about keys: who gets them, and where. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { offerKeys } from '../../../test/key-requests.ts'
import { finishJobs } from '../../../test/queue.ts'
import { onStoredKeys } from '../../../test/stored-keys.ts'
import { createWorld, type Json, type Person, password } from '../../../test/world.ts'
import { makeMailedToken } from '../access/tokens.ts'
import { tellOfKeys, tellOfNewKey } from './keys.ts'

const world = await createWorld()
await offerKeys(world)
const body = { name: 'Nightly import', scopes: ['members:read'] }

const mailsTo = async (email: string): Promise<Json[]> => {
  await finishJobs(world)
  return (await world.mails(email)).filter(({ subject }) => /new key/.test(subject))
}
const textsTo = async ({ email }: Person): Promise<string[]> => (await mailsTo(email)).map(({ text }) => text)

test('a person hears of each new key of theirs, and where it was made', async () => {
  const eve = await world.signIn(await world.person('Eve'), {
    'user-agent': 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Firefox/140.0',
  })

  assert.equal((await eve.post('/api/users/me/keys', body)).status, 201)

  const [text, ...others] = await textsTo(eve)
  assert.match(
    text ?? '',
    /The key “Nightly import” was created for your account at Guildhall: Firefox on Linux from 127\.0\.0\.1, on /,
  )
  assert.match(text ?? '', /If not, reset your password\./)
  assert.deepEqual(others, [])
})

test('all owners of an organization hear of its new keys, and all admins of a tenant of the tenant’s, without a name', async () => {
  const { ann, ben, cleo, path, members } = await world.organization()
  const eve = await world.person('Eve')
  const { id } = await world.join(ann, (await ann.get(path)).body.id, eve, 'admin')
  assert.equal((await ann.patch(`${path}/members/${members.ben.id}`, { role: 'owner' })).status, 200)
  const [tess, other] = [await world.tenantAdmin(), await world.tenantAdmin()]

  assert.equal((await eve.post(`${path}/keys`, body)).status, 201, id)
  assert.equal((await tess.post('/api/admin/keys', { ...body, name: 'Back end' })).status, 201)

  for (const owner of [ann, ben]) {
    const [text, ...others] = await textsTo(owner)
    assert.match(
      text ?? '',
      /“Nightly import” was created for .* on Guildhall\. .*\n\nYou get this email because you are an owner\./,
    )
    assert.doesNotMatch(text ?? '', /Eve|127\.0\.0\.1/)
    assert.deepEqual(others, [])
  }
  for (const admin of [tess, other]) {
    const [text] = await textsTo(admin)
    assert.match(
      text ?? '',
      /“Back end” was created for Guildhall\. .*\n\nYou get this email because you are an admin\./,
    )
  }
  for (const outsider of [eve, cleo]) assert.deepEqual(await textsTo(outsider), [])
})

test('the mail about a new key goes to the address of that moment', async () => {
  const eve = await world.person('Eve')
  const email = `new-${eve.email}`
  assert.equal((await eve.patch('/api/users/me', { email, currentPassword: password })).status, 200)
  const token = makeMailedToken(world.keyring, 'change_email', { tenant: world.tenantId, id: eve.id, generation: 1 })
  assert.equal((await eve.post('/api/users/me/keys', body)).status, 201)
  assert.equal((await eve.post('/api/auth/verify-email', { token })).status, 200)

  assert.deepEqual([(await mailsTo(eve.email)).length, (await mailsTo(email)).length], [1, 0])
})

test('all people of every key are mailed, however many there are', async () => {
  const { organizationKey, tenantKey } = onStoredKeys(world)
  const [large, small] = [await world.organization(), await world.organization()]
  const tess = await world.tenantAdmin()
  const first = await organizationKey(large.id, large.ann)
  const second = await organizationKey(small.id, small.ann)
  const third = await tenantKey(tess)
  const keys = [first.id, second.id, third.id]
  const { tenantId: tenant, postgres } = world
  await postgres.query(
    `with people as (
       insert into users (tenant_id, id, email, email_verified, role)
       select $1, 'user_' || lpad(n::text, 26, '0'), n || '@example.org', true, 'admin' from generate_series(1, 1100) n
       returning id)
     insert into memberships (tenant_id, id, organization_id, user_id, role)
     select $1, 'mem_' || right(id, 26), $2, id, 'owner' from people`,
    [tenant, large.id],
  )
  await postgres.query('analyze users, memberships')
  // Nothing is committed: these mails need not be sent.
  const undo = new Error('undo')
  await assert.rejects(
    world.database.inTenant(tenant, async (sql) => {
      await tellOfKeys(sql, 'key_ending', keys)
      for (const key of keys) await tellOfNewKey(sql, world, key)
      const mailed = await sql<{ kind: string; keyId: string; userId: string }>`
        select job #>> '{payload,kind}' as kind, job #>> '{payload,keyId}' as key_id, job #>> '{payload,userId}' as user_id
        from outbox o
        cross join lateral jsonb_array_elements(o.jobs) job
        where o.tenant_id = ${tenant} and job #>> '{payload,keyId}' = any(${keys})`
      for (const kind of ['key_ending', 'key_made']) {
        const of = (key: string) =>
          mailed.flatMap((mail) => (mail.kind === kind && mail.keyId === key ? [mail.userId] : []))
        assert.equal(new Set(of(first.id)).size, 1_101, kind)
        assert.deepEqual(of(second.id), [small.ann.id], kind)
        assert.ok(new Set(of(third.id)).size > 1_100 && of(third.id).includes(tess.id), kind)
      }
      assert.equal(new Set(mailed.map((mail) => JSON.stringify(mail))).size, mailed.length, 'each once')
      throw undo
    }),
    undo,
  )
})
