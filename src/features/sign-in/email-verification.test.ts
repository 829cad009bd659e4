import assert from 'node:assert/strict'
import { test } from 'node:test'
import { makeProduct } from '../../../test/grants.ts'
import { Client, codeOf, createWorld, type Person, password } from '../../../test/world.ts'
import { makeMailedToken } from '../../domain/access/tokens.ts'
import { deleteTenant } from '../tenants/deletion.ts'

const world = await createWorld({ processes: 2, worker: true })
const { query } = world.postgres
const verify = (person: { post: Person['post'] }, token: string) => person.post('/api/auth/verify-email', { token })
const isVerified = async (person: Person) => (await person.get('/api/users/me')).body.emailVerified
const somebodyNew = (options: { tenant?: string } = {}) => world.person('Ann', { verified: false, ...options })

test('the link mailed at sign-up verifies the address, once', async () => {
  const ann = await somebodyNew()
  assert.equal(await isVerified(ann), false)
  const token = await world.mailedToken(ann.email, 'verify-email')

  const answer = await verify(ann, token)

  assert.deepEqual([answer.status, answer.body], [200, { email: ann.email, emailVerified: true }])
  assert.equal(await isVerified(ann), true)
  assert.deepEqual(codeOf(await verify(ann, token)), [410, 'token_spent'])
})

test('if many requests open the link at once, one verifies', async () => {
  const ann = await somebodyNew()
  const token = await world.mailedToken(ann.email, 'verify-email')

  const answers = await Promise.all(Array.from({ length: 8 }, () => verify(ann, token)))

  assert.deepEqual(answers.map(({ status }) => status).sort(), [200, ...Array.from({ length: 7 }, () => 410)])
  const { body } = await ann.get('/api/users/me/audit?action=email.verified')
  assert.equal(body.data.length, 1)
})

test('a link that is opened after the address was verified another way adds no entry to the log', async () => {
  const ann = await somebodyNew()
  const token = await world.mailedToken(ann.email, 'verify-email')
  await query('update users set email_verified = true where id = $1', [ann.id])

  assert.equal((await verify(ann, token)).status, 200)
  const { body } = await ann.get('/api/users/me/audit?action=email.verified')
  assert.equal(body.data.length, 0, 'nothing changed')
})

test("opening the link does not verify an account that a stranger made with one's address", async () => {
  const stranger = await somebodyNew()
  const token = await world.mailedToken(stranger.email, 'verify-email')
  const other = await world.person('Ben')

  assert.deepEqual(codeOf(await verify(world.nobody, token)), [403, 'sign_in_required'])
  assert.deepEqual(codeOf(await verify(other, token)), [403, 'sign_in_required'])
  assert.equal(await isVerified(stranger), false)
  assert.equal((await verify(stranger, token)).status, 200, 'a refusal does not spend it')
})

test('a link needs a live session (better-auth PR#9991)', async () => {
  const ann = await somebodyNew()
  const token = await world.mailedToken(ann.email, 'verify-email')
  const phone = await world.signIn(ann)
  await phone.post('/api/auth/sign-out')

  assert.deepEqual(codeOf(await verify(phone, token)), [401, 'unauthenticated'])
  assert.equal(await isVerified(ann), false)
})

test('a session of another tenant verifies nothing', async () => {
  const { slug } = await world.tenant()
  const ann = await somebodyNew()
  const there = await world.person('Ann', { verified: false, tenant: slug, email: ann.email })
  const token = await world.mailedToken(ann.email, 'verify-email')

  assert.deepEqual(codeOf(await verify(there, token)), [403, 'sign_in_required'])
  assert.equal(await isVerified(there), false)
})

test('a key or an application of the person verifies nothing: a session is needed', async () => {
  await query('update tenants set personal_keys = true where id = $1', [world.tenantId])
  const ann = await somebodyNew()
  const token = await world.mailedToken(ann.email, 'verify-email')
  const { access_token } = await (await makeProduct(world)).signIn(ann)
  const application = new Client(world, { authorization: `Bearer ${access_token}` })

  for (const caller of [application, await world.key(['me:update'], { person: ann })])
    assert.deepEqual(codeOf(await verify(caller, token)), [403, 'sign_in_required'])
  assert.equal(await isVerified(ann), false)
})

test('a new link invalidates the older one', async () => {
  const ann = await somebodyNew()
  const first = await world.mailedToken(ann.email, 'verify-email')

  const again = await ann.post('/api/auth/verify-email/resend')

  assert.deepEqual([again.status, again.body], [202, {}])
  assert.deepEqual(codeOf(await verify(ann, first)), [410, 'token_spent'])
  let second = first
  while (second === first) second = await world.mailedToken(ann.email, 'verify-email')
  assert.equal((await verify(ann, second)).status, 200)
})

test('changing the password and ending all other sessions invalidate the link', async () => {
  for (const act of [
    (ann: Person) =>
      ann.post('/api/users/me/password', { currentPassword: password, newPassword: `another ${password}` }),
    (ann: Person) => ann.delete('/api/users/me/devices'),
  ]) {
    const ann = await somebodyNew()
    const token = await world.mailedToken(ann.email, 'verify-email')

    assert.equal((await act(ann)).status, 200)

    assert.deepEqual(codeOf(await verify(ann, token)), [410, 'token_spent'])
    assert.equal(await isVerified(ann), false)
  }
})

test('a verified address gets no second link', async () => {
  const ann = await world.person()
  assert.deepEqual(codeOf(await ann.post('/api/auth/verify-email/resend')), [409, 'already_verified'])
  assert.equal((await world.nobody.post('/api/auth/verify-email/resend')).status, 401)
})

test('a link is valid for 24 hours', async () => {
  const ann = await somebodyNew()
  const token = await world.mailedToken(ann.email, 'verify-email')
  const [row] = await query<{ seconds: number }>(
    'select extract(epoch from expires_at - now())::integer as seconds from mailed_tokens where user_id = $1',
    [ann.id],
  )
  assert.ok((row?.seconds ?? 0) > 86_000 && (row?.seconds ?? 0) <= 86_400)

  await query(`update mailed_tokens set expires_at = now() - interval '1 second' where user_id = $1`, [ann.id])

  assert.deepEqual(codeOf(await verify(ann, token)), [410, 'token_spent'])
  assert.equal(await isVerified(ann), false)
})

test('a link proves only its own address: one sent to an older address verifies nothing (Keycloak CVE-2026-9087)', async () => {
  const ann = await somebodyNew()
  const token = await world.mailedToken(ann.email, 'verify-email')
  await query('update users set email = $2 where id = $1', [ann.id, `changed-${ann.email}`])

  assert.deepEqual(codeOf(await verify(ann, token)), [410, 'token_spent'])
  assert.equal(await isVerified(ann), false)
})

test('a token that is truncated, altered or made for another purpose verifies nothing', async () => {
  const ann = await somebodyNew()
  const token = await world.mailedToken(ann.email, 'verify-email')
  const [head = '', row = '', mac = ''] = token.split('.')
  const [user] = await query<{ tenant_id: string }>('select tenant_id from users where id = $1', [ann.id])
  const tenant = user?.tenant_id ?? ''
  const forged = [
    `${head}.${row}.${mac[0] === 'A' ? 'B' : 'A'}${mac.slice(1)}`,
    `${head}.${'0'.repeat(26)}.${mac}`,
    makeMailedToken(world.keyring, 'invitation', { tenant, id: ann.id, generation: 1 }),
    makeMailedToken(world.keyring, 'verify_email', { tenant, id: ann.id, generation: 2 }),
    makeMailedToken(world.keyring, 'verify_email', { tenant, id: `inv_${row}`, generation: 1 }),
  ]
  for (const each of forged) assert.deepEqual(codeOf(await verify(ann, each)), [410, 'token_spent'], each)
  const unknown = await verify(ann, `ghm_${'0'.repeat(26)}.${row}.${mac}`)
  assert.ok([403, 410].includes(unknown.status), 'of a tenant that does not exist')
  for (const each of [token.slice(0, -1), `${token}A`, token.replace('ghm_', 'ghs_'), ann.token, 'wrong']) {
    assert.deepEqual(codeOf(await verify(ann, each)), [410, 'token_spent'], each)
  }
  assert.deepEqual(codeOf(await verify(ann, '')), [400, 'invalid_request'])
  assert.equal(await isVerified(ann), false)
})

test("an invitation's token verifies the invited address, and the invitation stays pending", async () => {
  const { ann, path } = await world.organization()
  const eve = await world.person('Eve', { verified: false })
  const { body: invitation } = await ann.post(`${path}/invites`, { email: eve.email })
  const refused = await eve.post(`/api/invites/${invitation.id}/accept`)
  assert.deepEqual(codeOf(refused), [403, 'email_not_verified'])
  const token = await world.mailedToken(eve.email, 'invitation')

  assert.equal((await verify(eve, token)).status, 200)

  assert.equal(await isVerified(eve), true)
  assert.deepEqual(codeOf(await verify(eve, token)), [410, 'token_spent'])
  assert.equal((await eve.post(`/api/invites/${invitation.id}/accept`)).status, 200)
})

test("an invitation's token that was sent to another address verifies nothing", async () => {
  const { ann, path } = await world.organization()
  const eve = await somebodyNew()
  await ann.post(`${path}/invites`, { email: `another-${eve.email}` })
  const token = await world.mailedToken(`another-${eve.email}`, 'invitation')

  assert.deepEqual(codeOf(await verify(eve, token)), [403, 'sign_in_required'])
  assert.equal(await isVerified(eve), false)
})

test('the token of an invitation that ended verifies nothing', async () => {
  const { ann, path } = await world.organization()
  const eve = await somebodyNew()
  const { body: invitation } = await ann.post(`${path}/invites`, { email: eve.email })
  const token = await world.mailedToken(eve.email, 'invitation')
  await ann.delete(`${path}/invites/${invitation.id}`)

  assert.deepEqual(codeOf(await verify(eve, token)), [410, 'token_spent'])
  assert.equal(await isVerified(eve), false)
})

test('a caller cannot declare an address verified (Zitadel CVE-2026-27946)', async () => {
  const ann = await somebodyNew()
  for (const body of [{ emailVerified: true }, { email: ann.email }, { status: 'active' }]) {
    assert.equal((await ann.patch('/api/users/me', body)).status, 400)
  }
  assert.equal(await isVerified(ann), false)
})

test('a link of a deleted person or tenant verifies nothing', async () => {
  const { slug } = await world.tenant()
  const ann = await somebodyNew()
  const there = await somebodyNew({ tenant: slug })
  const tokens = [
    await world.mailedToken(ann.email, 'verify-email'),
    await world.mailedToken(there.email, 'verify-email', slug),
  ]
  await ann.delete('/api/users/me', { password })
  await deleteTenant(world.database, slug)
  const other = await world.person()

  for (const token of tokens) {
    const answer = await verify(other, token)
    assert.ok([403, 410].includes(answer.status), `${answer.status}`)
  }
})

test('a link cannot be made from anything stored or queued', async () => {
  const ann = await somebodyNew()
  const token = await world.mailedToken(ann.email, 'verify-email')
  const mac = token.split('.')[2] ?? ''
  const stored = await query<{ text: string }>(
    `select row_to_json(m)::text as text from mails m union all select row_to_json(k)::text from mailed_tokens k
    union all select row_to_json(j)::text from graphile_worker._private_jobs j`,
  )
  const bytes = Buffer.from(mac, 'base64url').toString('hex')
  assert.ok(stored.length >= 2)
  for (const { text } of stored) assert.ok(!text.includes(mac) && !text.includes(bytes))
})
