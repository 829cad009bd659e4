/**
 * npm run fixture: writes the fixture of today's schema (test/fixtures.ts). Whoever adds a migration runs it.
 *
 *   npm run fixture                 refuses when there is one already, for each is made of chance and would be another
 *   npm run fixture -- --again      writes it anew
 *
 * Everything in it was asked for over HTTP, but for tenants, which the operator makes, and for time that has passed.
 */
import assert from 'node:assert/strict'
import { existsSync, readdirSync, writeFileSync } from 'node:fs'
import { join as joinPath, relative } from 'node:path'
import { test } from 'node:test'
import { actions } from '../src/domain/record/record.ts'
import { renewSetUpLink } from '../src/features/tenants/set-up.ts'
import { createTenant, getTenantBySlug } from '../src/features/tenants/tenants.ts'
import { migrationsFolder } from '../src/platform/database/migrate.ts'
import { importUsers } from '../src/process/transfer/users.ts'
import type { TestDatabase } from '../test/database.ts'
import { type Exchange, fixturesFolder } from '../test/fixtures.ts'
import { until } from '../test/smtp.ts'
import { type Answer, Client, createWorld, type Json, mailboxKey, password } from '../test/world.ts'
import { readFlag } from './flags.ts'

const isAgain = readFlag('--again', 'npm run fixture [-- --again]')
const version = String(readdirSync(migrationsFolder).length).padStart(4, '0')
const fileOf = (ending: string) => joinPath(fixturesFolder, `${version}.${ending}`)
if (!isAgain && existsSync(fileOf('sql'))) {
  console.error(`The fixture of version ${version} is there already. To write it anew: npm run fixture -- --again`)
  process.exit(1)
}

const newPassword = 'another good passphrase'

test('the fixture is written', async () => {
  const world = await createWorld({ worker: true })
  const { ask } = world.postgres
  const exchanges: Exchange[] = []

  /** Notes what is answered now, to be answered again. */
  const note = async (headers: Record<string, string>, ...paths: string[]) => {
    for (const path of paths) {
      const { status, body } = await new Client(world, headers).get(path)
      assert.equal(status, 200, path)
      exchanges.push({ method: 'GET', path, headers, status, answer: body })
    }
  }
  const inTenant = (slug: string) => new Client(world, { 'guildhall-tenant': slug })
  const owner = (token: string) => new Client(world, { authorization: `Bearer ${token}` })
  const mailed = (email: string, page: string, tenant = 'default') => world.mailedToken(email, page, tenant)
  const setUp = async (slug: string, email: string) => {
    const link = await renewSetUpLink(world.database, world.app.config, await getTenantBySlug(world.database, slug))
    const token = link?.split('#token=')[1]
    const { session } = done(await world.nobody.post('/api/setup', { token, email, password, name: 'Tess Tenant' }))
    return owner(session.token)
  }
  const join = async (name: string, tenant = 'default') => {
    const email = `${name.toLowerCase()}@example.com`
    const { session, user } = done(await inTenant(tenant).post('/api/auth/sign-up', { email, password, name }))
    const person = Object.assign(owner(session.token), { email, id: user.id as string })
    done(await person.post('/api/auth/verify-email', { token: await mailed(email, 'verify-email', tenant) }))
    return person
  }
  const invite = async (inviter: Client, path: string, email: string, role = 'member') =>
    done(await inviter.post(`${path}/invites`, { email, role }))

  await createTenant(world.database, { slug: 'shop', name: 'The Shop', domains: ['shop.example'] })
  // Somebody whose password another product has hashed: by bcrypt.
  const { id: shopId } = await getTenantBySlug(world.database, 'shop')
  const ivy = {
    externalId: '4711',
    email: 'ivy@example.com',
    emailVerified: true,
    role: 'user',
    status: 'active',
    passwordHash: '$2b$04$abcdefghijklmnopqrstuue7mIt1q6oO04lXX9a9dShyRF5vd2ijm',
  } as const
  await world.database.inTenant(shopId, (sql) => importUsers(sql, [{ number: 1, content: ivy }], false))
  const tess = await setUp('default', 'tess@example.com')
  const tom = await setUp('shop', 'tom@example.com')
  done(
    await tom.patch('/api/admin/tenant', {
      name: 'The Old Shop',
      brand: { color: '#7a3b12' },
      sessionIdleSeconds: 864_000,
    }),
  )
  const [ann, ben, cleo, dan, eve, gus] = await Promise.all(
    ['Ann', 'Ben', 'Cleo', 'Dan', 'Eve', 'Gus'].map((n) => join(n)),
  )
  const sam = await join('Sam', 'shop')
  assert.ok(ann && ben && cleo && dan && eve && gus)

  // Organizations, with members who came and went, and invitations in every state.
  done(await ann.patch('/api/users/me', { locale: 'de-CH', timeZone: 'Europe/Zurich', metadata: { plan: 'gold' } }))
  const creation = { path: '/api/organizations', body: { name: 'Acme', metadata: { size: 3 } } }
  const keyed = { ...ann.headers, 'idempotency-key': '"the-key-of-acme"' }
  const acme = done(await ann.post(creation.path, creation.body, keyed))
  const path = `/api/organizations/${acme.id}`
  done(await ann.patch(path, { name: 'Acme Works', logoUrl: 'https://example.com/acme.png' }))
  for (const [person, role] of [
    [ben, 'admin'],
    [cleo, 'member'],
    [dan, 'member'],
    [eve, 'member'],
    [gus, 'member'],
  ] as const) {
    const { id } = await invite(ann, path, person.email, role)
    done(await person.post(`/api/invites/${id}/accept`))
  }
  const { data: members } = done(await ann.get(`${path}/members`))
  const memberOf = (person: { id: string }) =>
    `${path}/members/${members.find((member: Json) => member.user.id === person.id).id}`
  done(await ann.patch(memberOf(cleo), { role: 'admin' }))
  done(await dan.delete(`${path}/members/me`))
  done(await ben.delete(memberOf(eve)))
  done(await dan.post(`/api/invites/${(await invite(ben, path, dan.email)).id}/decline`))
  done(await ben.delete(`${path}/invites/${(await invite(ben, path, 'revoked@example.com')).id}`))
  const expired = await invite(ben, path, 'expired@example.com')
  const pending = await invite(ann, path, eve.email, 'admin')
  done(await ann.post(`${path}/invites/${pending.id}/resend`))
  const hall = done(await ann.post('/api/organizations', { name: 'Hall' }))
  const { member } = done(
    await ben.post(`/api/invites/${(await invite(ann, `/api/organizations/${hall.id}`, ben.email)).id}/accept`),
  )
  done(await ann.post(`/api/organizations/${hall.id}/transfer`, { memberId: member.id }))
  const gone = done(await ann.post('/api/organizations', { name: 'Gone' }))
  done(await ann.delete(`/api/organizations/${gone.id}`, { confirm: gone.slug }))
  const shop = done(await sam.post('/api/organizations', { name: 'Acme' }))
  await invite(sam, `/api/organizations/${shop.id}`, 'ann@example.com')

  // Accounts: addresses, passwords and sessions that changed.
  done(await gus.delete('/api/users/me', { password }))
  for (const [person, email] of [
    [ann, 'ann@example.org'],
    [cleo, 'cleo@example.org'],
  ] as const)
    done(await person.patch('/api/users/me', { email, currentPassword: password }))
  done(await cleo.post('/api/auth/verify-email', { token: await mailed('cleo@example.org', 'verify-email') }))
  const signIn = async (email: string) => {
    const { session } = done(await world.nobody.post('/api/auth/sign-in', { email, password }))
    return { ...session, client: owner(session.token) }
  }
  done(await ann.delete(`/api/users/me/devices/${(await signIn(ann.email)).device.id}`))
  done(await (await signIn(ann.email)).client.post('/api/auth/sign-out'))
  const annElsewhere = await signIn(ann.email)
  done(await eve.patch('/api/users/me', { email: 'eve@example.org', currentPassword: password }))
  done(await world.nobody.post('/api/auth/undo-email-change', { token: await mailed(eve.email, 'undo-email-change') }))
  const reset = { token: await mailed(eve.email, 'reset-password'), newPassword }
  done(await world.nobody.post('/api/auth/reset-password', reset))
  done(await ben.post('/api/users/me/password', { currentPassword: password, newPassword }))
  const wrong = await world.nobody.post('/api/auth/sign-in', { email: dan.email, password: 'not the one of Dan' })
  assert.equal(wrong.status, 401)
  done(await world.nobody.post('/api/auth/forgot-password', { email: dan.email }))
  const danResets = { token: await mailed(dan.email, 'reset-password'), newPassword }
  const made = done(
    await tess.post('/api/admin/users', {
      email: 'ida@example.com',
      name: 'Ida',
      role: 'admin',
      currentPassword: password,
    }),
  )
  for (const change of [{ role: 'user' }, { status: 'suspended' }, { status: 'active' }, { status: 'suspended' }])
    done(await tess.patch(`/api/admin/users/${made.id}`, change))
  const preview = { token: await mailed(eve.email, 'invitation') }

  await until(async () => (await kinds(world.postgres)).length === actions.length, 'an entry of each kind').catch(
    async () => {
      const made = await kinds(world.postgres)
      const missing = actions.filter((action) => !made.includes(action))
      throw new Error(`Nothing of the fixture makes: ${missing.join(', ')}`)
    },
  )
  await until(async () => (await ask('select from graphile_worker.jobs')).length === 0, 'the queue to be empty')
  await world.worker?.stop()
  await invite(ann, path, 'late@example.com') // its mail waits in the queue
  await ask(`update invitations set expires_at = now() - interval '1 hour' where id = $1`, [expired.id])
  await ask(`delete from mails where recipient <> 'ida@example.com'`) // one is as good as fifty
  // As if everybody had been there this moment: reading then notes no activity.
  await ask('update sessions set last_active_at = now() where ended_at is null')
  await ask('update users set last_active_at = now() where last_active_at is not null')
  const madeAt = new Date()

  const own = ['', '/devices', '/audit?limit=100', '/invites', '/deletion-impact'].map((rest) => `/api/users/me${rest}`)
  const ofPath = (each: string) => ['', '/members', '/invites', '/audit?limit=100'].map((rest) => each + rest)
  await note(ann.headers, ...own, '/api/organizations', ...ofPath(path), memberOf(ann), `${path}/invites/${pending.id}`)
  await note(annElsewhere.client.headers, ...own.slice(0, 2))
  await note(ben.headers, ...own, '/api/organizations', ...ofPath(`/api/organizations/${hall.id}`))
  for (const person of [cleo, dan]) await note(person.headers, ...own)
  await note(sam.headers, ...own, ...ofPath(`/api/organizations/${shop.id}`))
  for (const admin of [tess, tom]) {
    const lists = ['users', 'organizations', 'audit?limit=100', 'tenant'].map((rest) => `/api/admin/${rest}`)
    await note(admin.headers, ...own, ...lists)
  }
  await note(tess.headers, `/api/admin/users/${made.id}`, `/api/admin/users/${ann.id}/devices`)
  await note({ 'guildhall-mailbox-key': mailboxKey }, '/api/mailbox?to=ida@example.com')
  for (const slug of ['default', 'shop']) await note({ 'guildhall-tenant': slug }, '/api/tenant')
  await note({ host: 'shop.example' }, '/api/tenant')
  const { nextCursor } = done(await ann.get('/api/organizations?limit=1')) // by name
  await note(ann.headers, `/api/organizations?limit=1&cursor=${nextCursor}`)

  const post = (path: string, headers: Record<string, string>, body: unknown, status: number, answer: Json) =>
    exchanges.push({ method: 'POST', path, headers, body, status, answer })
  const { token, ...previewed } = done(await world.nobody.post(`/api/invites/${pending.id}/preview`, preview))
  post(`/api/invites/${pending.id}/preview`, {}, preview, 200, previewed)
  post(creation.path, keyed, creation.body, 201, acme)
  post('/api/auth/sign-in', {}, { email: ann.email, password }, 200, { user: { id: ann.id } })
  post('/api/auth/sign-in', {}, { email: ben.email, password }, 401, { code: 'invalid_credentials' })
  post('/api/auth/sign-in', {}, { email: ben.email, password: newPassword }, 200, { user: { id: ben.id } })
  const inShop = { 'guildhall-tenant': 'shop' }
  post('/api/auth/sign-in', inShop, { email: sam.email, password }, 200, {
    user: { id: sam.id },
  })
  post('/api/auth/sign-in', inShop, { email: ivy.email, password: 'a long enough passphrase' }, 200, {
    user: { email: ivy.email },
  })
  post('/api/auth/sign-in', {}, { email: 'ida@example.com', password }, 401, { code: 'invalid_credentials' })
  post('/api/auth/reset-password', {}, danResets, 200, {})
  post('/api/auth/sign-in', {}, { email: dan.email, password: newPassword }, 200, { user: { id: dan.id } })

  const write = (ending: string, text: string) => {
    writeFileSync(fileOf(ending), text)
    console.log(`Wrote ${relative('', fileOf(ending))}`)
  }
  write('sql', await dump(world.postgres))
  const lines = exchanges.map((exchange) => JSON.stringify(exchange)).join(',\n')
  write('json', `{"madeAt":"${madeAt.toISOString()}","exchanges":[\n${lines}\n]}\n`)
})

function done({ status, body }: Answer): Json {
  assert.ok(status < 300, `${status} ${JSON.stringify(body)}`)
  return body
}

async function kinds({ ask }: TestDatabase): Promise<string[]> {
  return (await ask<{ action: string }>('select distinct action from audit_entries')).map(({ action }) => action)
}

/** Every row, in the order in which the tables were made: so that none refers to one that is not there yet. */
async function dump({ ask }: TestDatabase): Promise<string> {
  const tables = await ask<{ name: string; columns: string[] }>(`
    select c.relname as name, array_agg(quote_ident(a.attname) order by a.attnum) as columns
    from pg_class c
    join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped and a.attgenerated = ''
    where c.relnamespace = 'public'::regnamespace and c.relkind = 'r' and c.relname <> 'migrations'
    group by c.oid
    order by c.oid`)
  const statements: string[] = []
  for (const { name, columns } of tables) {
    const values = columns.map((column) => `quote_nullable(${column}::text)`).join(', ')
    const rows = await ask<{ row: string }>(`select concat_ws(', ', ${values}) as row from ${name} order by 1`)
    if (rows.length === 0) continue
    const lines = rows.map(({ row }) => `  (${row})`).join(',\n')
    statements.push(`insert into ${name} (${columns.join(', ')}) values\n${lines};\n`)
  }
  const jobs = await ask<{ job: string }>(`
    select format('select graphile_worker.add_job(%L, %L::json, job_key => %L, max_attempts => %s);',
      t.identifier, j.payload, j.key, j.max_attempts) as job
    from graphile_worker._private_jobs j
    join graphile_worker._private_tasks t on t.id = j.task_id
    order by j.id`)
  return [...statements, ...jobs.map(({ job }) => `${job}\n`)].join('\n')
}
