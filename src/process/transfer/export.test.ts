/** Export: the inverse of an import. */
import assert from 'node:assert/strict'
import { rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { mkdtemp, readdir, readFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { test } from 'node:test'
import { aFullApplication, requestApplication } from '../../../test/application-requests.ts'
import { organizationValues, profileValues } from '../../../test/field-values.ts'
import { aPicture, noise } from '../../../test/pictures.ts'
import { bring, counts, file, foreign, newPath, quiet, take } from '../../../test/transfers.ts'
import { createWorld, type Json, type Person, password } from '../../../test/world.ts'
import { exportFiles } from './export.ts'
import { TransferError } from './files.ts'
import { type Kind, kinds } from './rows.ts'

const world = await createWorld()

test("one tenant's export can be imported into another, and exports the same again", async () => {
  const [home, abroad] = [await world.tenant(), await world.tenant()]
  const { ann, path } = await world.organization({ tenant: home.slug })
  await ann.patch('/api/users/me', {
    name: '=1+1, "Ann"\n'.trim(),
    locale: 'de-CH',
    timeZone: 'Europe/Zurich',
    metadata: { a: [1, { b: 'ü' }] },
  })
  await ann.patch(path, { name: ' Acme Works', logoUrl: 'https://example.com/acme.png', metadata: { size: 3 } })
  await bring(world, home, {
    users: await file({ externalId: 'abc', email: 'ivy@example.com', passwordHash: foreign.hash, status: 'suspended' }),
    organizations: await file({ externalId: 'org', name: 'Imported' }),
    memberships: await file(
      { organization: 'org', user: 'abc', role: 'owner' },
      { organization: 'org', user: ann.id, role: 'member' },
    ),
  })
  assert.equal((await ann.put('/api/users/me/avatar', aPicture)).status, 200)
  assert.equal((await ann.put(`${path}/logo`, new Uint8Array(noise()))).status, 200)
  const texts = async (paths: Record<Kind, string>) =>
    Promise.all(kinds.map(async (kind) => (await readFile(paths[kind], 'utf8')).split('\n').filter(Boolean).sort()))
  for (const [ending, withHashes] of [
    ['ndjson', true],
    ['csv', false],
  ] as const) {
    const taken = await take(world, home, ending, withHashes)
    assert.deepEqual(
      counts(await bring(world, home, taken)),
      [
        ['users', 0, 5, 0],
        ['organizations', 0, 2, 0],
        ['memberships', 0, 5, 0],
        ['identities', 0, 0, 0],
        ['applications', 0, 0, 0],
        ['webhooks', 0, 0, 0],
      ],
      'where it is from, all is there',
    )
    await bring(world, abroad, taken)
    assert.deepEqual(await texts(await take(world, abroad, ending, withHashes)), await texts(taken))
    assert.equal(
      (await texts(taken))[0]?.some((line) => /\$2b\$|passwordHash/.test(line)),
      withHashes,
    )
  }
  const credentials = { email: ann.email, password }
  assert.equal(
    (await world.nobody.post('/api/auth/sign-in', credentials, { 'guildhall-tenant': abroad.slug })).status,
    200,
  )
  const [moved] = await world.postgres.query<{ url: string }>(
    `select avatar_url as url from users where tenant_id = $1 and avatar_url is not null`,
    [abroad.id],
  )
  assert.equal((await fetch(world.url + new URL(moved?.url ?? '').pathname)).status, 200, 'the picture came, too')
  const once = await take(world, home, 'csv')
  await assert.rejects(
    exportFiles(world.database, home.id, once, {
      progress: quiet,
      withHashes: false,
      signal: new AbortController().signal,
    }),
    /the file already exists/,
  )
})

test('a stopped export leaves no file, finished or not', async () => {
  const tenant = await world.tenant()
  await world.organization({ tenant: tenant.slug })
  const folder = await mkdtemp(join(dirname(newPath('ndjson')), 'stopped-'))
  const path = (kind: string) => join(folder, `${kind}.ndjson`)
  const paths = Object.fromEntries(kinds.map((kind) => [kind, path(kind)]))
  const stopping = new AbortController()
  const begun: string[] = []
  const progress = {
    ...quiet,
    begin: (kind: string) => {
      if (begun.push(kind) === 4) stopping.abort(new TransferError('stopped'))
    },
  }
  const options = { progress, withHashes: false, signal: stopping.signal }
  await assert.rejects(exportFiles(world.database, tenant.id, paths, options), /stopped/)
  assert.deepEqual([begun.length, await readdir(folder)], [4, []])
})

test('an export to one file under two names loses none', async () => {
  const tenant = await world.tenant()
  const folder = await mkdtemp(newPath('same-'))
  symlinkSync(folder, `${folder}-link`)
  const paths = { users: join(folder, 'all.ndjson'), organizations: join(`${folder}-link`, 'all.ndjson') }
  const options = { progress: quiet, withHashes: false, signal: new AbortController().signal }
  await assert.rejects(exportFiles(world.database, tenant.id, paths, options), /all\.ndjson: the file already exists/)
  assert.deepEqual(await readdir(folder), [])
})

const meddlings = {
  'somebody has created one of its files meanwhile': (path: string) => writeFileSync(path, 'theirs'),
  'somebody has deleted a folder meanwhile': (path: string) => rmSync(dirname(path), { recursive: true }),
}
for (const [what, meddle] of Object.entries(meddlings)) {
  test(`an export that fails at its end, because ${what}, leaves no file`, async () => {
    const tenant = await world.tenant()
    const [folder, other] = await Promise.all(['first-', 'last-'].map((each) => mkdtemp(newPath(each))))
    const users = join(other ?? '', 'users.ndjson') // the last one
    const paths = { ...Object.fromEntries(kinds.map((kind) => [kind, join(folder ?? '', `${kind}.ndjson`)])), users }
    let ended = 0
    const end = () => {
      if (++ended === kinds.length) meddle(users)
    }
    const options = { progress: { ...quiet, end }, withHashes: false, signal: new AbortController().signal }
    await assert.rejects(exportFiles(world.database, tenant.id, paths, options), TransferError)
    assert.equal(ended, kinds.length)
    assert.deepEqual(await readdir(folder ?? ''), [])
  })
}

/** The files of which the API shows the same after an import. Webhooks are in webhooks.test.ts: they change, as they are disabled. */
type Shown = Exclude<Kind, 'webhooks'>

/** What the API answers of each and no file has, because it is of here: another service has its own. */
const ofHere: Readonly<Record<Shown, readonly string[]>> = {
  users: ['id', 'externalId', 'pendingEmail', 'hasPassword', 'hasSecondFactor', 'updatedAt', 'lastActiveAt'],
  organizations: ['id', 'externalId', 'memberCount', 'membership', 'role', 'roles', 'permissions', 'updatedAt'],
  memberships: ['id', 'roles', 'invitedBy', 'lastActiveAt'],
  identities: ['id', 'lastUsedAt'],
  applications: ['id', 'secrets', 'lastLogout', 'createdAt', 'updatedAt'],
}

test('an export has everything that the API shows of users, organizations, members, linked accounts and applications, and after an import the API shows the same', async () => {
  const [home, abroad] = [await world.tenant(), await world.tenant()]
  const [admin, stranger] = [await world.tenantAdmin(home.slug), await world.tenantAdmin(abroad.slug)]
  const { ann, ben, path, members } = await world.organization({ tenant: home.slug })
  const model = {
    permissions: [{ key: 'notes:write', name: 'Write' }],
    roles: [{ key: 'writer', name: 'Writer', permissions: ['notes:write'] }],
  }
  for (const each of [admin, stranger]) assert.equal((await each.put('/api/admin/access', model)).status, 200)
  const expiresAt = new Date(Date.now() + 86_400_000).toISOString()
  const ending = { expiresAt, grants: [{ role: 'writer', expiresAt }] }
  assert.equal((await ann.patch(`${path}/members/${members.cleo.id}`, ending)).status, 200)
  await ann.patch('/api/users/me', profileValues)
  const { body: acme } = await ann.patch(path, organizationValues)
  await world.postgres.query(`update organizations set second_factor = 'required', member_limit = 50 where id = $1`, [
    acme.id,
  ])
  const change = { role: 'admin', status: 'suspended', appMetadata: { tier: 2 }, currentPassword: password }
  assert.equal((await admin.patch(`/api/admin/users/${ben.id}`, change)).status, 200)
  for (const person of [admin, stranger]) {
    const login = { type: 'oidc', name: 'Acme Login', clientId: 'guildhall', issuer: 'https://login.example.com' }
    assert.equal((await person.post('/api/admin/providers', login)).status, 201)
  }
  await requestApplication(admin, aFullApplication)
  const subject = '=the person "Ann"'
  const linked = { user: ann.id, provider: 'Acme Login', subject, email: 'ann@work.example.com' }
  await bring(world, home, { identities: await file(linked) })

  const here = await answered(admin)
  const { schemas } = (world.app.swagger() as Json).components // an OpenAPI document
  for (const [kind, { properties }] of [
    ['users', schemas.User],
    ['organizations', schemas.Organization],
    ['memberships', schemas.Member],
    ['identities', schemas.Identity],
    ['applications', schemas.Application],
  ] as const) {
    const compared = Object.keys(properties).filter((field) => !ofHere[kind].includes(field))
    const bare = compared.filter((field) => !here[kind].some((each) => JSON.stringify(each[field] ?? {}) !== '{}'))
    assert.deepEqual(bare, [], `somebody has each field of ${kind}`)
  }
  const files = await take(world, home, 'ndjson')
  assert.deepEqual(await exported(files), here)
  const [identity = ''] = (await readFile(files.identities, 'utf8')).split('\n')
  assert.equal(JSON.parse(identity).subject, subject)
  assert.equal(JSON.parse(identity).issuer, 'https://login.example.com')

  await bring(world, abroad, files)
  const there = await answered(stranger)
  assert.deepEqual({ ...there, users: there.users.filter(({ email }) => email !== stranger.email) }, here)
})

/** @returns what an admin is answered, but for what is of here; members by the names of whom and what they join */
async function answered(admin: Person): Promise<Record<Shown, Json[]>> {
  const list = async (path: string) => (await admin.get(`/api/admin/${path}?limit=100`)).body.data as Json[]
  const [users, organizations] = [await list('users'), await list('organizations')]
  const memberships: Json[] = []
  for (const { id, slug } of organizations) {
    for (const member of await list(`organizations/${id}/members`))
      memberships.push({
        ...member,
        grants: member.grants.map(({ role, expiresAt }: Json) => ({ role, expiresAt })),
        organization: slug,
        user: users.find((user) => user.id === member.user.id).email,
      })
  }
  const identities: Json[] = []
  for (const { id, email } of users) {
    const { body } = await admin.get(`/api/admin/users/${id}/identities`)
    for (const each of body.data) identities.push({ ...each, provider: each.provider.name, user: email })
  }
  return inOrder({ users, organizations, memberships, identities, applications: await list('applications') }, ofHere)
}

/** @returns what stands in the files, as the API would answer it */
async function exported(files: Record<Kind, string>): Promise<Record<Shown, Json[]>> {
  const [users = [], organizations = [], memberships = [], identities = [], applications = []] = await Promise.all(
    kinds.map(async (kind) =>
      (await readFile(files[kind], 'utf8'))
        .split('\n')
        .filter(Boolean)
        .map((line) => JSON.parse(line)),
    ),
  )
  const named = memberships.map((member: Json) => ({
    ...member,
    expiresAt: member.expiresAt ?? null,
    grants: (member.grants ?? []).map(({ role, expiresAt }: Json) => ({
      role,
      expiresAt: expiresAt && new Date(expiresAt).toISOString(),
    })),
    organization: organizations.find(({ externalId }) => externalId === member.organization).slug,
    user: users.find(({ externalId }) => externalId === member.user).email,
  }))
  const linked = identities.map((identity: Json) => ({
    ...identity,
    user: users.find(({ externalId }) => externalId === identity.user).email,
  }))
  const names = {
    users: ['externalId'],
    organizations: ['externalId'],
    memberships: [],
    identities: ['subject', 'issuer'], // the API does not show them
    applications: [],
  }
  return inOrder({ users, organizations, memberships: named, identities: linked, applications }, names)
}

/** @param leftOut fields; what is null is left out, too, as it is in a file */
function inOrder(
  all: Record<Shown, Json[]>,
  leftOut: Readonly<Record<Shown, readonly string[]>>,
): Record<Shown, Json[]> {
  const kept = (kind: Shown) =>
    all[kind]
      .map((each) =>
        Object.entries(each)
          .filter(([field, value]) => value !== null && !leftOut[kind].includes(field))
          .sort(([one], [other]) => (one < other ? -1 : 1)),
      )
      .map((fields) => JSON.stringify(Object.fromEntries(fields)))
      .sort()
      .map((text) => JSON.parse(text))
  return {
    users: kept('users'),
    organizations: kept('organizations'),
    memberships: kept('memberships'),
    identities: kept('identities'),
    applications: kept('applications'),
  }
}
