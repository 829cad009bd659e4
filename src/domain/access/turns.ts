/**
 * Turns: the keys under which the transactions of a process wait in memory for a row that many may want (platform/database/turns.ts).
 *
 * Turns are taken in this order: account, tenant, organizations by id, erasure. A transaction with one of the others takes no further turn.
 *
 * A turn is of those who may have it: somebody who must only know an address or a link waits for others like them, and not before the owner.
 */
import type { MailedToken } from './tokens.ts'

/** For what its owner does, or somebody who has just proven to be the owner. */
export const accountTurn = (userId: string) => `account ${userId}`

/** For tenant admins, and for what locks the tenant's row. */
export const tenantTurn = 'tenant'

/** @param named by its id or its slug: those of one and of the other meet at the row */
export const organizationTurn = (named: string) => `organization ${named}`

/** For exchanges of codes, which lock their session. A code is sealed, so nobody makes one up. */
export const sessionTurn = (sessionId: string) => `session ${sessionId}`

/** For refreshes. Nobody makes up one of their tokens either. */
export const grantTurn = (grantId: string) => `grant ${grantId}`

/** For requests with a mailed link. Its row is named by the link, which is not checked before the row is locked. */
export const linkTurn = ({ row }: Pick<MailedToken, 'row'>) => `link ${row}`

/**
 * For erasures of more than a batch: each holds a connection for as long as its batches take. It is the last turn, and claimed on the way,
 * when the first batch was full: small erasures wait for nobody.
 */
export const erasureTurn = 'erasure'

/** For those who come from a provider with the address of an account that they have not proven. */
export const arrivalTurn = (userId: string) => `arrival ${userId}`

/** For requests with a set-up link. */
export const setUpTurn = 'set-up'

/** For tries at a proof: @param counter is the account's, or that of a known device, so that strangers keep no owner waiting. */
export const triesTurn = (counter: Buffer) => `tries ${counter.toString('base64')}`
