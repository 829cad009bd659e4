/**
 * Sessions of one account according to the contract: the effect of each step, and the service's expected answer.
 *
 * Time is counted in days, and within a day by the order of events, because activity is stored at most once a minute.
 */
import { type Foreseen, Refusal } from './steps.ts'

/** The limits of the settings and the tenant in these tests. */
export const limits = { sessions: 3, idleDays: 3, absoluteDays: 5 }

export interface Session {
  readonly startedOn: number
  activeOn: number
  /** The position of its last activity among all activity of the account. */
  turn: number
  isEnded: boolean
}

export interface Account {
  status: 'active' | 'suspended' | 'deleted'
  today: number
  turns: number
  /** In the order of their start. */
  readonly sessions: Session[]
  /** Which of the two passwords. */
  password: 0 | 1
  /** The day of the pending reset link. */
  linkedOn: number | undefined
}

export function newAccount(): Account {
  const first = { startedOn: 0, activeOn: 0, turn: 0, isEnded: false }
  return { status: 'active', today: 0, turns: 0, sessions: [first], password: 0, linkedOn: undefined }
}

export function isLive({ today }: Account, { startedOn, activeOn, isEnded }: Session): boolean {
  return !isEnded && today < startedOn + limits.absoluteDays && today < activeOn + limits.idleDays
}

/** The numbers of the live ones, newest activity first. */
export function liveSessions(account: Account): number[] {
  const { sessions } = account
  const live = [...sessions.entries()].filter(([, session]) => isLive(account, session))
  return live
    .sort(([, one], [, other]) => other.activeOn - one.activeOn || other.turn - one.turn)
    .map(([number]) => number)
}

export function signIn(account: Account, isWrong: boolean): Foreseen {
  if (account.status === 'deleted' || isWrong) throw new Refusal(401, 'invalid_credentials')
  if (account.status === 'suspended') throw new Refusal(403, 'user_suspended')
  for (const number of liveSessions(account).slice(limits.sessions - 1)) end(account, number)
  const { today } = account
  account.sessions.push({ startedOn: today, activeOn: today, turn: ++account.turns, isEnded: false })
  return { status: 200 }
}

export function look(account: Account, number: number): Foreseen {
  use(account, number)
  return { status: 200 }
}

export function signOut(account: Account, number: number): Foreseen {
  end(account, number)
  return { status: 204 }
}

export function revoke(account: Account, by: number, number: number): Foreseen {
  use(account, by)
  return revokeByAdmin(account, number, by === number)
}

export function revokeOthers(account: Account, by: number): Foreseen {
  use(account, by)
  account.linkedOn = undefined
  return { status: 200, body: { endedSessions: endAll(account, by) } }
}

/** Changes to the other of the two passwords. */
export function changePassword(account: Account, by: number, isWrong: boolean): Foreseen {
  use(account, by)
  if (isWrong) throw new Refusal(403, 'wrong_password')
  setPassword(account)
  return { status: 200, body: { endedSessions: endAll(account, by) } }
}

/** A reset link is mailed. */
export function forget(account: Account): Foreseen {
  account.linkedOn = account.today
  return { status: 202 }
}

export function reset(account: Account): Foreseen {
  if (account.status !== 'active' || account.linkedOn !== account.today) throw new Refusal(410, 'token_spent')
  setPassword(account)
  endAll(account)
  return { status: 200 }
}

export function revokeByAdmin(account: Account, number: number, current = false): Foreseen {
  const session = account.sessions[number]
  if (!session || !isLive(account, session)) throw new Refusal(404, 'not_found')
  end(account, number)
  return { status: 200, body: { current } }
}

export function revokeAllByAdmin(account: Account): Foreseen {
  account.linkedOn = undefined
  return { status: 200, body: { endedSessions: endAll(account) } }
}

export function suspend(account: Account): Foreseen {
  Object.assign(account, { status: 'suspended', linkedOn: undefined })
  endAll(account)
  return { status: 200, body: { status: 'suspended' } }
}

export function reactivate(account: Account): Foreseen {
  account.status = 'active'
  return { status: 200, body: { status: 'active' } }
}

export function deleteAccount(account: Account, by: number, isWrong: boolean): Foreseen {
  use(account, by)
  if (isWrong) throw new Refusal(403, 'wrong_password')
  account.status = 'deleted'
  endAll(account)
  return { status: 200, body: { deleted: true } }
}

export function pass(account: Account, days: number): Foreseen {
  account.today += days
  return { status: 200 }
}

/** @throws Refusal unauthenticated */
function use(account: Account, number: number): void {
  const session = account.sessions[number]
  if (!session || !isLive(account, session)) throw new Refusal(401, 'unauthenticated')
  if (session.activeOn < account.today) Object.assign(session, { activeOn: account.today, turn: ++account.turns })
}

function setPassword(account: Account): void {
  account.password = account.password === 0 ? 1 : 0
  account.linkedOn = undefined
}

function end({ sessions }: Account, number: number): void {
  const session = sessions[number]
  if (session) session.isEnded = true
}

/** @returns how many were live */
function endAll(account: Account, except?: number): number {
  const ended = liveSessions(account).filter((number) => number !== except)
  for (const number of account.sessions.keys()) if (number !== except) end(account, number)
  return ended.length
}
