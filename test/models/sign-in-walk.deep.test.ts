/** Signing in against a model: random steps of four people in two tenants, under changing policies, and what every token opens after each. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { startProviderDouble } from '../provider-double.ts'
import { createWorld, password } from '../world.ts'
import { canProve, type Kind, type Policy, policies } from './accounts.ts'
import * as service from './sign-in-service.ts'
import { clientOf, inTenantOf, note, type Service } from './sign-in-service.ts'
import { type Step, walk } from './steps.ts'
import * as model from './ways-in.ts'

const world = await createWorld({ settings: { OUTBOUND_PRIVATE: '127.0.0.1' } })
const places = await service.openPlaces(world, await startProviderDouble())
const { slugs, providers } = places
const { query } = world.postgres

interface Choice {
  readonly account: number
  readonly session: number
  readonly attempt: number
  readonly policy: Policy
  readonly method: number
  /** Whether the provider names somebody whom it has named before. */
  readonly isKnown: boolean
  readonly isTwofold: boolean
  /** How the proof differs from what the attempt expects. */
  readonly deviation: 'none' | 'wrong' | 'elsewhere' | 'otherSession' | 'method' | 'old'
}

const choices: fc.Arbitrary<Choice> = fc.record({
  account: fc.nat(2),
  session: fc.nat(20),
  attempt: fc.nat(20),
  policy: fc.constantFrom(...policies),
  method: fc.nat(5),
  isKnown: fc.boolean(),
  isTwofold: fc.boolean(),
  deviation: fc.constantFrom(
    'none',
    'none',
    'none',
    'none',
    'none',
    'wrong',
    'elsewhere',
    'otherSession',
    'method',
    'old',
  ),
})

/** Numbers become those of existing things: mostly of the last attempt that is still good. */
function settle({ sessions, attempts }: model.World, choice: Choice): Choice {
  const good = [...attempts.keys()].filter((each) => !attempts[each]?.isSpent)
  const recent = good.at(choice.attempt % 4 === 0 ? -2 : -1) ?? good[0] ?? 0
  const attempt = choice.deviation === 'old' ? choice.attempt % (attempts.length || 1) : recent
  return { ...choice, attempt, session: choice.session % (sessions.length || 1) }
}

/** Where a walk starts: three people, with whatever factors, of whom each signs in by another way. */
interface Start {
  readonly kinds: readonly (Omit<Kind, 'subject'> & { readonly isLinked: boolean })[]
  readonly choices: readonly Choice[]
  readonly ways: readonly (typeof ways)[number][]
  readonly further: 'confirm' | 'link'
}

const ways = ['password', 'passkey', 'mail_code', 'provider'] as const
const kindIn = (tenant: 0 | 1) =>
  fc.record({
    tenant: fc.constant(tenant),
    isAdmin: fc.boolean(),
    hasTotp: fc.constantFrom(true, false, false),
    passkey: fc.constantFrom('none', 'none', 'key', 'passkey'),
    isLinked: fc.constantFrom(true, true, false),
  })
const firstChoice = choices.map((choice): Choice => ({ ...choice, deviation: 'none', isKnown: true, isTwofold: true }))
const starts: fc.Arbitrary<Start> = fc.record({
  kinds: fc.tuple(kindIn(0), kindIn(0), kindIn(1)),
  choices: fc.tuple(firstChoice, firstChoice, firstChoice),
  ways: fc.shuffledSubarray([...ways], { minLength: 3, maxLength: 3 }),
  further: fc.constantFrom('confirm', 'link'),
})

let counter = 0
const hasSession = ({ sessions }: model.World) => sessions.length > 0
const hasAttempt = ({ attempts }: model.World) => attempts.length > 0

/** The subject that the provider will name: one that is linked to the account, or a new one. */
function subjectOf({ accounts }: model.World, { account, isKnown }: Choice): string {
  const { subjects = [] } = accounts[account] ?? {}
  return (isKnown ? subjects.at(-1) : undefined) ?? `new-${counter}`
}

/** What a choice means for the attempt that it names. */
function sentBy(at: model.World, { attempt: number, method, deviation, session }: Choice): model.Sent {
  const attempt = at.attempts[number]
  const account = at.accounts[attempt?.account ?? -1]
  const able = (attempt?.methods ?? []).filter((each) => account && canProve(account, each, attempt?.isSecond ?? false))
  const own = able[method % able.length] ?? attempt?.methods[0] ?? 'password'
  const another = (['password', 'passkey', 'totp', 'recovery_code', 'mail_code'] as const)[method % 5] ?? 'password'
  return {
    method: deviation === 'method' ? another : own,
    isRight: deviation !== 'wrong',
    isHere: deviation !== 'elsewhere',
    session: deviation === 'otherSession' ? session : attempt?.session,
  }
}

type Act = Step<model.World, Service, Choice>

/** @param at the model as the steps see it: `send` comes after `foresee` */
function stepsOf(at: () => model.World) {
  let subject = ''
  let sent: model.Sent = { method: 'password', isRight: true, isHere: true, session: undefined }
  return {
    prove: {
      tell: ({ attempt, method, deviation }) => `attempt ${attempt} is continued (${method}, ${deviation})`,
      isPossible: hasAttempt,
      foresee: (world, choice) => {
        sent = sentBy(world, choice)
        return model.prove(world, choice.attempt, sent)
      },
      send: async (real, { attempt }) => {
        const answer = await service.sendProof(real, at(), attempt, sent)
        const { purpose, session } = at().attempts[attempt] ?? {}
        const confirmed = purpose === 'confirm' ? real.sessions[session ?? -1] : undefined
        if (confirmed && answer.status === 200) {
          real.replaced.push(confirmed.token)
          confirmed.token = answer.body.session.token
        } else note(real, answer)
        return answer
      },
    },
    password: {
      tell: ({ account }) => `${account} signs in by password`,
      foresee: (world, { account }) => model.signInByPassword(world, account),
      send: async (real, { account }) => {
        const { email } = real.accounts[account]?.person ?? {}
        return note(
          real,
          await world.nobody.post('/api/auth/sign-in', { email, password }, inTenantOf(real, at(), account)),
        )
      },
    },
    provider: {
      tell: ({ account, isKnown }) => `${account} goes to the provider (${isKnown ? 'as before' : 'as somebody new'})`,
      foresee: (world, choice) => {
        counter += 1
        subject = subjectOf(world, choice)
        return model.visitProvider(world, choice.account, subject)
      },
      send: async (real, { account }) => {
        const body = { providerId: providers[at().accounts[account]?.tenant ?? 0] }
        const answer = await world.nobody.post('/api/auth/sign-in/provider', body, inTenantOf(real, at(), account))
        return service.visited(real, answer, { sub: subject, email: real.accounts[account]?.person.email })
      },
    },
    confirm: {
      tell: ({ session, isTwofold }) => `session ${session} is to be confirmed${isTwofold ? ' by two factors' : ''}`,
      isPossible: hasSession,
      foresee: (world, { session, isTwofold }) => model.beginToConfirm(world, session, isTwofold),
      send: async (real, { session, isTwofold }) =>
        note(real, await clientOf(real, session).post('/api/auth/confirm', isTwofold ? { secondFactor: true } : {})),
    },
    policy: {
      tell: ({ account, policy }) => `the tenant of ${account} says ${policy}`,
      foresee: (world, { account, policy }) => {
        world.policies[world.accounts[account]?.tenant ?? 0] = policy
        return { status: 200 }
      },
      send: async (_, { account, policy }) => {
        const slug = slugs[at().accounts[account]?.tenant ?? 0]
        await query('update tenants set second_factor = $2 where slug = $1', [slug, policy])
        return { status: 200, body: {}, headers: new Headers() }
      },
    },
    passkey: {
      tell: ({ account }) => `${account} signs in by passkey`,
      foresee: (world, { account }) => model.signInByPasskey(world, account),
      send: async (real, { account }) => {
        const headers = inTenantOf(real, at(), account)
        const { body } = await world.nobody.post('/api/auth/passkey-options', {}, headers)
        const credential = real.accounts[account]?.key.get(body.options)
        return note(real, await world.nobody.post('/api/auth/sign-in/passkey', { credential }, headers))
      },
    },
    mail_code: {
      tell: ({ account }) => `${account} asks for a code`,
      foresee: (world, { account }) => model.requestCode(world, account),
      send: async (real, { account }) => {
        const { email } = real.accounts[account]?.person ?? {}
        return note(
          real,
          await world.nobody.post('/api/auth/sign-in/mail-code', { email }, inTenantOf(real, at(), account)),
        )
      },
    },
    toLink: {
      tell: ({ session }) => `session ${session} begins to link`,
      isPossible: hasSession,
      foresee: (world, { session }) => {
        counter += 1
        subject = `new-${counter}`
        return model.beginToLink(world, session, subject)
      },
      send: async (real, { session }) => {
        const { tenant = 0 } = at().accounts[at().sessions[session]?.account ?? 0] ?? {}
        const answer = await clientOf(real, session).post('/api/users/me/identities/start', {
          providerId: providers[tenant],
        })
        return service.visited(real, answer, { sub: subject })
      },
    },
    link: {
      tell: ({ session, attempt }) => `session ${session} links by attempt ${attempt}`,
      isPossible: (world) => hasSession(world) && world.attempts.some(({ purpose }) => purpose === 'link'),
      foresee: (world, { session, attempt }) => model.link(world, linking(world, attempt), session),
      send: async (real, { session, attempt }) => {
        const { token, returns } = real.attempts[linking(at(), attempt)] ?? {}
        return clientOf(real, session).post('/api/users/me/identities', { attempt: token, callback: returns?.() })
      },
    },
  } satisfies Record<string, Act>
}

/** An attempt to link: the attempt itself if it is one, else the last. */
function linking({ attempts }: model.World, number: number): number {
  return attempts[number]?.purpose === 'link' ? number : attempts.findLastIndex(({ purpose }) => purpose === 'link')
}

const steps = stepsOf(() => current)
let current: model.World

/** Everybody signs in by a way of their own. The first session goes on, and another one tries to use what it has begun. */
function opening({ choices, ways, further }: Start): (readonly [Act, Choice])[] {
  const { policy, prove, confirm, toLink, link } = steps
  const choiceOf = (account: number) => choices[account] ?? assert.fail()
  const proofs = { password: [prove], passkey: [], mail_code: [prove, prove], provider: [prove, prove, prove] }
  const signIns = ways.flatMap((way, account) =>
    [policy, steps[way], ...proofs[way]].map((step) => [step, { ...choiceOf(account), account }] as const),
  )
  const own: Choice = { ...choiceOf(2), session: 0 }
  const other: Choice = { ...own, session: 1, deviation: 'otherSession' } // mostly of the same tenant
  const then = {
    confirm: [
      [confirm, own],
      [prove, other],
      [prove, own],
      [prove, own],
    ],
    link: [
      [toLink, own],
      [link, other],
      [link, own],
    ],
  } as const
  return [...signIns, ...then[further]]
}

test('by any steps, nobody has a session without what the policy asks, and no token opens what it is not for', async () => {
  const seen = new Set<string>()
  const { prove, password, provider, confirm, ...others } = steps
  await walk<model.World, Service, Choice, Start>({
    steps: [
      prove,
      prove,
      prove,
      prove,
      password,
      password,
      provider,
      provider,
      confirm,
      confirm,
      ...Object.values(others),
    ],
    start: starts,
    opening,
    choices,
    settle,
    runs: 10,
    most: 6,
    begin: async (start) => {
      current = model.newWorld(
        start.kinds.map(({ isLinked, ...kind }) => ({ ...kind, subject: isLinked ? `known-${++counter}` : undefined })),
      )
      return { model: current, real: await service.open(places, current) }
    },
    compare: service.compare,
    end: async ({ sessions, attempts }, real) => {
      await service.checkClosed(real, [...real.attempts.map(({ token }) => token), ...real.replaced])
      for (const { purpose, isSecond, isSpent } of attempts) seen.add(`${purpose} ${isSecond} ${isSpent}`)
      for (const { methods, assurance } of sessions) seen.add(`${methods[0]} ${assurance}`)
    },
  })
  const purposes = ['sign_in false', 'sign_in true', 'confirm false', 'confirm true', 'link false']
  const sessions = ways.flatMap((way) => [`${way} 2`, ...(way === 'passkey' ? [] : [`${way} 1`])])
  for (const each of [...purposes.map((step) => `${step} true`), ...sessions])
    assert.ok(seen.has(each), `${each} was not seen: ${[...seen].join('; ')}`)
})

test('no attempt opens any route', async () => {
  const kind = { tenant: 0, isAdmin: true, hasTotp: true, passkey: 'none', subject: undefined } as const
  const real = await service.open(places, model.newWorld([kind]))
  const { person } = real.accounts[0] ?? assert.fail()
  const { email } = person
  const answers = [
    await world.nobody.post('/api/auth/sign-in', { email, password }),
    await world.nobody.post('/api/auth/sign-in/mail-code', { email }),
    await world.nobody.post('/api/auth/sign-in/provider', { providerId: providers[0] }),
    await person.post('/api/users/me/identities/start', { providerId: providers[0] }),
    await person.post('/api/auth/confirm', { secondFactor: true }),
  ]
  const attempts = answers.map(({ body }) => body.attempt?.token ?? assert.fail(JSON.stringify(body)))
  const statusOf = async (operation: string, token?: string) => {
    const [method = '', path = ''] = operation.replace(/\{(\w+)\}/g, 'x').split(' ')
    const headers = token === undefined ? {} : { authorization: `Bearer ${token}` }
    return (await world.nobody.request(path, { method, headers, ...(method !== 'GET' && { body: {} }) })).status
  }
  let closed = 0
  for (const operation of world.contract.operations) {
    const expected = await statusOf(operation)
    if (expected === 401) closed += 1
    for (const token of attempts) assert.equal(await statusOf(operation, token), expected, operation)
  }
  assert.ok(closed >= 60, `${closed} are closed`)
})
