/**
 * Cover: a model of who holds what, until when, against the running service. Members change each other at random; whatever is answered, nobody
 * holds what nobody covered, nothing dead is accepted, and no one outlasts their giver.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { seed, times } from '../depth.ts'
import { type Client, createWorld, type Json, type Person } from '../world.ts'

const world = await createWorld()
const tess = await world.tenantAdmin()
const product = await world.key(['users:read'])

/** The model: 40 lines that know nothing of the service. */
const ranks = ['member', 'admin', 'owner'] as const
type Rank = (typeof ranks)[number]
const least: Readonly<Record<string, Rank>> = {
  ...Object.fromEntries(['organization:read', 'members:read', 'members:leave', 'a:read'].map((key) => [key, 'member'])),
  ...Object.fromEntries(
    [
      'organization:update',
      'members:update',
      'members:remove',
      'invitations:read',
      'invitations:write',
      'audit:read',
      'b:write',
    ].map((key) => [key, 'admin']),
  ),
  ...Object.fromEntries(['organization:delete', 'ownership:transfer', 'c:void'].map((key) => [key, 'owner'])),
}
const roles: Readonly<Record<string, readonly string[]>> = {
  writer: ['b:write'],
  voider: ['c:void'],
  manager: ['members:update', 'members:remove', 'invitations:write'],
  auditor: ['audit:read', 'a:read'],
}
interface MembershipState {
  readonly rank: Rank
  readonly end: number
  readonly status: 'active' | 'suspended'
  readonly grants: Readonly<Record<string, number>>
}
const atLeast = (one: Rank, other: Rank) => ranks.indexOf(one) >= ranks.indexOf(other)
const keysOf = (rank: Rank) => Object.keys(least).filter((key) => atLeast(rank, least[key] as Rank))
const max = (ends: number[]) => ends.reduce((one, other) => Math.max(one, other), Number.NEGATIVE_INFINITY)
/** When somebody's hold of a permission ends; minus infinity: they do not hold it. */
const holds = ({ rank, end, grants }: MembershipState, key: string) =>
  max([
    ...(keysOf(rank).includes(key) ? [end] : []),
    ...Object.entries(grants).flatMap(([role, until]) => (roles[role]?.includes(key) ? [Math.min(until, end)] : [])),
  ])
const covers = (giver: MembershipState, keys: readonly string[], until: number) =>
  giver.end >= until && keys.every((key) => least[key] === 'member' || holds(giver, key) >= until)
const everything = (who: MembershipState) => Object.keys(least).filter((key) => holds(who, key) > 0)
const mayCall = (who: MembershipState, key: string) => who.status === 'active' && holds(who, key) > 0
/** Whether an offer by `maker` may be made, and still lives: they may invite, and hold all that it gives, until it ends. */
const mayOffer = (maker: MembershipState, { rank, end, grants }: MembershipState) =>
  mayCall(maker, 'invitations:write') &&
  covers(maker, keysOf(rank), end) &&
  Object.entries(grants).every(([role, until]) => covers(maker, roles[role] ?? [], Math.min(until, end)))

/** What the service must answer to a change. */
function judge(by: MembershipState, who: MembershipState, next: MembershipState, isSelf: boolean): number {
  if (!isSelf && !everything(who).every((key) => least[key] === 'member' || holds(by, key) > 0)) return 403
  if (isSelf && next.status === 'suspended') return 400
  const given: [readonly string[], number][] = []
  if (!atLeast(who.rank, next.rank) || next.end > who.end) given.push([keysOf(next.rank), next.end])
  for (const [role, until] of Object.entries(next.grants)) {
    const [now, before] = [Math.min(until, next.end), Math.min(who.grants[role] ?? Number.NEGATIVE_INFINITY, who.end)]
    if (now > before) given.push([roles[role] ?? [], now])
  }
  if (!given.every(([keys, until]) => covers(by, keys, until))) return 403
  return next.rank === 'owner' && (next.status === 'suspended' || next.end !== Number.POSITIVE_INFINITY) ? 409 : 200
}

const day = 86_400_000
const base = Date.now()
/** An invitation that was made. */
interface Offer {
  readonly id: string
  readonly maker: number
  readonly invited: Person
  /** What the invited person will be. */
  readonly gift: MembershipState
  /** Whether a change took the right to it from its maker. It stays dead, even if the maker gets the right again. */
  isDead: boolean
}

/** Ends in days from the start of the test; infinity: none. */
const end = fc.constantFrom(1, 2, 3, 4, Number.POSITIVE_INFINITY)
const change = fc.record(
  {
    role: fc.constantFrom(...ranks),
    grants: fc.dictionary(fc.constantFrom(...Object.keys(roles)), end, { maxKeys: 2 }),
    status: fc.constantFrom('active' as const, 'active' as const, 'suspended' as const),
    end,
  },
  { requiredKeys: [] },
)
// The owner comes most often, since few others may take much away.
const step = fc.record({ by: fc.constantFrom(0, 0, 0, 1, 2, 3), who: fc.nat(3), change, isOffer: fc.boolean() })
/** Offers of the admin and of somebody who may give only until soon: whatever happens to these two may end them. */
const firstOffers: readonly (typeof step extends fc.Arbitrary<infer Step> ? Step : never)[] = [
  { by: 1, who: 0, change: {}, isOffer: true },
  { by: 2, who: 0, change: { end: 1 }, isOffer: true },
]
const toDate = (days: number) => (Number.isFinite(days) ? new Date(base + days * day).toISOString() : null)

test('nobody gives what they do not hold, nor for longer, whatever members do to each other', async () => {
  const own = (key: string) => ({ key, name: key, minimumRole: least[key] })
  const model = {
    permissions: ['a:read', 'b:write', 'c:void'].map(own),
    roles: Object.entries(roles).map(([key, permissions]) => ({ key, name: key, permissions })),
  }
  assert.equal((await tess.put('/api/admin/access', model)).status, 200)
  const spare = await Promise.all(['Eve', 'Fay', 'Gil', 'Hal', 'Ida'].map((name) => world.person(name)))
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 12, maxLength: 20 }), async (steps) => {
      const { ann, ben, cleo, dan, id, path, members } = await world.organization()
      const joined = await world.join(ann, id, dan)
      const people = [ann, ben, cleo, dan] as const
      const memberships: Json[] = [members.ann, members.ben, members.cleo, joined]
      const states: MembershipState[] = (['owner', 'admin', 'member', 'member'] as const).map((rank) => ({
        rank,
        end: Number.POSITIVE_INFINITY,
        status: 'active',
        grants: {},
      }))
      // Somebody who may give only because of what ends soon.
      states[2] = {
        rank: 'member',
        end: Number.POSITIVE_INFINITY,
        status: 'active',
        grants: { manager: 2, writer: 3 },
      }
      const offers: Offer[] = []
      const first = Object.entries(states[2].grants).map(([role, days]) => ({ role, expiresAt: toDate(days) }))
      assert.equal((await ann.patch(`${path}/members/${members.cleo.id}`, { grants: first })).status, 200)
      for (const { by, who, change: wanted, isOffer } of [...firstOffers, ...steps]) {
        const [giver, target, caller] = [states[by], states[who], people[by]] as [
          MembershipState,
          MembershipState,
          Person,
        ]
        const grants =
          wanted.grants && Object.entries(wanted.grants).map(([role, days]) => ({ role, expiresAt: toDate(days) }))
        if (isOffer) {
          const gift: MembershipState = {
            rank: wanted.role ?? 'member',
            end: wanted.end ?? Number.POSITIVE_INFINITY,
            status: 'active',
            grants: wanted.grants ?? {},
          }
          const invited = spare[offers.length]
          if (!invited) continue // all have been invited
          const isEndingOwner = gift.rank === 'owner' && Number.isFinite(gift.end)
          const body = {
            email: invited.email,
            role: gift.rank,
            memberExpiresAt: toDate(gift.end),
            ...(grants && { grants }),
          }
          const answer = await caller.post(`${path}/invites`, body)
          assert.equal(
            answer.status,
            !mayOffer(giver, gift) ? 403 : isEndingOwner ? 409 : 201,
            JSON.stringify([giver, body, answer.body]),
          )
          if (answer.status === 201) offers.push({ id: answer.body.id, maker: by, invited, gift, isDead: false })
          continue
        }
        const next: MembershipState = {
          rank: wanted.role ?? target.rank,
          end: wanted.end ?? target.end,
          status: wanted.status ?? target.status,
          grants: wanted.grants ?? target.grants,
        }
        const isLast =
          target.rank === 'owner' && next.rank !== 'owner' && states.filter(({ rank }) => rank === 'owner').length === 1
        const judged = mayCall(giver, 'members:update') ? judge(giver, target, next, by === who) : 403
        const expected = judged === 200 && isLast ? 409 : judged
        const answer = await caller.patch(`${path}/members/${memberships[who]?.id}`, {
          ...(wanted.role && { role: wanted.role }),
          ...(grants && { grants }),
          ...(wanted.status && { status: wanted.status }),
          ...(wanted.end && { expiresAt: toDate(wanted.end) }),
        })
        assert.equal(answer.status, expected, JSON.stringify([giver, target, next, answer.body]))
        if (answer.status !== 200) continue
        states[who] = next
        for (const offer of offers) offer.isDead ||= offer.maker === who && !mayOffer(next, offer.gift)
      }
      const all: [Person, MembershipState][] = people.map((person, index) => [person, states[index] as MembershipState])
      for (const { id: invitation, invited, gift, isDead } of offers) {
        const accepted = await invited.post(`/api/invites/${invitation}/accept`)
        assert.deepEqual(
          [accepted.status, accepted.body.code],
          isDead ? [410, 'invitation_revoked'] : [200, undefined],
          JSON.stringify([gift, accepted.body]),
        )
        if (!isDead) all.push([invited, gift])
      }
      // What each may do is what the model says, and ends when it says.
      const keys = Object.keys(least)
      const compare = async (
        by: Client,
        index: number,
        state: MembershipState,
        isSuspended: boolean,
        about?: Person,
      ) => {
        const line = { organizationId: id, ...(about && { userId: about.id }) }
        const { body } = await by.post('/api/check', { checks: keys.map((permission) => ({ ...line, permission })) })
        for (const [at, key] of keys.entries()) {
          const until = state.status === 'active' && !isSuspended ? holds(state, key) : Number.NEGATIVE_INFINITY
          const { allowed, until: told } = body.results[at]
          assert.deepEqual([allowed, told ?? null], [until > 0, until > 0 ? toDate(until) : null], `${index} ${key}`)
        }
      }
      for (const [index, [person, state]] of all.entries()) {
        await compare(person, index, state, false)
        if (state.status !== 'active') continue
        const isGiver = ['members:update', 'invitations:write'].some((key) => holds(state, key) > 0)
        for (const { key, mayGrant, mayGrantUntil } of (await person.get(`${path}/roles`)).body.data) {
          const given = (roles[key] ?? keysOf(key)).filter((each) => least[each] !== 'member')
          const until = Math.min(state.end, ...given.map((each) => holds(state, each)))
          const may = isGiver && until > 0
          assert.deepEqual([mayGrant, mayGrantUntil], [may, may ? toDate(until) : null], `${index} gives ${key}`)
        }
      }
      // The tenant's key is told the same of everybody, but for those whose account is suspended.
      const chosen = steps.length % people.length
      const suspended = await tess.patch(`/api/admin/users/${people[chosen]?.id}`, { status: 'suspended' })
      assert.equal(suspended.status, 200)
      for (const [index, [person, state]] of all.entries())
        await compare(product, index, state, index === chosen, person)
    }),
    { numRuns: times(12), seed },
  )
})
