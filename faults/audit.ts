/** Invariants of the audit log after a fault: every change has its entries, once, and nothing else has any. */
import assert from 'node:assert/strict'
import type { Postgres } from './postgres.ts'
import type { Attempt } from './requests.ts'

type Query = Postgres['query']

/** The entries that each change writes. */
const entries: Readonly<Record<string, readonly string[]>> = {
  'POST /api/auth/sign-up': ['session.started', 'user.signed_up'],
  'POST /api/auth/sign-in': ['session.started'],
  'PATCH /api/users/me': ['profile.updated'],
  'POST /api/organizations': ['organization.created'],
  'PATCH /api/organizations/:id': ['organization.updated'],
  'POST /api/organizations/:id/invites': ['invitation.sent'],
  'POST /api/invites/:id/accept': ['invitation.accepted', 'member.joined'],
  'PATCH /api/organizations/:id/members/:id': ['member.role_changed'],
  'DELETE /api/organizations/:id/members/:id': ['member.removed'],
  'DELETE /api/users/me/devices/:id': ['session.revoked'],
  'POST /api/organizations/:id/transfer': ['member.role_changed', 'organization.ownership_transferred'],
  'DELETE /api/organizations/:id': ['organization.deleted'],
  'DELETE /api/users/me': ['user.deleted'],
}
/** Deleted with everything else of the organization. */
const ofOrganization = /^(organization\.(created|updated|ownership_transferred)|invitation\.|member\.)/

/** Every change has exactly its entries; refused and rolled back changes have none. */
export async function checkAudit(query: Query, attempts: readonly Attempt[]): Promise<void> {
  const rows = await query<{ id: string; actions: string[] }>(`
    select coalesce(request_id, '') as id, array_agg(action order by action) as actions
    from audit_entries group by request_id`)
  const written = new Map(rows.map(({ id, actions }) => [id, actions]))
  const there = new Set((await query<{ id: string }>('select id from organizations')).map(({ id }) => id))

  for (const { change, outcome, requestId, isReplay, organizationId } of attempts) {
    if (requestId === undefined) continue
    const found = written.get(requestId) ?? []
    written.delete(requestId)
    const expected = outcome === 'done' && !isReplay ? entries[change] : []
    assert.ok(expected, `${change} writes something that is not listed here`)
    const isGone = organizationId !== undefined && !there.has(organizationId)
    if (isGone && found.length === 0 && expected.every((action) => ofOrganization.test(action))) continue
    // A consequence, such as the revocation of an inviter's invitation, has an entry besides.
    const own = found.filter((action) => expected.includes(action))
    assert.deepEqual(own, expected, `${change} (${requestId}) wrote ${found}`)
    if (expected.length === 0) assert.deepEqual(found, [], `${change} was ${outcome}, and wrote`)
  }
  // The remaining entries come from attempts without an answer: each is complete, and there are no more than such attempts.
  written.delete('')
  const lost = new Map<string, number>()
  for (const { change, lost: times } of attempts) lost.set(change, (lost.get(change) ?? 0) + times)
  // Those of a transfer contain that of a change of a role: the change that explains most is the one that was asked for.
  const changes = Object.entries(entries).sort(([, one], [, other]) => other.length - one.length)
  for (const actions of written.values()) {
    const [change] =
      changes.find(([each, own]) => own.every((action) => actions.includes(action)) && lost.get(each)) ?? []
    assert.ok(change, `nobody asked for what wrote ${actions}`)
    lost.set(change, (lost.get(change) ?? 0) - 1)
  }
}

/** Every existing row has one entry about its creation, whatever became of the request. */
export async function checkOrigins(query: Query): Promise<void> {
  const wrong = await query(`
    with entries as (select e.*, s.user_id from audit_entries e
      left join subjects s on s.tenant_id = e.tenant_id and s.id = e.target_subject)
    select * from (
      select 'user' as what, u.id, (select count(*) from entries e where e.action = 'user.signed_up' and e.user_id = u.id) as written, 1 as made
        from users u
      union all
      select 'profile', u.id, (select count(*) from entries e where e.action = 'profile.updated' and e.user_id = u.id), u.version - 1
        from users u
      union all
      select 'sessions', u.id, (select count(*) from entries e where e.action = 'session.started' and e.user_id = u.id),
        (select count(*) from sessions s where s.user_id = u.id)
        from users u
      union all
      select 'revocations', u.id, (select count(*) from entries e where e.action = 'session.revoked' and e.user_id = u.id),
        (select count(*) from sessions s where s.user_id = u.id and s.ended_at is not null)
        from users u
      union all
      select 'organization', o.id, (select count(*) from entries e where e.action = 'organization.created' and e.organization_id = o.id), 1
        from organizations o
      union all
      select 'changes of', o.id, (select count(*) from entries e where e.action = 'organization.updated' and e.organization_id = o.id), o.version - 1
        from organizations o
      union all
      select 'members of', o.id,
        (select count(*) filter (where e.action = 'member.joined') - count(*) filter (where e.action in ('member.removed', 'member.left'))
          from entries e where e.organization_id = o.id), o.member_count - 1
        from organizations o
      union all
      select 'invitation', i.id, (select count(*) from entries e where e.action = 'invitation.sent' and e.target_id = i.id), 1
        from invitations i) checked
    where written <> made`)
  assert.deepEqual(wrong, [])
}
