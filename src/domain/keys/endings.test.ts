/** Endings of keys: what ends those of a person, and what becomes of those of others when their holder goes. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { newPassword, onEmailChanges } from '../../../test/email-change.ts'
import { offerKeys } from '../../../test/key-requests.ts'
import { type AddedKey, onStoredKeys } from '../../../test/stored-keys.ts'
import {
  type Answer,
  codeOf,
  createWorld,
  hurry,
  type Json,
  type Organization,
  type Person,
  password,
} from '../../../test/world.ts'
import { runEverywhere } from '../../tasks.ts'

const world = await createWorld({ worker: true })
const { query } = world.postgres
const { ownKey, organizationKey, tenantKey, stateOf, endOf, actionsOn } = onStoredKeys(world)
await offerKeys(world)
const { change, undo, wayBack, subjects } = onEmailChanges(world)

const day = 86_400
const inDays = (days: number) => new Date(Date.now() + days * day * 1000).toISOString()
const mailsTo = async ({ email }: Person) => {
  await hurry(world.postgres)
  await subjects(email)
  return world.mails(email)
}
const mailTo = async (person: Person, subject: RegExp): Promise<Json[]> =>
  (await mailsTo(person)).filter((mail) => subject.test(mail.subject))

/** Each way in which an account may come out of wrong hands, which ends its keys. */
const rescues: Readonly<Record<string, { because: string; rescue: (person: Person) => Promise<unknown> }>> = {
  'a reset of the password': {
    because: 'reset',
    rescue: async ({ email }) => {
      await world.nobody.post('/api/auth/forgot-password', { email })
      const token = await world.mailedToken(email, 'reset-password')
      return world.nobody.post('/api/auth/reset-password', { token, newPassword })
    },
  },
  'the undoing of a change of address': {
    because: 'reset',
    rescue: async (person) => {
      await change(person, `new-${person.email}`)
      return undo(await wayBack(person.email))
    },
  },
  'a reset of the factors': {
    because: 'reset',
    rescue: async ({ id }) => (await world.tenantAdmin()).delete(`/api/admin/users/${id}/factors`),
  },
  'a suspension': {
    because: 'suspended',
    rescue: async ({ id }) => (await world.tenantAdmin()).patch(`/api/admin/users/${id}`, { status: 'suspended' }),
  },
}

for (const [name, { because, rescue }] of Object.entries(rescues)) {
  test(`${name} ends every key of the person for good, and nobody else’s`, async () => {
    const { ann, ben, id } = await world.organization()
    const [own, limited, bens] = [await ownKey(ann), await ownKey(ann, {}, id), await ownKey(ben)]

    await rescue(ann)

    assert.deepEqual(
      [await endOf(own), await endOf(limited), await endOf(bens)],
      [
        [because, 0],
        [because, 0],
        [null, 1],
      ],
    )
    assert.deepEqual(await actionsOn(own), ['key.ended'])
    await query(`update users set status = 'active' where id = $1`, [ann.id])
    assert.deepEqual(await endOf(own), [because, 0], 'reactivation brings none back')
  })
}

test('people see in their log what ended their keys, whoever did it, and nobody else’s', async () => {
  const tess = await world.tenantAdmin()
  const { ann, ben, id, path, members } = await world.organization()
  const revoked = await ownKey(ben)
  const [expired, left] = [await ownKey(ben, { expiresAt: inDays(-1) }), await ownKey(ben, {}, id)]
  const [own, lost] = [await ownKey(ben), await ownKey(ben)]
  await ownKey(ann)

  assert.equal((await tess.delete(`/api/admin/users/${ben.id}/keys/${revoked.id}`)).status, 200)
  await runEverywhere(world, 'settle_keys')
  assert.equal((await ann.delete(`${path}/members/${members.ben.id}`)).status, 200)
  assert.equal((await ben.delete(`/api/users/me/keys/${own.id}`)).status, 200)
  for (const status of ['suspended', 'active'])
    assert.equal((await tess.patch(`/api/admin/users/${ben.id}`, { status })).status, 200)

  const again = await world.signIn(ben)
  const endsIn = async (log: string, by: Person) =>
    (await by.get(log)).body.data
      .filter(({ action }: Json) => action === 'key.ended')
      .map(({ actor, target, details, ip }: Json) => [actor.id, target.id, details.reason, ip])
  const network = '127.0.0.1'
  const shown = [
    [tess.id, lost.id, 'suspended', null],
    [ben.id, own.id, 'revoked', network],
    [ann.id, left.id, 'removed', null],
    [null, expired.id, 'expired', null],
    [tess.id, revoked.id, 'revoked', null],
  ]
  assert.deepEqual(await endsIn('/api/users/me/audit', again), shown)
  assert.deepEqual(await endsIn('/api/users/me/audit?action=key.*', again), shown)
  assert.deepEqual(
    (await endsIn(`/api/admin/audit?userId=${ben.id}`, tess)).map(([actor, key]: Json) => [actor, key]),
    shown.map(([actor, key]) => [actor, key]),
  )
  assert.deepEqual(await endsIn('/api/users/me/audit', ann), [[ann.id, left.id, 'removed', network]])
  assert.deepEqual(await endsIn(`/api/users/me/audit`, await world.person('Zoe')), [])
})

test('a new password keeps the keys and its mail names them, unless they are to end', async () => {
  const ann = await world.person('Ann')
  const nightly = await ownKey(ann, { name: 'Nightly import', expiresAt: inDays(30) })
  const late = await ownKey(ann, { name: 'Last year', expiresAt: inDays(-1) })
  const change = { currentPassword: password, newPassword }

  assert.equal((await ann.post('/api/users/me/password', change)).status, 200)
  assert.deepEqual(await endOf(nightly), [null, 1])
  const [kept] = await mailTo(ann, /password .* was changed/)
  assert.match(kept?.text, /These keys still work: Nightly import\. If you don’t know one of them, end it\./)

  const again = { currentPassword: newPassword, newPassword: password, endKeys: true }
  assert.equal((await ann.post('/api/users/me/password', again)).status, 200)
  assert.deepEqual(await endOf(nightly), ['revoked', 0])
  assert.deepEqual(await endOf(late), [null, 1], 'what had expired did not end by it')
  const [ended] = await mailTo(ann, /password .* was changed/)
  assert.doesNotMatch(ended?.text, /keys still work/)
  const { data } = (await ann.get('/api/users/me/audit?action=password.changed')).body
  assert.deepEqual([data[0].details.endedKeys, data[1].details.endedKeys], [1, undefined])
})

/** Each way out of an organization, and what it says of a key that is limited to it. */
const waysOut: Readonly<Record<string, { because: string; goOut: (acme: Organization) => Promise<unknown> }>> = {
  leave: { because: 'left', goOut: ({ cleo, path }) => cleo.delete(`${path}/members/me`) },
  'are removed': {
    because: 'removed',
    goOut: ({ ann, path, members }) => ann.delete(`${path}/members/${members.cleo.id}`),
  },
  'have reached the end of their membership': {
    because: 'left',
    goOut: async ({ members }) => {
      await query('update memberships set expires_at = now() where id = $1', [members.cleo.id])
      await runEverywhere(world, 'settle')
    },
  },
}

for (const [name, { because, goOut }] of Object.entries(waysOut)) {
  test(`people who ${name} lose the keys that are limited to the organization, and keep the others`, async () => {
    const acme = await world.organization()
    const { body: other } = await acme.cleo.post('/api/organizations', { name: 'Other' })
    const limited = await ownKey(acme.cleo, {}, acme.id)
    const free = await ownKey(acme.cleo)
    const others = [free, await ownKey(acme.cleo, {}, other.id), await ownKey(acme.ann, {}, acme.id)]
    const read = async ({ program }: AddedKey) => (await program.get(`${acme.path}/members`)).status
    assert.deepEqual([await read(limited), await read(free)], [200, 200])

    await goOut(acme)

    assert.deepEqual(await endOf(limited), [because, 0])
    for (const key of others) assert.deepEqual(await endOf(key), [null, 1])
    assert.deepEqual([await read(limited), await read(free)], [401, 404])
  })
}

test('a suspended membership keeps the keys of its member', async () => {
  const { ann, cleo, id, path, members } = await world.organization()
  const limited = await ownKey(cleo, {}, id)

  assert.equal((await ann.patch(`${path}/members/${members.cleo.id}`, { status: 'suspended' })).status, 200)

  assert.deepEqual(await endOf(limited), [null, 1])
  const refused = await limited.program.get(`${path}/members`)
  assert.deepEqual(codeOf(refused), [403, 'membership_suspended'])
})

/** Each way in which ben, an admin, may lose a key of his organization, and whether he loses one that he covers as a member, too. */
const losses: Readonly<Record<string, { losesAll: boolean; lose: (acme: Organization) => Promise<unknown> }>> = {
  leaves: { losesAll: true, lose: ({ ben, path }) => ben.delete(`${path}/members/me`) },
  'is removed': { losesAll: true, lose: ({ ann, path, members }) => ann.delete(`${path}/members/${members.ben.id}`) },
  'is suspended as a member': {
    losesAll: true,
    lose: ({ ann, path, members }) => ann.patch(`${path}/members/${members.ben.id}`, { status: 'suspended' }),
  },
  'is suspended as a user': {
    losesAll: true,
    lose: async ({ ben }) => (await world.tenantAdmin()).patch(`/api/admin/users/${ben.id}`, { status: 'suspended' }),
  },
  'deletes their account': { losesAll: true, lose: ({ ben }) => ben.delete('/api/users/me', { password }) },
  'has reached the end of the membership': {
    losesAll: true,
    lose: async ({ members }) => {
      await query('update memberships set expires_at = now() where id = $1', [members.ben.id])
      await runEverywhere(world, 'settle')
    },
  },
  'is demoted': {
    losesAll: false,
    lose: ({ ann, path, members }) => ann.patch(`${path}/members/${members.ben.id}`, { role: 'member' }),
  },
}

for (const [name, { losesAll, lose }] of Object.entries(losses)) {
  test(`a key of an organization ends after its grace when its holder ${name}`, async () => {
    const acme = await world.organization()
    const invites = await organizationKey(acme.id, acme.ben, { name: 'Inviter', scopes: ['invitations:read'] })
    const soon = await organizationKey(acme.id, acme.ben, { scopes: ['audit:read'], expiresAt: inDays(1) })
    const reads = await organizationKey(acme.id, acme.ben)
    const anns = await organizationKey(acme.id, acme.ann, { scopes: ['invitations:write'] })
    const { body: other } = await acme.ann.post('/api/organizations', { name: 'Other' })
    await world.join(acme.ann, other.id, acme.ben, 'admin')
    const elsewhere = await organizationKey(other.id, acme.ben, { scopes: ['invitations:write'] })

    await lose(acme)

    assert.equal((await invites.program.get(`${acme.path}/invites`)).status, 200, 'it works on')
    const left = await stateOf(invites)
    assert.deepEqual([left.is_left, left.is_ended, left.secrets], [true, false, 1])
    assert.ok(left.lives !== null && left.lives > 6.9 * day && left.lives <= 7 * day, `it lives for ${left.lives} s`)
    const { lives } = await stateOf(soon)
    assert.ok(lives !== null && lives < day, 'an earlier end stays')
    assert.equal((await stateOf(reads)).is_left, losesAll, 'what every member may needs no cover')
    assert.equal((await stateOf(anns)).is_left, false)
    assert.equal((await stateOf(elsewhere)).is_left, /user|account/.test(name), 'in another organization')
    assert.deepEqual(await actionsOn(invites), ['key.holder_left'])
    const holder = name === 'deletes their account' ? null : acme.ben.id
    assert.equal(left.holder_id, holder)
    const told = await mailTo(acme.ann, /A key for .* will end/)
    const [mail, ...others] = told.filter(({ text }) => text.includes('“Inviter”'))
    assert.match(mail?.text, /The person who knows its secret has left, no longer has the rights that it gives, or /)
    assert.deepEqual([others, await mailTo(acme.cleo, /A key/)], [[], []], 'one mail, to the owner')
  })
}

test('a holder who still covers a key keeps it', async () => {
  const { ann, ben, cleo, id, path, members } = await world.organization()
  const [admins, owners] = [
    await organizationKey(id, ben, { scopes: ['invitations:write'] }),
    await organizationKey(id, ann, { scopes: ['members:remove'] }),
  ]
  const change = (member: Json, body: Json) => ann.patch(`${path}/members/${member.id}`, body)

  assert.equal((await change(members.ben, { role: 'owner' })).status, 200)
  assert.equal((await change(members.ben, { role: 'admin' })).status, 200)
  assert.equal((await change(members.ben, { expiresAt: inDays(3) })).status, 200)
  assert.equal((await ann.delete(`${path}/members/${members.cleo.id}`)).status, 200)
  await change(members.ben, { expiresAt: null })
  const { status } = await ann.post(`${path}/transfer`, { memberId: members.ben.id })
  assert.equal(status, 200, cleo.id)
  await runEverywhere(world, 'settle_keys')

  assert.deepEqual([(await stateOf(admins)).is_left, (await stateOf(owners)).is_left], [false, false])
})

test('an owner who hands the organization on loses the keys that an admin does not cover', async () => {
  const { ann, id, path, members, tess } = { ...(await world.organization()), tess: await world.tenantAdmin() }
  await putPermission(tess, 'ledger:close', 'owner')
  const [closes, invites] = [
    await organizationKey(id, ann, { scopes: ['ledger:close'] }),
    await organizationKey(id, ann, { scopes: ['invitations:write'] }),
  ]

  assert.equal((await ann.post(`${path}/transfer`, { memberId: members.ben.id })).status, 200)

  assert.deepEqual([(await stateOf(closes)).is_left, (await stateOf(invites)).is_left], [true, false])
})

test('without grace a key ends when its holder goes, and its owners hear that it has ended', async (t) => {
  const { ann, ben, id, path, members } = await world.organization()
  await query('update tenants set key_grace_seconds = 0')
  t.after(() => query('update tenants set key_grace_seconds = 604800'))
  const key = await organizationKey(id, ben, { scopes: ['invitations:write'] })

  await ann.delete(`${path}/members/${members.ben.id}`)

  assert.deepEqual(await endOf(key), ['holder_left', 0])
  assert.deepEqual(await actionsOn(key), ['key.holder_left', 'key.ended'])
  const [mail] = await mailTo(ann, /A key for .* has ended/)
  assert.match(mail?.text, /make a new key/)
})

/** The access model with one permission of the product more. */
async function putPermission(admin: Person, key: string, minimumRole: string, roles: Json[] = []): Promise<void> {
  const { body } = await admin.get('/api/admin/access')
  const own = body.permissions.filter((each: Json) => !each.builtIn && each.key !== key)
  const permissions = [...own, { key, name: key, minimumRole }].map(({ key, name, minimumRole }) => ({
    ...{ key, name, minimumRole },
  }))
  const others = body.roles
    .filter(({ source }: Json) => source === 'tenant')
    .map(({ key, name, permissions }: Json) => ({ key, name, permissions }))
  const { status } = await admin.put('/api/admin/access', { permissions, roles: [...others, ...roles] })
  assert.equal(status, 200)
}

test('the hourly task finds holders whose right has ended by time or by the access model', async () => {
  const tess = await world.tenantAdmin()
  await putPermission(tess, 'reports:send', 'admin', [{ key: 'closer', name: 'Closer', permissions: ['audit:read'] }])
  const { ann, ben, cleo, id, path, members } = await world.organization()
  const byModel = await organizationKey(id, ben, { scopes: ['reports:send'] })
  const grants = [{ role: 'closer', expiresAt: inDays(1) }]
  assert.equal((await ann.patch(`${path}/members/${members.cleo.id}`, { grants })).status, 200)
  const byTime = await organizationKey(id, cleo, { scopes: ['audit:read'] })
  await runEverywhere(world, 'settle_keys')
  assert.deepEqual([(await stateOf(byModel)).is_left, (await stateOf(byTime)).is_left], [false, false])

  await putPermission(tess, 'reports:send', 'owner')
  await query('update role_grants set expires_at = now() where membership_id = $1', [members.cleo.id])
  await runEverywhere(world, 'settle_keys')

  assert.deepEqual([(await stateOf(byModel)).is_left, (await stateOf(byTime)).is_left], [true, true])
  const [entry] = await query<{ actor_type: string; organization_id: string }>(
    `select actor_type, organization_id from audit_entries where target_id = $1`,
    [byTime.id],
  )
  assert.deepEqual(entry, { actor_type: 'system', organization_id: id })
})

/** Each way in which a holder of the tenant’s keys may lose them. */
const lossesOfAdmins: Readonly<Record<string, (admin: Person, other: Person) => Promise<Answer>>> = {
  'is demoted': ({ id }, other) => other.patch(`/api/admin/users/${id}`, { role: 'user' }),
  'is suspended': ({ id }, other) => other.patch(`/api/admin/users/${id}`, { status: 'suspended' }),
  'is deleted': ({ id }, other) => other.delete(`/api/admin/users/${id}`),
}

for (const [name, lose] of Object.entries(lossesOfAdmins)) {
  test(`a key of the tenant ends after its grace when its holder ${name}`, async () => {
    const [tess, other] = [await world.tenantAdmin(), await world.tenantAdmin()]
    const [key, others] = [await tenantKey(tess, { name: 'Back end' }), await tenantKey(other)]

    assert.equal((await lose(tess, other)).status, 200)

    const { is_left, is_ended, holder_id } = await stateOf(key)
    assert.deepEqual([is_left, is_ended, holder_id], [true, false, name === 'is deleted' ? null : tess.id])
    assert.equal((await stateOf(others)).is_left, false)
    const [mail] = await mailTo(other, /A key for Guildhall will end/)
    assert.match(mail?.text, /The key “Back end” of Guildhall ends on /)
  })
}

test('an admin who is promoted, renamed or reactivated keeps their keys', async () => {
  const [tess, other] = [await world.tenantAdmin(), await world.tenantAdmin()]
  const key = await tenantKey(tess)

  assert.equal((await other.patch(`/api/admin/users/${tess.id}`, { name: 'Tessa', role: 'admin' })).status, 200)
  await runEverywhere(world, 'settle_keys')

  assert.equal((await stateOf(key)).is_left, false)
})
