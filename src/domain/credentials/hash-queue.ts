/**
 * The queue before password hashing.
 *
 * Invariants: all cores but one at most compute hashes, and the queue has an end, so that a storm of sign-ins cannot starve other
 * requests. Of one account twenty hashes at most wait or run, and those of one network fill half of the queue at most; networks take turns,
 * and if the queue is full, a site that fills half of it makes room for others. So nobody keeps others from signing in, not even by the right
 * password in many sessions, or from the 65,536 networks of a site.
 */
import { availableParallelism } from 'node:os'
import { networkOf, siteOf } from '../../platform/http/address.ts'
import type { RequestContext } from '../../platform/http/context.ts'
import type { Problem } from '../../platform/http/problems.ts'
import { overloaded } from '../limits/places.ts'

/** Whom a hash is computed for. It matters to nobody but this process, and is kept while the hash waits or runs. */
export interface Hasher {
  readonly account: string
  readonly network: string
}

/**
 * @param email   of the account, whether or not it exists
 * @param isKnown whether the request comes from a known device or holds a mailed token: strangers must not fill what the owner needs
 */
export function hasherOf({ ip }: Pick<RequestContext, 'ip'>, tenant: string, email: string, isKnown = false): Hasher {
  return { account: `${tenant} ${email} ${isKnown}`, network: networkOf(ip) }
}

interface Waiting {
  /** How many of our hashes take as long. */
  readonly weight: number
  readonly begin: () => void
  readonly refuse: (problem: Problem) => void
}

/** How many of ours may wait for each slot: about five seconds of hashing. Past that a caller has gone, or has better come again. */
const waitingPerSlot = 150
/** As many guesses from different networks may be looked at at once; more than somebody needs who signs in on all devices. */
const mostOfAccount = 20

let slots = 0
shareCores(1)
let busy = 0
/** By network; the first one's turn is next. None is empty. */
const queues = new Map<string, Waiting[]>()
/** How many hashes of an account wait or run. */
const accounts = new Map<string, number>()

/** How many hashes are being computed, and how many of ours would take as long as what waits, now and at most. */
export function hashing() {
  const waiting = [...queues.values()].reduce((sum, queue) => sum + weightOf(queue), 0)
  return { busy, slots, waiting: Math.round(waiting), line: slots * waitingPerSlot }
}

/** @param processes that compute hashes on this machine: each has its part, and one core at least */
export function shareCores(processes: number): void {
  slots = Math.max(1, Math.floor((availableParallelism() - 1) / processes))
}

/**
 * Computes a hash when its turn comes.
 *
 * @param weight how many of ours take as long
 * @throws Problem overloaded
 */
export async function inTurn<T>({ account, network }: Hasher, weight: number, work: () => Promise<T>): Promise<T> {
  const ofAccount = accounts.get(account) ?? 0
  if (ofAccount >= mostOfAccount) throw overloaded(1)
  if (busy >= slots) makeRoom(network)

  accounts.set(account, ofAccount + 1)
  try {
    if (busy < slots) busy++
    else await awaitTurn(network, weight)
  } catch (error) {
    leave(account)
    throw error
  }
  try {
    return await work()
  } finally {
    leave(account)
    beginNext()
  }
}

/**
 * Makes room for a network in the line. If the line is full, the last of the longest queue is refused, unless the network's own is as long. If
 * another site fills half of the line with its networks, the longest of these makes room.
 *
 * @throws Problem overloaded
 */
function makeRoom(network: string): void {
  const { waiting, line } = hashing()
  const own = weightOf(queues.get(network) ?? [])
  if (own >= line / 2) throw overloaded(5)
  if (waiting < line) return
  const crowd = [...Map.groupBy(queues, ([each]) => siteOf(each))].find(
    ([site, all]) => site !== siteOf(network) && weightOf(all.flatMap(([, queue]) => queue)) >= line / 2,
  )
  const [longest, queue] = (crowd?.[1] ?? [...queues]).reduce((most, each) =>
    weightOf(each[1]) > weightOf(most[1]) ? each : most,
  )
  if (!crowd && weightOf(queue) <= own + 1) throw overloaded(5)
  const last = queue.pop()
  if (queue.length === 0) queues.delete(longest)
  last?.refuse(overloaded(5))
}

function awaitTurn(network: string, weight: number): Promise<void> {
  return new Promise((begin, refuse) => {
    queues.set(network, [...(queues.get(network) ?? []), { weight, begin, refuse }])
  })
}

function leave(account: string): void {
  const others = (accounts.get(account) ?? 0) - 1
  if (others > 0) accounts.set(account, others)
  else accounts.delete(account)
}

/** Hands the slot on to the network whose turn it is, which then has to wait for those of all others. */
function beginNext(): void {
  for (const [network, [next, ...others]] of queues) {
    queues.delete(network)
    if (others.length > 0) queues.set(network, others)
    next?.begin()
    return
  }
  busy--
}

function weightOf(queue: readonly Waiting[]): number {
  return queue.reduce((sum, { weight }) => sum + weight, 0)
}
