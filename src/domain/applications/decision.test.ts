import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { seed, times } from '../../../test/depth.ts'
import { type Asked, decide, type Facts, prompts } from './decision.ts'

const userIds = ['user_ann', 'user_ben'] as const
const now = Date.parse('2026-01-31T12:00:00.000Z')
const time = fc.integer({ min: -7_200, max: 0 }).map((seconds) => new Date(now + seconds * 1_000).toISOString())
const organization = fc.record({
  id: fc.constantFrom('org_one', 'org_two'),
  secondFactor: fc.constantFrom('optional' as const, 'required' as const),
})

const asked: fc.Arbitrary<Asked> = fc.record({
  requestedAt: time,
  subject: fc.constantFrom(null, ...userIds),
  prompts: fc.uniqueArray(fc.constantFrom(...prompts)),
  maxAge: fc.constantFrom(null, 0, 1, 60, 3_600, 999_999_999),
  isForTwoFactors: fc.boolean(),
  organization: fc.constantFrom(null, 'org_one'),
  redirectUri: fc.constantFrom('https://app.example/cb', 'http://127.0.0.1:4000/cb', 'com.example.app:/cb'),
})
const ofApplication = {
  now: fc.constant(new Date(now).toISOString()),
  kind: fc.constantFrom('server' as const, 'browser' as const, 'native' as const),
  enabled: fc.constant(true),
  requireVerifiedEmail: fc.boolean(),
  chooseOrganization: fc.boolean(),
}
const signedIn = fc.record({
  ...ofApplication,
  sessionId: fc.constant('dev_one'),
  userId: fc.constantFrom(...userIds),
  emailVerified: fc.boolean(),
  authenticatedAt: time,
  assurance: fc.constantFrom(1 as const, 2 as const),
  isRequiredByTenant: fc.boolean(),
  organizations: fc.array(organization, { maxLength: 2 }),
})
const nobody = fc.record({
  ...ofApplication,
  sessionId: fc.constant(null),
  userId: fc.constant(null),
  emailVerified: fc.constant(null),
  authenticatedAt: fc.constant(null),
  assurance: fc.constant(null),
  isRequiredByTenant: fc.constantFrom(null, true),
  organizations: fc.constant([]),
})
const facts: fc.Arbitrary<Facts> = fc.oneof({ weight: 9, arbitrary: signedIn }, { weight: 1, arbitrary: nobody })

/** What a request and an application ask, each said for itself; the steps that would be needed. */
function neededSteps(ask: Asked, fact: Facts): Set<string> {
  const needed = new Set<string>()
  const isWanted = fact.userId !== null && (ask.subject === null || ask.subject === fact.userId)
  if (!isWanted) needed.add(ask.prompts.includes('create') ? 'sign_up' : 'sign_in')
  const at = fact.authenticatedAt ?? ''
  const age = (now - Date.parse(at)) / 1_000
  if (ask.prompts.includes('login') && at <= ask.requestedAt) needed.add('confirm')
  if (ask.maxAge === 0 && at <= ask.requestedAt) needed.add('confirm')
  if (ask.maxAge !== null && ask.maxAge > 0 && age > ask.maxAge && at <= ask.requestedAt) needed.add('confirm')
  const [first] = fact.organizations
  const askedTwice = ask.isForTwoFactors || fact.isRequiredByTenant || first?.secondFactor === 'required'
  if (askedTwice && fact.assurance !== 2) needed.add('second_factor')
  if (fact.requireVerifiedEmail && !fact.emailVerified) needed.add('verify_email')
  if (ask.organization !== null && !first) needed.add('organization')
  if (ask.organization === null && fact.chooseOrganization && fact.organizations.length !== 1)
    needed.add('organization')
  if (ask.prompts.includes('select_account')) needed.add('continue')
  if (fact.kind !== 'server' && !ask.redirectUri.startsWith('https:')) needed.add('continue')
  return needed
}

test('there is no code without what was asked, no step that nobody asked for, and continue is the last one', () => {
  fc.assert(
    fc.property(asked, facts, (ask, fact) => {
      const needed = neededSteps(ask, fact)

      const decision = decide(ask, fact)

      if (decision.step === null) assert.deepEqual([...needed], [])
      else assert.ok(needed.has(decision.step), `${decision.step} of ${[...needed]}`)
      if (decision.step === 'continue') assert.deepEqual([...needed], ['continue'])
    }),
    { numRuns: times(2_000), seed },
  )
})

test('a step that was taken is not asked for again, so that the steps end', () => {
  fc.assert(
    fc.property(asked, signedIn, (ask, fact) => {
      const seen: string[] = []
      let at: Facts = fact
      let next = decide(ask, at)
      while (next.step !== null && next.step !== 'continue') {
        assert.ok(!seen.includes(next.step), `${next.step} after ${seen}`)
        seen.push(next.step)
        at = taken(next.step, ask, at)
        next = decide(ask, at)
      }
    }),
    { numRuns: times(1_000), seed },
  )
})

/** What is true after a step. */
function taken(step: string, ask: Asked, fact: Facts): Facts {
  const later = new Date(now + 1_000).toISOString()
  switch (step) {
    case 'sign_in':
    case 'sign_up':
      return { ...fact, userId: ask.subject ?? fact.userId, authenticatedAt: later, now: later }
    case 'confirm':
      return { ...fact, authenticatedAt: later, now: later }
    case 'second_factor':
      return { ...fact, assurance: 2 }
    case 'verify_email':
      return { ...fact, emailVerified: true }
    default:
      return { ...fact, organizations: [{ id: 'org_one', secondFactor: 'required' as const }] }
  }
}

test('a request without a wish goes through with the only organization, or without one', () => {
  const ask: Asked = {
    requestedAt: new Date(now).toISOString(),
    subject: null,
    prompts: [],
    maxAge: null,
    isForTwoFactors: false,
    organization: null,
    redirectUri: 'https://app.example/cb',
  }
  const fact: Facts = {
    now: new Date(now).toISOString(),
    kind: 'server',
    enabled: true,
    requireVerifiedEmail: true,
    chooseOrganization: false,
    sessionId: 'dev_one',
    userId: 'user_ann',
    emailVerified: true,
    authenticatedAt: '2026-01-01T00:00:00.000Z',
    assurance: 1,
    isRequiredByTenant: false,
    organizations: [],
  }
  assert.deepEqual(decide(ask, fact), { step: null, organizationId: null })
  const only = { id: 'org_one', secondFactor: 'optional' } as const
  const choosing = { ...fact, chooseOrganization: true, organizations: [only] }
  assert.deepEqual(decide(ask, choosing), { step: null, organizationId: 'org_one' })
  const another = { ...choosing, organizations: [only, { ...only, id: 'org_two' }] }
  assert.equal(decide(ask, another).step, 'organization')
})
