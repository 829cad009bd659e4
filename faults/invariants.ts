/**
 * Invariants after any fault: acknowledged changes are there, changes without an answer are there once or not at all, and nothing is there
 * in part.
 */
import assert from 'node:assert/strict'
import { dump } from '../test/dump.ts'
import { type Sink, until } from '../test/smtp.ts'
import type { Postgres } from './postgres.ts'
import { type Outcome, send } from './requests.ts'
import type { Account, Story } from './stories.ts'

type Query = Postgres['query']

/** How often a row may exist, by the outcome of the request that creates it. */
function allowed(made: Outcome | undefined, unmade?: Outcome): number[] {
  if (made === undefined || made === 'refused') return [0]
  const there = made === 'done' ? [1] : [0, 1]
  if (unmade === undefined || unmade === 'refused') return there
  return unmade === 'done' ? [0] : [0, 1]
}

function count(rows: readonly unknown[], made: Outcome | undefined, unmade: Outcome | undefined, what: string): void {
  const may = allowed(made, unmade)
  assert.ok(may.includes(rows.length), `${what} is there ${rows.length} times; it may be ${may.join(' or ')}`)
}

interface User {
  readonly id: string
  readonly email: string
  readonly name: string | null
}
interface Organization {
  readonly id: string
  readonly name: string
}
interface Member {
  readonly organization: string
  readonly user: string
  readonly role: string
}
interface Invited {
  readonly organization: string
  readonly email: string | null
}

/** Acknowledged rows exist; rows without an answer exist once or not at all. */
export async function checkStories(query: Query, stories: readonly Story[]): Promise<void> {
  const users = Map.groupBy(await query<User>('select id, email, name from users'), ({ email }) => email)
  const organizations = Map.groupBy(await query<Organization>('select id, name from organizations'), ({ name }) =>
    name.replace(' renamed', ''),
  )
  const members = await query<Member>('select organization_id as organization, user_id as user, role from memberships')
  const invited = await query<Invited>('select organization_id as organization, email from invitations')
  const membersOf = Map.groupBy(members, ({ organization }) => organization)
  const invitedTo = Map.groupBy(invited, ({ organization }) => organization)

  for (const story of stories) {
    for (const account of [story.ann, story.ben]) {
      const found = users.get(account.email) ?? []
      count(found, account.signedUp, account.deleted, account.email)
      if (found[0]) assert.ok(account.names.includes(found[0].name), `${account.email} is called ${found[0].name}`)
    }
    const [name = ''] = story.organization.names
    const found = organizations.get(name.replace(' renamed', '')) ?? []
    count(found, story.created, story.disbanded, name)
    const [organization] = found
    if (!organization) continue
    assert.ok(story.organization.names.includes(organization.name), `${name} is called ${organization.name}`)
    checkMembers(story, membersOf.get(organization.id) ?? [])
    const open = (invitedTo.get(organization.id) ?? []).filter(({ email }) => email === story.stranger)
    count(open, story.invitedStranger, undefined, `the invitation of ${story.stranger}`)
  }
}

/** The members of a story's organization, with their roles. */
function checkMembers({ ann, ben, joined, promoted, transferred, removed }: Story, members: readonly Member[]): void {
  const isIn = (account: Account) => members.filter(({ user }) => user === account.id)
  const [annIn, benIn] = [isIn(ann), isIn(ben)]
  count(annIn, 'done', ann.deleted, `the membership of ${ann.email}`)
  count(benIn, joined, removed ?? ben.deleted, `the membership of ${ben.email}`)
  const roles = (before: string, after: string, changed: Outcome | undefined) =>
    changed === 'done' ? [after] : changed === 'unknown' ? [before, after] : [before]
  const benBefore = roles('member', 'admin', promoted)
  const benMay = transferred === 'done' ? ['owner'] : [...benBefore, ...(transferred ? ['owner'] : [])]
  for (const { role } of annIn) assert.ok(roles('owner', 'admin', transferred).includes(role), `${ann.email}: ${role}`)
  for (const { role } of benIn) assert.ok(benMay.includes(role), `${ben.email}: ${role}`)
}

/** Every organization has an owner, and its counts are right. */
export async function checkCounts(query: Query): Promise<void> {
  const wrong = await query(`
    select o.id, o.owner_count, o.member_count
    from organizations o
    left join memberships m on m.tenant_id = o.tenant_id and m.organization_id = o.id
    group by o.tenant_id, o.id
    having o.owner_count < 1 or o.owner_count <> count(*) filter (where m.role = 'owner') or o.member_count <> count(m.id)`)
  assert.deepEqual(wrong, [])
}

/** Each entry of the audit log has one place in the feed, and each event has its entry. */
export async function checkFeed(query: Query): Promise<void> {
  await until(async () => (await query('select from outbox')).length === 0, 'the outbox to be empty')
  const wrong = await query(`
    select coalesce(e.id, f.entry_id) as id, count(e.id) as entries, count(f.sequence) as events
    from audit_entries e
    full join feed f on f.tenant_id = e.tenant_id and f.entry_id = e.id
    group by 1
    having count(e.id) <> 1 or count(f.sequence) <> 1`)
  assert.deepEqual(wrong, [])
}

/** An ended session works on no service, and every other session works on all. */
export async function checkSessions(urls: readonly string[], stories: readonly Story[]): Promise<void> {
  const accounts = stories.flatMap(({ ann, ben }) => [ann, ben])
  const sessions = accounts.flatMap(({ sessions, deleted }) =>
    sessions.map(({ token, ended }) => ({
      token,
      may: allowed('done', ended === 'done' ? ended : (deleted ?? ended)),
    })),
  )
  const url = (index: number) => urls[index % urls.length] ?? ''
  const check = async ({ token, may }: (typeof sessions)[number], index: number) => {
    const { status } = await send(url(index), { method: 'GET', path: '/api/users/me', token })
    const expected: number[] = may.map((times) => (times ? 200 : 401))
    assert.ok(expected.includes(status), `a session answers ${status}; it may answer ${expected.join(' or ')}`)
  }
  for (let from = 0; from < sessions.length; from += 20) {
    await Promise.all(sessions.slice(from, from + 20).map((each, index) => check(each, index)))
  }
}

/** No row has data of an account that was deleted or never created. */
export async function checkErasure(query: Query, stories: readonly Story[]): Promise<void> {
  const there = new Set((await query<User>('select email from users')).map(({ email }) => email))
  const gone = stories.flatMap(({ ann, ben }) => [ann, ben]).filter(({ email }) => !there.has(email))
  // The invitation of a person who never joined, and has no account, keeps the address that somebody else typed.
  const words = new Set(gone.flatMap(({ id, email, signedUp }) => (signedUp ? [email, ...(id ? [id] : [])] : [])))
  const text = await dump(query)
  const found = [...text.matchAll(/user_[0-9a-z]{26}|[a-z]+-[0-9a-f]{12}@example\.com/g)].map(([word]) => word)
  assert.deepEqual(
    [...new Set(found)].filter((word) => words.has(word)),
    [],
  )
}

/**
 * Every expected mail arrives, and duplicates have the same Message-ID.
 *
 * @param most the most copies of one mail
 */
export async function checkMails(
  query: Query,
  sink: Sink,
  stories: readonly Story[],
  most: number,
): Promise<{ mails: number; duplicates: number }> {
  await flushMails(query)
  const owed = await query<{ email: string }>(
    `select email from invitations where email like 'stranger-%' and status = 'pending'`,
  )
  const arrived = Map.groupBy(sink.arrived, ({ recipients }) => recipients.join())
  const lost = owed.map(({ email }) => email).filter((email) => !arrived.has(email))
  assert.deepEqual(lost, [], 'invitations whose mail was lost')
  const notices = new Set(
    sink.arrived.flatMap(({ recipients, mail }) => (/was deleted$/.test(mail.subject ?? '') ? recipients : [])),
  )
  const left = stories.flatMap(({ ann, ben }) => [ann, ben]).filter(({ deleted }) => deleted === 'done')
  const untold = left.filter(({ email }) => !notices.has(email))
  assert.deepEqual(untold, [], 'people whose deletion notice was lost')
  const times = Map.groupBy(sink.arrived, ({ mail }) => mail.messageId ?? '')
  const worst = Math.max(0, ...[...times.values()].map(({ length }) => length))
  assert.ok(worst <= most, `one mail came ${worst} times`)
  for (const { email } of owed) {
    assert.equal(new Set(arrived.get(email)?.map(({ mail }) => mail.messageId)).size, 1, `two mails to ${email}`)
  }
  return { mails: times.size, duplicates: sink.arrived.length - times.size }
}

/** Makes the queue run delayed work now: waiting retries, and jobs of killed processes. */
async function flushMails(query: Query): Promise<void> {
  await until(async () => {
    await query(`
      update graphile_worker._private_jobs set run_at = now() where run_at > now() and locked_at is null`)
    const [left] = await query<{ jobs: string }>(
      `select (select count(*) from outbox where jobs <> '[]') + (select count(*) from graphile_worker._private_jobs where attempts < max_attempts) as jobs`,
    )
    return left?.jobs === '0'
  }, 'the queue to be empty')
}
