/**
 * Signing in according to the contract: what each step needs and opens, for people in two tenants, with every purpose of an attempt.
 *
 * Written from the contract: a person of whom a second factor is asked has no session of one factor, an attempt is good for one step, and
 * one for confirming or linking works only in the session that began it.
 */
import {
  type Account,
  canProve,
  hasFactor,
  isAsked,
  type Kind,
  type Method,
  type Policy,
  secondMethods,
} from './accounts.ts'
import { type Foreseen, Refusal } from './steps.ts'

export interface Session {
  readonly account: number
  methods: readonly Method[]
  assurance: 1 | 2
}

export interface Attempt {
  readonly tenant: 0 | 1
  readonly purpose: 'sign_in' | 'confirm' | 'link'
  readonly isSecond: boolean
  readonly methods: readonly Method[]
  readonly proven: readonly Method[]
  readonly wanted: 1 | 2
  /** Undefined while nobody is known: at a provider. */
  readonly account: number | undefined
  /** Of confirming and linking. */
  readonly session: number | undefined
  /** At a provider, or to be linked once the account is proven. */
  readonly subject: string | undefined
  /** Whose address the provider names, if it knows nobody by the subject. */
  readonly named: number | undefined
  failures: number
  isSpent: boolean
}

export interface World {
  readonly policies: [Policy, Policy]
  readonly accounts: readonly Account[]
  readonly sessions: Session[]
  readonly attempts: Attempt[]
}

export function newWorld(kinds: readonly Kind[]): World {
  const accounts = kinds.map(({ subject, ...kind }) => ({
    ...kind,
    codes: kind.hasTotp || kind.passkey === 'key' ? 10 : 0,
    subjects: subject === undefined ? [] : [subject],
  }))
  return { policies: ['optional', 'optional'], accounts, sessions: [], attempts: [] }
}

function get<Item>(list: readonly Item[], index: number): Item {
  const item = list[index]
  if (item === undefined) throw new Error(`There is no item ${index}.`)
  return item
}

const begin = (world: World, attempt: Omit<Attempt, 'failures' | 'isSpent'>): void => {
  world.attempts.push({ ...attempt, failures: 0, isSpent: false })
}

const plain = {
  isSecond: false,
  proven: [],
  wanted: 1,
  session: undefined,
  subject: undefined,
  named: undefined,
} as const

/** What a session may do: see itself, see its log, and see the tenant's settings. */
export function rightsOf(world: World, { account: number, assurance }: Session): [number, number, number] {
  const account = get(world.accounts, number)
  const isClosed = (isForAdmins: boolean) =>
    assurance === 1 &&
    (world.policies[account.tenant] === 'required' || (world.policies[account.tenant] === 'admins' && isForAdmins))
  return [200, isClosed(false) ? 403 : 200, !account.isAdmin || isClosed(true) ? 403 : 200]
}

/** After a right proof: the next step, or a session. */
function complete(
  world: World,
  number: number,
  shown: Pick<Attempt, 'proven' | 'wanted'> & Partial<Attempt>,
): Foreseen {
  const account = get(world.accounts, number)
  const { proven, wanted, purpose = 'sign_in', session, subject } = shown
  const assurance = proven.length > 1 || (proven.includes('passkey') && account.passkey === 'passkey') ? 2 : 1
  if (assurance === 1 && (wanted === 2 || isAsked(world.policies[account.tenant], account))) {
    const methods = secondMethods(account)
    const { tenant } = account
    begin(world, {
      ...{ tenant, purpose, isSecond: true, methods, proven, wanted, account: number, session, subject },
      named: undefined,
    })
    return { status: 403, body: { code: 'sign_in_incomplete', attempt: { next: 'second_factor', methods } } }
  }
  if (subject !== undefined && !account.subjects.includes(subject)) account.subjects.push(subject)
  if (purpose === 'confirm' && session !== undefined)
    Object.assign(get(world.sessions, session), { methods: proven, assurance })
  else world.sessions.push({ account: number, methods: proven, assurance })
  return { status: 200, body: { session: { device: { methods: proven, assurance } } } }
}

export function signInByPassword(world: World, number: number): Foreseen {
  return complete(world, number, { proven: ['password'], wanted: 1 })
}

/** A passkey that verifies its user is both factors. */
export function signInByPasskey(world: World, number: number): Foreseen {
  const { passkey } = get(world.accounts, number)
  if (passkey === 'none') throw new Refusal(401, 'unknown_passkey')
  if (passkey === 'key') throw new Refusal(401, 'invalid_credentials')
  return complete(world, number, { proven: ['passkey'], wanted: 1 })
}

export function requestCode(world: World, number: number): Foreseen {
  const { tenant } = get(world.accounts, number)
  begin(world, { ...plain, tenant, purpose: 'sign_in', methods: ['mail_code'], account: number })
  return { status: 202, body: { attempt: { next: 'first_factor', methods: ['mail_code'] } } }
}

/** @param subject whom the provider will name, with the address of the account */
export function visitProvider(world: World, number: number, subject: string): Foreseen {
  const { tenant } = get(world.accounts, number)
  begin(world, {
    ...plain,
    tenant,
    purpose: 'sign_in',
    methods: ['provider'],
    account: undefined,
    subject,
    named: number,
  })
  return { status: 200 }
}

export function beginToConfirm(world: World, session: number, secondFactor: boolean): Foreseen {
  const { account: number, assurance } = get(world.sessions, session)
  const account = get(world.accounts, number)
  if (secondFactor && !hasFactor(account)) throw new Refusal(409, 'no_factor')
  const methods: Method[] = ['password', ...(account.passkey === 'passkey' ? ['passkey' as const] : [])]
  const wanted = secondFactor || assurance === 2 ? 2 : 1
  const { tenant } = account
  begin(world, { ...plain, tenant, purpose: 'confirm', methods, account: number, session, wanted })
  return { status: 403, body: { code: 'sign_in_incomplete', attempt: { next: 'first_factor', methods } } }
}

export function beginToLink(world: World, session: number, subject: string): Foreseen {
  checkOpen(world, session)
  const { account } = get(world.sessions, session)
  const { tenant } = get(world.accounts, account)
  begin(world, { ...plain, tenant, purpose: 'link', methods: ['provider'], account, session, subject })
  return { status: 200 }
}

export function link(world: World, number: number, session: number): Foreseen {
  checkOpen(world, session)
  const attempt = get(world.attempts, number)
  const account = get(world.accounts, get(world.sessions, session).account)
  if (attempt.isSpent || attempt.purpose !== 'link' || attempt.session !== session)
    throw new Refusal(410, 'attempt_spent')
  attempt.isSpent = true
  account.subjects.push(attempt.subject ?? '')
  return { status: 201 }
}

/** Linking is closed to sessions of which the tenant requires a second factor. */
function checkOpen(world: World, session: number): void {
  if (rightsOf(world, get(world.sessions, session))[1] === 403) throw new Refusal(403, 'second_factor_required')
}

/** How a proof is sent. */
export interface Sent {
  readonly method: Method
  /** Whether the proof is the account's own. */
  readonly isRight: boolean
  /** The session that sends it. */
  readonly session: number | undefined
  /** Whether the request names the attempt's tenant, or none. */
  readonly isHere: boolean
}

export function prove(world: World, number: number, { method, isRight, session, isHere }: Sent): Foreseen {
  const attempt = get(world.attempts, number)
  const { purpose, methods, proven, wanted, subject, isSecond } = attempt
  if (!isHere) throw new Refusal(400, 'tenant_mismatch')
  if (attempt.isSpent || purpose === 'link') throw new Refusal(410, 'attempt_spent')
  if (purpose === 'confirm' && attempt.session !== session) throw new Refusal(410, 'attempt_spent')
  if (!methods.includes(method)) throw new Refusal(400, 'invalid_request')
  if (method === 'provider') return arrive(world, attempt)
  const account = get(world.accounts, attempt.account ?? -1)
  if (!isRight || !canProve(account, method, isSecond)) {
    attempt.failures += 1
    if (attempt.failures === 5) attempt.isSpent = true
    throw new Refusal(403, 'wrong_proof')
  }
  attempt.isSpent = true
  if (method === 'recovery_code') account.codes -= 1
  const shown = { purpose, wanted, session: attempt.session, subject, proven: [...proven, method] }
  return complete(world, attempt.account ?? -1, shown)
}

/** Back from the provider: a known account is signed in, and one that only has the address must be proven first. */
function arrive(world: World, attempt: Attempt): Foreseen {
  attempt.isSpent = true
  const { tenant, subject = '', named } = attempt
  const known = world.accounts.findIndex((each) => each.tenant === tenant && each.subjects.includes(subject))
  if (known >= 0) return complete(world, known, { proven: ['provider'], wanted: 1 })
  const methods = ['password', 'passkey', 'mail_code'] as const
  begin(world, { ...plain, tenant, purpose: 'sign_in', methods, account: named, subject })
  return { status: 403, body: { code: 'sign_in_incomplete', attempt: { next: 'first_factor', methods } } }
}
