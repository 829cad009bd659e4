import assert from 'node:assert/strict'
import { test } from 'node:test'
import { makeLink } from '../../../test/membership-requests.ts'
import { statuses, together } from '../../../test/races.ts'
import { type Answer, codeOf, createWorld, type Json, type Person, password } from '../../../test/world.ts'

const world = await createWorld({ processes: 4 })
const { query } = world.postgres
const tess = await world.tenantAdmin()
const join = (person: Person, token: string) => person.post('/api/links/join', { token })
/** Tries again while too many wait for the same row, as clients do. */
async function joinPatiently(person: Person, token: string): Promise<Answer> {
  for (;;) {
    const answer = await join(person, token)
    if (answer.status !== 503) return answer
  }
}
const putModel = (...ofWriters: string[]) =>
  tess.put('/api/admin/access', {
    permissions: [{ key: 'notes:write', name: 'Write' }],
    roles: [
      { key: 'writer', name: 'Writer', permissions: ['notes:write', ...ofWriters] },
      { key: 'auditor', name: 'Auditor', permissions: ['audit:read'] },
    ],
  })
await putModel()

test('a link shows what it offers to anybody who has it, and makes members until it is used up', async () => {
  const { ann, dan, id, path, slug } = await world.organization()
  const made = await ann.post(`/api/organizations/${slug}/links`, { grants: [{ role: 'writer' }], maxUses: 1 })
  assert.equal(made.status, 201)
  // The slug may change, the id does not.
  assert.equal(made.headers.get('location'), `${path}/links/${made.body.id}`)
  const token = made.body.url.split('/join#token=')[1]

  const preview = await world.nobody.post('/api/links/preview', { token })
  assert.deepEqual(
    [preview.status, preview.body.organization.id, preview.body.invitedBy.name, preview.body.roles],
    [
      200,
      id,
      'Ann',
      [
        { key: 'member', name: 'Member' },
        { key: 'writer', name: 'Writer' },
      ],
    ],
  )
  const { status, body } = await join(dan, token)
  assert.deepEqual([status, body.member.roles, body.organization.memberCount], [200, ['member', 'writer'], 4])
  assert.equal((await dan.get(`${path}/check/notes:write`)).status, 204)
  assert.deepEqual((await join(dan, token)).body.member.id, body.member.id, 'a member gets the same, and uses nothing')

  const used = (await ann.get(`${path}/links/${made.body.id}`)).body
  assert.deepEqual([used.uses, used.status, used.endedBecause, used.url], [1, 'ended', 'used', null])
  assert.deepEqual(codeOf(await join(await world.person(), token)), [410, 'link_ended'])
  const { data } = (await ann.get(`${path}/audit?action=member.joined&limit=1`)).body
  assert.deepEqual(data[0].details, { role: 'member', via: 'link', grants: ['writer'] })
  const ends = (await ann.get(`${path}/audit?action=link.ended`)).body.data
  assert.deepEqual(
    ends.map(({ target, details }: Json) => [target.id, details]),
    [[made.body.id, { reason: 'used' }]],
  )
})

test('the log says which roles and which end somebody gets, by whatever way they join', async () => {
  const { ann, dan, id, path } = await world.organization()
  const [ends, later] = [1, 2].map((days) => new Date(Date.now() + days * 86_400_000).toISOString()) as [string, string]
  const grants = [{ role: 'writer', expiresAt: ends }]
  const { body: invitation } = await ann.post(`${path}/invites`, { email: dan.email, grants, memberExpiresAt: later })
  assert.equal((await dan.post(`/api/invites/${invitation.id}/accept`)).status, 200)
  const { token } = await makeLink(ann, id, { grants, memberExpiresAt: later })
  assert.equal((await join(await world.person(), token)).status, 200)
  const given = { userId: (await world.person()).id, grants, expiresAt: later }
  assert.equal((await tess.post(`/api/admin/organizations/${id}/members`, given)).status, 201)

  const { data } = (await ann.get(`${path}/audit?action=invitation.sent,link.created,member.joined&limit=5`)).body
  assert.deepEqual(
    data.map(({ action, details }: Json) => [action, details.via, details.grants, details.expiresAt]),
    [
      ['member.joined', 'admin'],
      ['member.joined', 'link'],
      ['link.created', undefined],
      ['member.joined', 'invitation'],
      ['invitation.sent', undefined],
    ].map((each) => [...each, [`writer until ${ends}`], later]),
  )
})

test('a link that ends with the account of its maker is recorded once, as invitations are', async () => {
  const { ann, ben, path } = await world.organization()
  const { body: link } = await ben.post(`${path}/links`, {})
  const { body: expired } = await ben.post(`${path}/links`, {})
  await query('update links set expires_at = now() where id = $1', [expired.id])
  assert.equal((await ben.delete('/api/users/me', { password })).status, 200)

  const listed = (await ann.get(`${path}/links`)).body.data
  assert.deepEqual(
    listed.map(({ id, endedBecause, createdBy }: Json) => [id, endedBecause, createdBy]).sort(),
    [
      [link.id, 'maker', null],
      [expired.id, 'expired', null],
    ].sort(),
  )
  const { data } = (await ann.get(`${path}/audit?action=link.ended`)).body
  assert.deepEqual(
    data.map(({ actor, target, details }: Json) => [actor.type, target.id, details]),
    [['system', link.id, { reason: 'maker' }]],
  )
})

test('every end of a link is answered alike, and a token that is not ours is not found', async () => {
  const { ann, path, id } = await world.organization()
  const eve = await world.person('Eve')
  const ends: Record<string, (linkId: string) => Promise<unknown>> = {
    revoked: (linkId) => ann.delete(`${path}/links/${linkId}`),
    expired: (linkId) => query('update links set expires_at = now() where id = $1', [linkId]),
    used: (linkId) => query('update links set uses = max_uses, ended_at = now() where id = $1', [linkId]),
  }
  for (const [end, bring] of Object.entries(ends)) {
    const link = await makeLink(ann, id)
    await bring(link.id)
    assert.deepEqual(codeOf(await join(eve, link.token)), [410, 'link_ended'], end)
    assert.deepEqual(codeOf(await world.nobody.post('/api/links/preview', { token: link.token })), [410, 'link_ended'])
  }
  const { token } = await makeLink(ann, id)
  const end = token.endsWith('A') ? 'E' : 'A' // the last two bits of this character mean nothing
  for (const wrong of [`${token.slice(0, -1)}${end}`, `${token.slice(0, -1)}B`, 'wrong']) {
    assert.deepEqual(codeOf(await join(eve, wrong)), [404, 'not_found'], wrong)
    const preview = await world.nobody.post('/api/links/preview', { token: wrong })
    assert.deepEqual(codeOf(preview), [404, 'not_found'], wrong)
  }
  assert.deepEqual(codeOf(await world.nobody.post('/api/links/preview', { token: '' })), [400, 'invalid_request'])
  const { slug } = await world.tenant()
  const stranger = await world.person('Stranger', { tenant: slug })
  assert.deepEqual(codeOf(await join(stranger, token)), [404, 'not_found'])

  await tess.patch('/api/admin/tenant', { shareLinks: false })
  assert.deepEqual(codeOf(await join(eve, token)), [410, 'link_ended'])
  assert.deepEqual(codeOf(await ann.post(`${path}/links`, {})), [403, 'not_offered'])
  await tess.patch('/api/admin/tenant', { shareLinks: true })
  assert.equal((await join(eve, token)).status, 200)
})

test('joining needs a verified address of an allowed domain', async () => {
  const { ann, id } = await world.organization()
  const { token } = await makeLink(ann, id, { emailDomains: ['Example.COM'] })
  const unverified = await world.person('New', { verified: false })
  const elsewhere = await world.person('Else', { email: `else-${id.slice(-6)}@example.org` })
  assert.deepEqual(codeOf(await join(unverified, token)), [403, 'email_not_verified'])
  assert.deepEqual(codeOf(await join(elsewhere, token)), [403, 'email_domain_not_allowed'])
})

test('whoever was removed stays out of every link until an invitation or an admin lets them in', async () => {
  const { ann, cleo, ben, id, path, members } = await world.organization()
  const { token } = await makeLink(ann, id)
  await ann.delete(`${path}/members/${members.cleo.id}`)
  await ben.delete(`${path}/members/me`)
  assert.deepEqual(codeOf(await join(cleo, token)), [403, 'removed_member'])
  assert.equal((await join(ben, token)).status, 200, 'leaving is no removal')
  const { body: invitation } = await ann.post(`${path}/invites`, { email: cleo.email })
  assert.equal((await cleo.post(`/api/invites/${invitation.id}/accept`)).status, 200)
  await cleo.delete(`${path}/members/me`)
  assert.equal((await join(cleo, token)).status, 200)
})

test('no link lets in who left, or whose time ended, while suspended', async () => {
  const { ann, ben, cleo, id, path, members } = await world.organization()
  const { token } = await makeLink(ann, id)
  for (const { id: member } of [members.ben, members.cleo])
    assert.equal((await ann.patch(`${path}/members/${member}`, { status: 'suspended' })).status, 200)
  assert.equal((await ben.delete(`${path}/members/me`)).status, 200)
  assert.deepEqual(codeOf(await join(ben, token)), [403, 'removed_member'])

  await query('update memberships set expires_at = now() where id = $1', [members.cleo.id])
  assert.deepEqual(codeOf(await join(cleo, token)), [403, 'removed_member'], 'before it is settled')
  await ann.patch(`${path}/members/${members.ann.id}`, {}) // settles
  assert.deepEqual(codeOf(await join(cleo, token)), [403, 'removed_member'])

  const { body: invitation } = await ann.post(`${path}/invites`, { email: cleo.email })
  assert.equal((await cleo.post(`/api/invites/${invitation.id}/accept`)).status, 200)
})

test('who is invited after a membership that ended while suspended is let in, also before it is settled', async () => {
  for (const isSettled of [true, false]) {
    const { ann, cleo, path, members } = await world.organization()
    await ann.patch(`${path}/members/${members.cleo.id}`, { status: 'suspended' })
    await query('update memberships set expires_at = now() where id = $1', [members.cleo.id])
    const { body: invitation } = await ann.post(`${path}/invites`, { email: cleo.email })
    if (isSettled) await ann.patch(`${path}/members/${members.ann.id}`, {})
    assert.equal((await cleo.post(`/api/invites/${invitation.id}/accept`)).status, 200)
  }
})

test('who is put out of an organization cannot accept an invitation that they had before', async () => {
  for (const end of ['removed', 'left while suspended', 'ended while suspended']) {
    const { ann, dan, id, path } = await world.organization()
    const { body: invitation } = await ann.post(`${path}/invites`, { email: dan.email })
    const { token } = await makeLink(ann, id)
    const member = `${path}/members/${(await join(dan, token)).body.member.id}`
    if (end !== 'removed') await ann.patch(member, { status: 'suspended' })
    if (end === 'removed') await ann.delete(member)
    else if (end === 'left while suspended') await dan.delete(`${path}/members/me`)
    else await query('update memberships set expires_at = now() where user_id = $1', [dan.id])

    assert.deepEqual(codeOf(await dan.post(`/api/invites/${invitation.id}/accept`)), [410, 'invitation_revoked'], end)

    if (end === 'ended while suspended') continue // nothing has settled it
    assert.equal((await ann.get(`${path}/invites/${invitation.id}`)).body.status, 'revoked')
    const { data } = (await ann.get(`${path}/audit?action=invitation.revoked`)).body
    assert.deepEqual(
      data.map(({ details }: Json) => details),
      [{ cause: 'invitee_excluded' }],
    )
  }
})

test('a link gives no built-in permission, and nothing that its maker does not hold', async () => {
  const { ann, cleo, path } = await world.organization()
  const { status, body } = await ann.post(`${path}/links`, { grants: [{ role: 'auditor' }] })
  assert.deepEqual([status, body.errors[0].pointer], [400, '/grants/0/role'])
  assert.deepEqual(codeOf(await cleo.post(`${path}/links`, {})), [403, 'forbidden'])
})

test('a domain that is none is named with the form that is needed', async () => {
  const { ann, path } = await world.organization()
  const { status, body } = await ann.post(`${path}/links`, { emailDomains: ['example.com', '@example.com'] })
  assert.deepEqual(
    [status, body.errors],
    [
      400,
      [
        {
          pointer: '/emailDomains/1',
          code: 'invalid_format',
          detail: 'Enter a domain like example.com, without @ or a path.',
        },
      ],
    ],
  )
})

test('a link is dead while a role that it gives contains a built-in permission', async () => {
  const { ann, dan, id } = await world.organization()
  const { token } = await makeLink(ann, id, { grants: [{ role: 'writer' }] })
  await putModel('members:remove')
  assert.deepEqual(codeOf(await world.nobody.post('/api/links/preview', { token })), [410, 'link_ended'])
  assert.deepEqual(codeOf(await join(dan, token)), [410, 'link_ended'])
  await putModel()
  assert.equal((await join(dan, token)).status, 200)
})

test('links are listed by their status, and the roles say which of them a link may give', async () => {
  const { ann, cleo, path } = await world.organization()
  const made: string[] = []
  for (const _each of ['live', 'revoked', 'expired']) made.push((await ann.post(`${path}/links`, {})).body.id)
  const [live, revoked, expired] = made
  await ann.delete(`${path}/links/${revoked}`)
  await query('update links set expires_at = now() where id = $1', [expired])
  const listed = async (status: string) =>
    (await ann.get(`${path}/links?status=${status}`)).body.data.map(({ id, endedBecause }: Json) => [id, endedBecause])
  assert.deepEqual(await listed('live'), [[live, null]])
  assert.deepEqual(await listed('ended'), [
    [expired, 'expired'],
    [revoked, 'revoked'],
  ])

  const shared = async (person: Person) =>
    (await person.get(`${path}/roles`)).body.data.filter(({ mayShare }: Json) => mayShare).map(({ key }: Json) => key)
  assert.deepEqual([await shared(ann), await shared(cleo)], [['writer'], []])
})

test('the URL of a link is shown to those who could make the link, and to nobody who would get more by it', async () => {
  await tess.put('/api/admin/access', {
    permissions: [
      { key: 'notes:write', name: 'Write' },
      { key: 'notes:export', name: 'Export', minimumRole: 'owner' },
    ],
    roles: [
      { key: 'writer', name: 'Writer', permissions: ['notes:write'] },
      { key: 'exporter', name: 'Exporter', permissions: ['notes:export'] },
    ],
  })
  const { ann, ben, path, members } = await world.organization()
  const [soon, later, end] = [1, 3, 2].map((days) => new Date(Date.now() + days * 86_400_000).toISOString())
  const make = async (body: object): Promise<string> => (await ann.post(`${path}/links`, body)).body.id
  const links = {
    writer: await make({ grants: [{ role: 'writer' }] }),
    exporter: await make({ grants: [{ role: 'exporter' }] }),
    soon: await make({ memberExpiresAt: soon }),
    later: await make({ memberExpiresAt: later }),
  }
  /** The links with a URL, which a list and each link by itself show alike. */
  const shownTo = async (person: Person) => {
    const listed = new Map((await person.get(`${path}/links`)).body.data.map(({ id, url }: Json) => [id, url]))
    const shown: string[] = []
    for (const [name, id] of Object.entries(links)) {
      const { url, status } = (await person.get(`${path}/links/${id}`)).body
      assert.deepEqual([status, url], ['live', listed.get(id)])
      if (url !== null) shown.push(name)
    }
    return shown
  }

  assert.deepEqual(await shownTo(ann), ['writer', 'exporter', 'soon', 'later'])
  assert.deepEqual(await shownTo(ben), ['writer', 'soon', 'later'])
  await ann.patch(`${path}/members/${members.ben.id}`, { expiresAt: end })
  assert.deepEqual(await shownTo(ben), ['soon'])
  await putModel()
})

test('the token of a link is stored nowhere, not even in an answer that is kept for its idempotency key', async () => {
  const { ann, path } = await world.organization()
  const send = () => ann.post(`${path}/links`, {}, { 'idempotency-key': '"a-link"' })
  const [first, again] = [await send(), await send()]
  assert.equal(again.body.url, first.body.url)
  const mac = first.body.url.slice(-43)
  const kept = await query<{ answer: string }>('select row_to_json(k)::text as answer from idempotency_keys k')
  assert.ok(kept.length > 0 && kept.every(({ answer }) => !answer.includes(mac) && !answer.includes('ghl_')))
})

test('an organization has at most twenty live links', async () => {
  const { ann, path } = await world.organization()
  for (let count = 0; count < 20; count++) assert.equal((await ann.post(`${path}/links`, {})).status, 201)
  assert.deepEqual(codeOf(await ann.post(`${path}/links`, {})), [409, 'limit_reached'])
})

test('fifty people at once: the last use of a link and the last place go to one of them, and the counts are exact', async () => {
  const people = await Promise.all(Array.from({ length: 50 }, () => world.person()))
  for (const [body, limit, lost] of [
    [{ maxUses: 1 }, null, '410 link_ended'],
    [{ maxUses: 100 }, 4, '409 members_full'],
  ] as const) {
    const { ann, id, path } = await world.organization()
    await query('update organizations set member_limit = $2 where id = $1', [id, limit])
    const { token } = await makeLink(ann, id, body)
    const answers = await together(...people.map((person) => () => joinPatiently(person, token)))
    assert.deepEqual(statuses(answers), ['200', ...Array.from({ length: 49 }, () => lost)])
    const [counts] = await query<Json>(
      `select o.member_count, (select count(*)::integer from memberships m where m.tenant_id = o.tenant_id and m.organization_id = o.id) as members,
         (select uses from links l where l.tenant_id = o.tenant_id and l.organization_id = o.id) as uses
       from organizations o where id = $1`,
      [id],
    )
    assert.deepEqual([counts.member_count, counts.members, counts.uses], [4, 4, 1])
    assert.equal((await ann.get(path)).body.memberCount, 4)
  }
})
