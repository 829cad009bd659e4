/**
 * Ended sessions and access tokens: what they asked for while something ended them, and the person's row was waited for, does not come after
 * that.
 */
import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { newAuthenticator } from '../../../test/authenticator.ts'
import { makeProduct, type Product } from '../../../test/grants.ts'
import { holdRow } from '../../../test/holding.ts'
import { makeLink } from '../../../test/membership-requests.ts'
import { startProviderDouble } from '../../../test/provider-double.ts'
import { type Act, slug, statuses } from '../../../test/races.ts'
import { addPasskey, addProvider, enrol, passkeyOrigin } from '../../../test/sign-in.ts'
import { until } from '../../../test/smtp.ts'
import { type Answer, Client, codeOf, createWorld, type Json, type Person, password } from '../../../test/world.ts'
import { makeMailedToken } from '../../domain/access/tokens.ts'
import { makeAccessToken, openAccessToken } from '../../domain/applications/grant-tokens.ts'
import { codeAt } from '../../domain/credentials/totp.ts'
import type { Seen } from '../../domain/sessions/recheck.ts'
import { lockOwn } from '../../domain/sessions/ways-in.ts'

const world = await createWorld({ settings: { OUTBOUND_PRIVATE: '127.0.0.1' } })
const double = await startProviderDouble()
const providerId = await addProvider(world, double.origin)
const { query, awaitLine } = world.postgres
const tess = await world.tenantAdmin()
const owner = await world.person('Olga')

const newPassword = 'another long passphrase'
const withoutPassword = ({ id }: Person) => query('update users set password_hash = null where id = $1', [id])

/** Sends what ends somebody's sessions, then their own request, while both wait for their row. @returns both answers */
async function meet(t: TestContext, { id }: Person, end: Act, act: Act): Promise<Answer[]> {
  const release = await holdRow(t, world.postgres, 'users', id)
  const sent: Promise<Answer>[] = []
  for (const each of [end, act]) {
    sent.push(each())
    await awaitLine(sent.length)
  }
  await release()
  return Promise.all(sent)
}

/** What somebody asks for of their own account. Each prepares it, and says how to send it. */
const writes: Record<string, (person: Person) => Promise<Act>> = {
  'a passkey': async (person) => {
    const { body } = await person.post('/api/users/me/factors/setup', { type: 'passkey' })
    const credential = newAuthenticator(-7, { origin: passkeyOrigin }).create(body.options)
    return () => person.post('/api/users/me/factors', { type: 'passkey', credential })
  },
  'an authenticator app': async (person) => {
    const { body } = await person.post('/api/users/me/factors/setup', { type: 'totp' })
    const code = codeAt(body.secret, Math.floor(Date.now() / 30_000))
    return () => person.post('/api/users/me/factors', { type: 'totp', setup: body.setup, code })
  },
  'new recovery codes': async (person) => {
    await enrol(world, person)
    return () => person.post('/api/users/me/recovery-codes')
  },
  'a linked account': async (person) => {
    const { body } = await person.post('/api/users/me/identities/start', { providerId })
    double.claims = { sub: `sub-${person.id}`, email: 'stranger@example.com', email_verified: true }
    const { code, state } = double.signIn(body.url)
    return () => person.post('/api/users/me/identities', { attempt: body.attempt.token, callback: { code, state } })
  },
  'a first password': async (person) => {
    await withoutPassword(person)
    return () => person.post('/api/users/me/password', { newPassword })
  },
  'another password': async (person) => () =>
    person.post('/api/users/me/password', { currentPassword: password, newPassword }),
  'another address': async (person) => {
    await withoutPassword(person)
    return () => person.patch('/api/users/me', { email: `stranger-${person.id.slice(-8)}@example.com` })
  },
  'the end of all other sessions': async (person) => () => person.delete('/api/users/me/devices'),
  'a new organization': async (person) => () => person.post('/api/organizations', { name: 'Of a stranger' }),
  'a place in an organization': async (person) => {
    const { body } = await owner.post('/api/organizations', { name: 'With a link' })
    const { token } = await makeLink(owner, body.id)
    return () => person.post('/api/links/join', { token })
  },
  'the deletion of the account': async (person) => {
    await withoutPassword(person)
    return () => person.delete('/api/users/me', { confirm: person.email })
  },
}

async function ownedBy({ id }: Person): Promise<Json | undefined> {
  const [row] = await query<Json>(
    `select password_hash, pending_email,
       (select count(*)::int from factors where tenant_id = $1 and user_id = $2) as factors,
       (select count(*)::int from recovery_codes where tenant_id = $1 and user_id = $2) as recovery_codes,
       (select count(*)::int from identities where tenant_id = $1 and user_id = $2) as identities,
       (select count(*)::int from memberships where tenant_id = $1 and user_id = $2) as memberships,
       (select count(*)::int from mailed_tokens
        where tenant_id = $1 and user_id = $2 and spent_at is null and expires_at > now()) as links
     from users where tenant_id = $1 and id = $2`,
    [world.tenantId, id],
  )
  return row
}

for (const [name, prepare] of Object.entries(writes)) {
  test(`a session that an admin’s reset has ended is refused ${name}`, async (t) => {
    const person = await world.person()
    const write = await prepare(person)
    const answers = await meet(t, person, () => tess.delete(`/api/admin/users/${person.id}/factors`), write)

    assert.deepEqual(statuses(answers), ['200', '401 unauthenticated'])
    assert.deepEqual(await ownedBy(person), {
      password_hash: null,
      pending_email: null,
      factors: 0,
      recovery_codes: 0,
      identities: 0,
      memberships: 0,
      links: 1, // by which the owner chooses a password
    })
  })
}

test('a session that an admin has ended ends no other session', async (t) => {
  const person = await world.person()
  const other = await world.signIn(person)
  const isCurrent = ({ current }: Json) => current
  const idOf = async (client: Client) => (await client.get('/api/users/me/devices')).body.data.find(isCurrent).id
  const [ended, kept] = [await idOf(other), await idOf(person)]
  const end = () => tess.delete(`/api/admin/users/${person.id}/devices/${ended}`)

  const answers = await meet(t, person, end, () => other.delete(`/api/users/me/devices/${kept}`))

  assert.deepEqual(statuses(answers), ['200', '401 unauthenticated'])
  assert.equal((await person.get('/api/users/me')).status, 200)
})

test('a session that the undo of a change of address has ended adds no factor', async (t) => {
  const person = await world.person()
  const write = await writes['a passkey']?.(person)
  assert.ok(write)
  await person.patch('/api/users/me', { email: 'thief@example.com', currentPassword: password })
  const [row] = await query<{ generation: number }>(
    `select generation from mailed_tokens where user_id = $1 and purpose = 'undo_email_change'`,
    [person.id],
  )
  assert.ok(row)
  const place = { tenant: world.tenantId, id: person.id, generation: row.generation }
  const token = makeMailedToken(world.keyring, 'undo_email_change', place)
  const undo = () => world.nobody.post('/api/auth/undo-email-change', { token })

  assert.deepEqual(statuses(await meet(t, person, undo, write)), ['200', '401 unauthenticated'])
  assert.equal((await ownedBy(person))?.factors, 0)
})

test('a session that has proven less than its door saw changes nothing', async () => {
  const person = await world.person()
  await addPasskey(person) // the session has proven two factors now
  const [session] = await query<{ id: string }>('select id from sessions where user_id = $1', [person.id])
  assert.ok(session)
  const seen: Seen = {
    ...{ userId: person.id, sessionId: session.id, limits: null, application: null },
    ...{ assurance: 2, isFresh: true },
  }
  const lock = () => world.database.inTenant(world.tenantId, (sql) => lockOwn(sql, seen))

  assert.equal((await lock()).id, person.id)
  await query('update sessions set assurance = 1 where id = $1', [session.id])
  await assert.rejects(lock(), { code: 'unauthenticated' })
  await query(
    `update sessions set assurance = 2, created_at = now() - interval '11 minutes', authenticated_at = null where id = $1`,
    [session.id],
  )
  await assert.rejects(lock(), { code: 'unauthenticated' })
})

/** What an application may change for a person. Each prepares it, and says how to send it. */
const writesByTokens: Record<string, (person: Person) => Promise<(application: Client) => Promise<Answer>>> = {
  'the profile': async () => (application) => application.patch('/api/users/me', { name: 'By an application' }),
  'a new organization': async () => (application) =>
    application.post('/api/organizations', { name: 'Of an application', slug: slug() }),
  'an invitation': async ({ email }) => {
    const { body: organization } = await owner.post('/api/organizations', { name: 'Acme' })
    const { body: invitation } = await owner.post(`/api/organizations/${organization.id}/invites`, { email })
    return (application) => application.post(`/api/invites/${invitation.id}/accept`)
  },
}

/** What ends an access token, while its session lives on. */
const endsOfTokens: Record<string, (token: string, acme: Product) => Promise<Answer>> = {
  'that was revoked': (token, acme) => acme.post('revoke', { token }),
  'whose application was switched off': (_, { id }) => tess.patch(`/api/admin/applications/${id}`, { enabled: false }),
  'whose application was deleted': (_, { id }) => tess.delete(`/api/admin/applications/${id}`, { confirm: 'Acme' }),
}
const scopes = ['openid', 'api'] as const
const callBy = (token: string) => new Client(world, { authorization: `Bearer ${token}` })

for (const [what, prepare] of Object.entries(writesByTokens)) {
  for (const [which, end] of Object.entries(endsOfTokens)) {
    test(`an access token ${which} while it waited does not change ${what}`, async (t) => {
      const [person, acme] = [await world.person(), await makeProduct(world, { scopes })]
      const { access_token: token } = await acme.signIn(person, { scopes })

      const answers: number[] = []
      for (const happens of [() => person.get('/api/tenant'), () => end(token, acme)]) {
        const write = await prepare(person)
        const release = await holdRow(t, world.postgres, 'users', person.id)
        const written = write(callBy(token))
        await awaitLine(1)
        assert.equal((await happens()).status, 200)
        await release()
        answers.push((await written).status)
      }

      const [withoutEnd = 0, withEnd] = answers
      assert.ok([200, 201].includes(withoutEnd), `without an end it answered ${withoutEnd}`)
      assert.equal(withEnd, 401)
    })
  }
}

test('an access token whose end comes while it waits changes nothing', async (t) => {
  const [person, acme] = [await world.person(), await makeProduct(world, { scopes })]
  const { access_token: first } = await acme.signIn(person, { scopes })
  const opened = openAccessToken(world.keyring, first)
  assert.ok(opened)
  let answer: Answer | undefined
  // If its end came before the door saw it, another one lives longer.
  for (let seconds = 1, isSeen = false; !isSeen; seconds *= 2) {
    const end = Math.ceil(Date.now() / 1_000) + seconds
    const release = await holdRow(t, world.postgres, 'users', person.id)
    let answered = 0
    const application = callBy(makeAccessToken(world.keyring, { ...opened, end }))
    const changed = application.patch('/api/users/me', { name: 'By an application' }).finally(() => answered++)
    await awaitLine(1, () => answered)
    isSeen = answered === 0
    const isOver = async () => (await query('select where to_timestamp($1) < clock_timestamp()', [end])).length === 1
    await until(isOver, 'the end of the token')
    await release()
    answer = await changed
  }

  assert.deepEqual(answer && codeOf(answer), [401, 'unauthenticated'])
  assert.equal((await person.get('/api/users/me')).body.name, person.name)
})
