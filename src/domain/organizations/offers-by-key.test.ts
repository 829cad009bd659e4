/** Offers by keys: what becomes of the invitations and links that a key has made. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { hold, holdRow } from '../../../test/holding.ts'
import { offerKeys } from '../../../test/key-requests.ts'
import { type AddedKey, onStoredKeys } from '../../../test/stored-keys.ts'
import {
  type Answer,
  codeOf,
  createWorld,
  type Json,
  type Organization,
  type Person,
  password,
} from '../../../test/world.ts'
import { runEverywhere } from '../../tasks.ts'
import { makeMailedToken } from '../access/tokens.ts'

const world = await createWorld()
const { query, awaitLine } = world.postgres
const { ownKey, organizationKey, tenantKey } = onStoredKeys(world)
await offerKeys(world)
const tess = await world.tenantAdmin()

const inDays = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString()
const scopes = ['invitations:write', 'invitations:read']
/** A person’s key gives nothing for longer than it lives. */
const [expiresAt, memberExpiresAt] = [inDays(30), inDays(20)]

/** A key of each kind that invites to an organization: ben's own, one of the organization that he holds, and one of the tenant. */
const kinds: Readonly<Record<string, (acme: Organization) => Promise<AddedKey>>> = {
  'a person’s key': ({ ben }) => ownKey(ben, { scopes, expiresAt }),
  'a person’s key in one organization': ({ ben, id }) => ownKey(ben, { scopes, expiresAt }, id),
  'an organization’s key': ({ ben, id }) => organizationKey(id, ben, { scopes, expiresAt }),
  'the tenant’s key': () => tenantKey(tess, { scopes, expiresAt }),
}

interface Offers {
  readonly guest: Person
  readonly invitation: Json
  readonly link: Json
}

/** An invitation and a link by a program. */
async function offer(program: AddedKey['program'], { path }: Organization): Promise<Offers> {
  const guest = await world.person('Guest')
  const invited = await program.post(`${path}/invites`, { email: guest.email, memberExpiresAt })
  const linked = await program.post(`${path}/links`, { memberExpiresAt })
  assert.deepEqual([invited.status, linked.status], [201, 201], JSON.stringify([invited.body, linked.body]))
  return { guest, invitation: invited.body, link: linked.body }
}

/** What the page behind an invitation's mailed link shows, until it is sent again. */
function preview({ id }: Json): Promise<Answer> {
  const token = makeMailedToken(world.keyring, 'invitation', { tenant: world.tenantId, id, generation: 1 })
  return world.nobody.post(`/api/invites/${id}/preview`, { token })
}

/** How the organization sees both, and what those get who would take them. */
async function lookAt({ ann, path }: Organization, { guest, invitation, link }: Offers) {
  const [{ body: shownInvitation }, { body: shownLink }] = [
    await ann.get(`${path}/invites/${invitation.id}`),
    await ann.get(`${path}/links/${link.id}`),
  ]
  const joiner = await world.person('Joiner')
  const token = link.url.split('#token=')[1]
  const answers = [
    await preview(invitation),
    await world.nobody.post('/api/links/preview', { token }),
    await joiner.post('/api/links/join', { token }),
    await guest.post(`/api/invites/${invitation.id}/accept`),
  ].map((answer: Answer) => answer.body.code ?? answer.status)
  return { shown: [shownInvitation.status, shownLink.status], answers }
}

const live = { shown: ['pending', 'live'], answers: [200, 200, 200, 200] }
const over = {
  shown: ['revoked', 'ended'],
  answers: ['invitation_revoked', 'link_ended', 'link_ended', 'invitation_revoked'],
}
/** Dead, and not closed yet. */
const dead = { ...over, shown: live.shown }

for (const [name, make] of Object.entries(kinds)) {
  test(`what ${name} offers may be taken while it lives, and ends with it`, async () => {
    const acme = await world.organization()
    const { program, id } = await make(acme)
    const [taken, left] = [await offer(program, acme), await offer(program, acme)]
    assert.deepEqual(await lookAt(acme, taken), live)

    await query(`update tenants set personal_keys = false, organization_keys = false where id = $1`, [world.tenantId])
    assert.deepEqual(await lookAt(acme, left), name === 'the tenant’s key' ? live : dead, 'keys are not offered')
    await offerKeys(world)
    const next = await offer(program, acme)
    const list = name.startsWith('a person')
      ? acme.ben.delete(`/api/users/me/keys/${id}`)
      : name.startsWith('an org')
        ? acme.ann.delete(`${acme.path}/keys/${id}`)
        : tess.delete(`/api/admin/keys/${id}`)
    assert.equal((await list).status, 200)

    assert.deepEqual(await lookAt(acme, next), over)
    assert.deepEqual(codeOf(await program.get(`${acme.path}/invites`)), [401, 'unauthenticated'])
    const { data } = (await acme.ann.get(`${acme.path}/audit?action=invitation.revoked,link.ended`)).body
    const told = data.filter(({ target }: Json) => [next.invitation.id, next.link.id].includes(target.id))
    assert.deepEqual(told.map(({ action, details }: Json) => [action, details]).sort(), [
      ['invitation.revoked', { cause: 'key_ended' }],
      ['link.ended', { cause: 'key_ended', reason: 'maker' }],
    ])
  })

  test(`the preview of an invitation by ${name} names its maker`, async () => {
    const acme = await world.organization()
    const { program, id } = await make(acme)
    const { invitation } = await offer(program, acme)

    const { status, body } = await preview(invitation)

    const [key] = await query('select name from api_keys where id = $1', [id])
    const maker = name.startsWith('a person') ? { id: acme.ben.id, name: 'Ben' } : { id, name: key?.name }
    assert.deepEqual([status, body.invitedBy], [200, maker])
  })

  test(`what ${name} offers is dead from the moment at which the key expires, and the hourly task ends it`, async () => {
    const acme = await world.organization()
    const { program, id } = await make(acme)
    const [first, second] = [await offer(program, acme), await offer(program, acme)]
    await query('update api_keys set expires_at = now() where id = $1', [id])
    assert.deepEqual(await lookAt(acme, first), dead)
    const again = await acme.ann.post(`${acme.path}/invites`, { email: first.guest.email })
    assert.equal(again.status, 201, 'a dead one stands in nobody’s way')

    await runEverywhere(world, 'settle_keys')

    assert.deepEqual(await lookAt(acme, second), over)
  })
}

test('a sign-up waits for the key that made its invitation before it locks the invitation', async (t) => {
  const acme = await world.organization()
  const { program, id } = await organizationKey(acme.id, acme.ann, { scopes, expiresAt })
  const email = 'newcomer@example.com'
  const { body: invitation } = await program.post(`${acme.path}/invites`, { email, memberExpiresAt })
  const row = { tenant: world.tenantId, id: invitation.id, generation: 1 }
  const invitationToken = makeMailedToken(world.keyring, 'invitation', row)
  const release = await holdRow(t, world.postgres, 'api_keys', id)
  const signingUp = world.nobody.post('/api/auth/sign-up', { email, password, invitationToken })
  await awaitLine(1)
  const free = await query('select from invitations where tenant_id = $1 and id = $2 for no key update skip locked', [
    world.tenantId,
    invitation.id,
  ])
  await release()

  assert.equal(free.length, 1)
  assert.equal((await signingUp).status, 201)
})

test('a rotation ends nothing that the key has offered, and narrowing what it could no longer offer', async () => {
  const acme = await world.organization()
  const { program, id } = await organizationKey(acme.id, acme.ann, { scopes: [...scopes, 'members:update'], expiresAt })
  const [kept, second] = [await offer(program, acme), await offer(program, acme)]
  const path = `${acme.path}/keys/${id}`

  assert.equal((await acme.ann.post(`${path}/rotate`)).status, 200)
  assert.equal((await acme.ann.patch(path, { scopes })).status, 200)
  assert.deepEqual(await lookAt(acme, kept), live)
  assert.equal((await acme.ann.patch(path, { scopes: ['invitations:read'] })).status, 200)
  assert.deepEqual(await lookAt(acme, second), over)
  const { data } = (await acme.ann.get(`${acme.path}/audit?action=invitation.revoked`)).body
  assert.deepEqual([data[0].details, data[0].actor.id], [{ cause: 'key_narrowed' }, acme.ann.id])
})

test('what an organization’s key offers lives through its grace, and not longer', async () => {
  const acme = await world.organization()
  const { program, id } = await organizationKey(acme.id, acme.ben, { scopes })
  const offers = async () => {
    const guest = await world.person('Guest')
    const { body } = await program.post(`${acme.path}/invites`, { email: guest.email })
    return { guest, invitation: body, link: (await program.post(`${acme.path}/links`, {})).body }
  }
  const [first, second] = [await offers(), await offers()]
  assert.equal((await acme.ann.delete(`${acme.path}/members/${acme.members.ben.id}`)).status, 200)
  await runEverywhere(world, 'settle')
  assert.deepEqual(await lookAt(acme, first), live)

  await query('update api_keys set expires_at = now() where id = $1', [id])

  assert.deepEqual(await lookAt(acme, second), dead)
})

test('what a person’s key offers ends when the person loses the right to it', async () => {
  const acme = await world.organization()
  const { program } = await ownKey(acme.ben, { scopes, expiresAt })
  const offers = await offer(program, acme)

  await acme.ann.patch(`${acme.path}/members/${acme.members.ben.id}`, { role: 'member' })

  assert.deepEqual(await lookAt(acme, offers), over)
})

test('an invitation that somebody has sent again outlives the key that sent it first, and not the key that sent it again', async () => {
  const acme = await world.organization()
  const [one, other] = [
    await organizationKey(acme.id, acme.ann, { scopes, expiresAt }),
    await organizationKey(acme.id, acme.ann, { scopes, expiresAt }),
  ]
  const [{ invitation, guest }, resent] = [await offer(one.program, acme), await offer(one.program, acme)]
  assert.equal((await acme.ben.post(`${acme.path}/invites/${invitation.id}/resend`)).status, 200)
  assert.equal((await other.program.post(`${acme.path}/invites/${resent.invitation.id}/resend`)).status, 200)

  await acme.ann.delete(`${acme.path}/keys/${one.id}`)
  assert.equal((await guest.post(`/api/invites/${invitation.id}/accept`)).status, 200)
  const read = async () => (await acme.ann.get(`${acme.path}/invites/${resent.invitation.id}`)).body.status
  assert.equal(await read(), 'pending')
  await acme.ann.delete(`${acme.path}/keys/${other.id}`)
  assert.equal(await read(), 'revoked')
})

test('an invitation that somebody sends again while the key that made it is narrowed stays', async (t) => {
  const acme = await world.organization()
  const { program, id } = await organizationKey(acme.id, acme.ann, { scopes, expiresAt })
  const { invitation } = await offer(program, acme)
  const release = await hold(
    t,
    world.postgres,
    `update invitations set key_id = null, invited_by = $3, generation = generation + 1 where tenant_id = $1 and id = $2`,
    [world.tenantId, invitation.id, acme.ben.id],
  )

  const narrowing = acme.ann.patch(`${acme.path}/keys/${id}`, { scopes: ['invitations:read'] })
  await awaitLine(1)
  await release()

  assert.equal((await narrowing).status, 200)
  assert.equal((await acme.ann.get(`${acme.path}/invites/${invitation.id}`)).body.status, 'pending')
})

test('what the access model takes from a key ends what it has offered, within the hour', async () => {
  const acme = await world.organization()
  const { program } = await tenantKey(tess, { scopes: [...scopes, 'members:update'], expiresAt })
  const role = (permissions: string[]) => ({ key: 'helper', name: 'Helper', permissions })
  const put = (permissions: string[]) => tess.put('/api/admin/access', { permissions: [], roles: [role(permissions)] })
  assert.equal((await put(['members:update'])).status, 200)
  const guest = await world.person('Guest')
  const grants = [{ role: 'helper' }]
  const { body } = await program.post(`${acme.path}/invites`, { email: guest.email, grants, memberExpiresAt })
  await runEverywhere(world, 'settle')
  const read = async () => (await acme.ann.get(`${acme.path}/invites/${body.id}`)).body.status
  assert.equal(await read(), 'pending')

  assert.equal((await put(['members:update', 'members:remove'])).status, 200)
  assert.deepEqual(codeOf(await guest.post(`/api/invites/${body.id}/accept`)), [410, 'invitation_revoked'])
  await runEverywhere(world, 'settle')
  assert.equal(await read(), 'revoked')
})

test('whoever takes an offer while its key ends waits for the end, and gets nothing', async (t) => {
  const acme = await world.organization()
  const key = await tenantKey(tess, { scopes, expiresAt })
  const { guest, invitation, link } = await offer(key.program, acme)
  const joiner = await world.person('Joiner')
  const token = link.url.split('#token=')[1]
  const release = await holdRow(t, world.postgres, 'invitations', invitation.id)

  const ending = tess.delete(`/api/admin/keys/${key.id}`) // has ended the key, and waits for the invitation
  await world.postgres.awaitLine(1)
  const accepting = guest.post(`/api/invites/${invitation.id}/accept`)
  await world.postgres.awaitLine(2)
  const joining = joiner.post('/api/links/join', { token })
  await world.postgres.awaitLine(3)
  await release()

  const answers = await Promise.all([ending, accepting, joining])
  assert.deepEqual(answers.map(codeOf), [[200], [410, 'invitation_revoked'], [410, 'link_ended']])
  const { status } = (await acme.ann.get(`${acme.path}/invites/${invitation.id}`)).body
  assert.deepEqual([status, (await guest.get(acme.path)).status], ['revoked', 404])
})

test('an offer that a key makes while it ends is not made, or ends with it', async () => {
  for (let round = 0; round < 4; round++) {
    const acme = await world.organization()
    const { program, id } = await tenantKey(tess, { scopes, expiresAt })
    const guests = await Promise.all(Array.from({ length: 10 }, () => world.person('Guest')))
    const making = guests.map(({ email }) => program.post(`${acme.path}/invites`, { email, memberExpiresAt }))
    const [, ended] = await Promise.all([making[0], tess.delete(`/api/admin/keys/${id}`)])
    const made = await Promise.all(making)
    assert.equal(ended.status, 200)
    for (const { status } of made) assert.ok(status === 201 || status === 401, String(status))
    const { data } = (await acme.ann.get(`${acme.path}/invites`)).body
    const theirs = data.filter(({ email }: Json) => guests.some((guest) => guest.email === email))
    assert.equal(theirs.length, made.filter(({ status }) => status === 201).length)
    for (const { status } of theirs) assert.equal(status, 'revoked')
  }
})
