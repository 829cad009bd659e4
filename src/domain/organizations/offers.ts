/**
 * Offers: what an invitation or a link gives, and whether it may still be taken.
 *
 * Invariant: nothing dead is accepted. An offer lives while all of this holds:
 *
 * - It is pending and has not expired.
 * - Its maker still holds `invitations:write` and covers what it gives.
 * - The key by which it was made lives and reaches as far.
 * - If it is a link, it gives no role with built-in permissions.
 *
 * A change that takes the maker's right ends the offer in the same transaction (`endOffersBeyond`). If time or the access model took it,
 * the row may say `pending` until the hourly task at the latest; `isLive` is asked in between.
 */
import { empty, pipeline, type Sent, type Sql, type Statement, statement } from '../../platform/database/database.ts'
import type { Actor, Caller, KeyCaller } from '../access/actors.ts'
import type { Names } from '../access/authorization.ts'
import { isKeyLive, isKeyOffered } from '../keys/keys.ts'
import { checkKeyNow, type KeyNow, selectKeyNow } from '../keys/recheck.ts'
import { type AccessModel, getAccessModel, isHarmless } from '../permissions/access-model.ts'
import { type Held, heldByKey, may } from '../permissions/held.ts'
import type { Role } from '../permissions/roles.ts'
import { earlier, type Gift, lackOf, permissionsOfRole } from '../permissions/rules.ts'
import type { OwnerType } from '../permissions/scopes.ts'
import { ApiProblem } from '../problems.ts'
import { giftOf, type OfferedGrant } from './grants.ts'
import { recordRevoked, revokeInvitations } from './invitation-states.ts'
import { closedAs, isInvitationPending } from './invitations.ts'
import { endLinks, isLinkLive } from './link-states.ts'
import type { LinkRow } from './links.ts'
import { findHeld, isAdminOfTenant } from './memberships.ts'

/** Locks the maker of an offer: a suspension of theirs, and any change of their key, wait for it from now on, and then find and end it. */
export function lockMaker({ tenant, user, key, secretHash }: Pick<Names, 'tenant' | 'user' | 'key' | 'secretHash'>) {
  return {
    makers: statement`select status from users where tenant_id = ${tenant} and id = ${user} for share`,
    ...(key && {
      makerKeys: statement`select from api_keys k where k.tenant_id = ${tenant} and k.id = ${key} for share`,
    }),
    // After the lock: the statement that waited would still see the secret from before.
    ...(secretHash && { keysNow: selectKeyNow(tenant, secretHash) }),
  }
}

/** As `lockMaker` selects it. */
export type MakerRows = {
  readonly makers: { readonly status: 'active' | 'suspended' }[]
  readonly keysNow?: KeyNow[]
}

/** @throws Problem unauthenticated when the maker was suspended already; those of `checkKeyNow` for a key */
export function checkMaker(caller: Caller | KeyCaller, { makers, keysNow = [] }: MakerRows): void {
  if (caller.type === 'user' && makers[0]?.status !== 'active') throw new ApiProblem('unauthenticated')
  const key = caller.type === 'key' ? caller : caller.limits
  if (key !== null) checkKeyNow(key, keysNow[0])
}

/** What an offer gives. */
export interface Offer {
  /** Omitted: an invitation. */
  readonly type?: 'invitation' | 'link'
  readonly role: Role
  readonly grants: readonly OfferedGrant[]
  /** When the membership ends; null: no end. */
  readonly memberExpiresAt: string | null
}

/** What a maker must cover. A role that is gone gives nothing. */
export function giftsOf({ role, grants, memberExpiresAt: until }: Offer, { minimumRoles, roles }: AccessModel): Gift[] {
  return [
    { permissions: permissionsOfRole(role, minimumRoles), until },
    ...grants.filter(({ roleId }) => roles.some(({ id }) => id === roleId)).map((grant) => giftOf(grant, until, roles)),
  ]
}

/** Whether somebody may make an offer, or could still make it. */
function mayOffer(maker: Held, offer: Offer, model: AccessModel): boolean {
  return (
    may(maker, 'invitations:write') &&
    !lackOf(maker, giftsOf(offer, model), model.minimumRoles) &&
    // A role may have got a built-in permission since the link was made.
    (offer.type !== 'link' || givesNoBuiltIn(offer, model))
  )
}

/** Whether somebody could make a link now, and so may have its URL. */
export function mayMakeLink(
  maker: Held,
  { offered: grants, memberExpiresAt }: Pick<LinkRow, 'offered' | 'memberExpiresAt'>,
  model: AccessModel,
): boolean {
  return mayOffer(maker, { type: 'link', role: 'member', grants, memberExpiresAt }, model)
}

function givesNoBuiltIn({ grants }: Offer, { roles }: AccessModel): boolean {
  return roles.every((role) => isHarmless(role) || !grants.some(({ roleId }) => roleId === role.id))
}

/** An offer that somebody has made. */
export interface MadeOffer extends Offer {
  /** Null: a person who is erased, or none: a key of the organization or of the tenant. */
  readonly makerId: string | null
  /** The key by which it was made. */
  readonly keyId: string | null
}

/** What a maker's right to make an offer is judged by. */
export interface Right {
  /** What the person holds as a member; undefined: nothing. */
  readonly person: Held | undefined
  /** Whether the person is an admin of the tenant, who may invite to every organization as its owner could. */
  readonly isAdmin: boolean
  /** The key by which it was made; undefined: it was made by none, or it has ended. */
  readonly key: MakingKey | undefined
  readonly model: AccessModel
}

/** A live key that has made an offer. */
interface MakingKey {
  readonly id: string
  readonly ownerType: OwnerType
  readonly scopes: readonly string[]
  /** Until when it may give something. The time that it has after its holder has left does not count: a rotation ends that. */
  readonly chosenEnd: string | null
}

/** Finds those of some keys that live. @param lock with `for share of k` their end waits, and then finds what is left of what they have made */
function findKeys(sql: Sql, which: Statement, lock: Statement = empty): Sent<MakingKey[]> {
  return sql<MakingKey>`
    select k.id, k.owner_type, k.scopes, k.chosen_end
    from api_keys k
    join tenants t on t.id = k.tenant_id
    where k.tenant_id = ${sql.tenant} and ${which} and ${isKeyLive} and ${isKeyOffered}
    ${lock}`
}

/**
 * By what the maker of an offer could have made it: a person as a member, or, without a key, as an admin of the tenant; a key of the
 * organization or of the tenant by itself; a person as far as the key reaches by which they made it. Admins of the tenant make no links.
 */
function makersOf({ keyId, type }: MadeOffer, { person, isAdmin, key }: Omit<Right, 'model'>): Held[] {
  const asMember = person ? [person] : []
  if (keyId === null) return isAdmin && type !== 'link' ? [...asMember, heldByOwner] : asMember
  if (key && key.ownerType !== 'user') return [heldByKey(key.scopes, key.chosenEnd)]
  if (!key) return []
  return asMember.map((held) => ({ ...held, scopes: key.scopes, expiresAt: earlier(held.expiresAt, key.chosenEnd) }))
}

const heldByOwner: Held = { role: 'owner', expiresAt: null, grants: [] }

/** Whether the maker of an offer could still make it. */
function isStillOffered(offer: MadeOffer, { model, ...right }: Right): boolean {
  return makersOf(offer, right).some((maker) => mayOffer(maker, offer, model))
}

/** Who made an offer, by ids or by expressions for them. */
interface MakerIds {
  readonly user: Statement | string | null
  readonly key: Statement | string | null
}

export async function readRight(sql: Sql, organizationId: string, { user, key }: MakerIds): Promise<Right> {
  const [keys, person, isAdmin, model] = await pipeline([
    key !== null && findKeys(sql, statement`k.id = ${key}`, statement`for share of k`),
    findHeld(sql, organizationId, user),
    isAdminOfTenant(sql, user),
    getAccessModel(sql),
  ])
  return { person, isAdmin, key: keys ? keys[0] : undefined, model }
}

/** Whether the maker of an offer, which is pending and has not expired, still has the right to make it. */
export async function isLive(sql: Sql, organizationId: string, offer: MadeOffer): Promise<boolean> {
  return isStillOffered(offer, await readRight(sql, organizationId, { user: offer.makerId, key: offer.keyId }))
}

/**
 * The same for several offers of an organization.
 *
 * @param isAsMembers whether their makers are judged as members alone
 */
export async function areLive(
  sql: Sql,
  organizationId: string,
  offers: readonly MadeOffer[],
  model: AccessModel,
  isAsMembers = false,
): Promise<boolean[]> {
  const keyIds = offers.map(({ keyId }) => keyId).filter((id) => id !== null)
  const makerIds = [...new Set(offers.map(({ makerId }) => makerId))].filter((id) => id !== null)
  const [keys, held, admins] = await pipeline([
    keyIds.length > 0 && findKeys(sql, statement`k.id = any(${keyIds})`),
    pipeline(makerIds.map((id) => findHeld(sql, organizationId, id))),
    pipeline(makerIds.map((id) => !isAsMembers && isAdminOfTenant(sql, id))),
  ])
  return offers.map((offer) => {
    const key = keys ? keys.find(({ id }) => id === offer.keyId) : undefined
    const index = offer.makerId === null ? -1 : makerIds.indexOf(offer.makerId)
    return isStillOffered(offer, { person: held[index], isAdmin: admins[index] === true, key, model })
  })
}

/**
 * Checks that an invitation can still be answered: also that its inviter still has the right to it.
 *
 * @throws Problem invitation_expired, invitation_revoked and so on
 */
export function checkOpen({ status, ...offer }: MadeOffer & { readonly status: string }, right: Right): void {
  if (status !== 'pending') throw new ApiProblem(closedAs[status] ?? 'not_found')
  if (!isStillOffered(offer, right)) throw new ApiProblem('invitation_revoked')
}

/** Why a maker may offer less than before. */
export type Cause =
  | 'inviter_demoted'
  | 'inviter_left'
  | 'inviter_removed'
  | 'inviter_suspended'
  | 'inviter_reset'
  | 'inviter_right_ended'
  | 'key_narrowed'

export interface OfferRow extends MadeOffer {
  readonly id: string
  readonly type: 'invitation' | 'link'
}

/** The live offers that somebody has made in an organization. */
export function selectOffers(tenant: string, organization: Statement | string, maker: Statement | string): Statement {
  return statement`
    select i.id, 'invitation' as type, i.role, i.grants, i.member_expires_at, i.invited_by as maker_id, i.key_id
    from invitations i
    where i.tenant_id = ${tenant} and i.organization_id = ${organization} and i.invited_by = ${maker} and ${isInvitationPending}
    union all
    select l.id, 'link', 'member', l.grants, l.member_expires_at, l.created_by, l.key_id
    from links l
    where l.tenant_id = ${tenant} and l.organization_id = ${organization} and l.created_by = ${maker} and ${isLinkLive}`
}

/**
 * Ends the live offers in an organization whose maker could no longer make them. The organization's row must be locked. An act that takes
 * their part in the organization takes with it what they offered there, even if they are an admin of the tenant.
 */
export async function endOffersBeyond(
  sql: Sql,
  actor: Actor,
  { organizationId, userId }: { readonly organizationId: string; readonly userId: string },
  cause: Cause,
): Promise<void> {
  const offers = await sql<OfferRow>`${selectOffers(sql.tenant, organizationId, userId)}`
  await endDead(sql, actor, organizationId, offers, cause)
}

/**
 * Ends those of some live offers in an organization whose maker could no longer make them.
 *
 * @param keyId the key that made them, if it is locked instead of the organization
 */
async function endDead(
  sql: Sql,
  actor: Actor,
  organizationId: string,
  offers: readonly OfferRow[],
  cause: Cause,
  keyId?: string,
): Promise<void> {
  if (offers.length === 0) return
  const isPartTaken = cause !== 'inviter_right_ended' && cause !== 'key_narrowed'
  const live = await areLive(sql, organizationId, offers, await getAccessModel(sql), isPartTaken)
  const dead = offers.filter((_, index) => !live[index])
  await end(sql, actor, organizationId, dead, cause, keyId)
}

/** Ends some live offers in an organization. */
async function end(
  sql: Sql,
  actor: Actor,
  organizationId: string,
  offers: readonly Pick<OfferRow, 'id' | 'type'>[],
  cause: Cause,
  keyId?: string,
): Promise<void> {
  const ids = (type: OfferRow['type']) => offers.filter((offer) => offer.type === type).map(({ id }) => id)
  const [revoked] = await pipeline([
    revokeInvitations(sql, ids('invitation'), keyId),
    endLinks(sql, actor, organizationId, ids('link'), { reason: 'maker', cause }),
  ])
  await pipeline(revoked.map((id) => recordRevoked(sql, actor, organizationId, id, cause)))
}

/**
 * Ends the live offers that were made by a key and could no longer be. The key must be locked: making and taking such an offer waits for it,
 * in whatever organization. Sending such an invitation again does not wait, and makes it somebody else's; a link stays its maker's.
 */
export async function endOffersOfKey(sql: Sql, actor: Actor, keyId: string, cause: Cause): Promise<void> {
  const offers = await sql<OfferRow & { organizationId: string }>`
    select i.id, 'invitation' as type, i.role, i.grants, i.member_expires_at, i.invited_by as maker_id, i.key_id, i.organization_id
    from invitations i
    where i.tenant_id = ${sql.tenant} and i.key_id = ${keyId} and ${isInvitationPending}
    union all
    select l.id, 'link', 'member', l.grants, l.member_expires_at, l.created_by, l.key_id, l.organization_id
    from links l
    where l.tenant_id = ${sql.tenant} and l.key_id = ${keyId} and ${isLinkLive}`
  for (const organizationId of new Set(offers.map((offer) => offer.organizationId))) {
    const there = offers.filter((offer) => offer.organizationId === organizationId)
    await endDead(sql, actor, organizationId, there, cause, keyId)
  }
}

/** Ends every live offer of somebody who may make none any more. Their organizations must be locked. */
export async function endOffersOf(sql: Sql, actor: Actor, userId: string, cause: Cause): Promise<void> {
  const organizations = await sql<{ organizationId: string }>`
    select i.organization_id from invitations i
    where i.tenant_id = ${sql.tenant} and i.invited_by = ${userId} and ${isInvitationPending}
    union
    select l.organization_id from links l
    where l.tenant_id = ${sql.tenant} and l.created_by = ${userId} and ${isLinkLive}
    order by organization_id`
  for (const { organizationId } of organizations) await endOffersBeyond(sql, actor, { organizationId, userId }, cause)
}

/**
 * Ends live offers of somebody whose account was in wrong hands, whatever they may still give. Their organizations must be locked.
 *
 * @param since only what they made from then on, or by a key whose secret they got since, and invitations that were ever sent again; null: all
 */
export async function endEveryOfferOf(sql: Sql, actor: Actor, userId: string, since: string | null): Promise<void> {
  const byKey = (keyId: Statement) =>
    since === null
      ? empty
      : statement`
      or exists (
        select from api_keys k
        join api_key_secrets s on s.tenant_id = ${sql.tenant} and s.key_id = k.id
        where k.tenant_id = ${sql.tenant} and k.id = ${keyId} and k.holder_id = ${userId} and s.created_at >= ${since})`
  const offers = await sql<Pick<OfferRow, 'id' | 'type'> & { organizationId: string }>`
    select i.id, 'invitation' as type, i.organization_id from invitations i
    where i.tenant_id = ${sql.tenant} and (i.invited_by = ${userId} ${byKey(statement`i.key_id`)}) and ${isInvitationPending}
      ${since === null ? empty : statement`and (i.created_at >= ${since} or i.generation > 1)`}
    union all
    select l.id, 'link', l.organization_id from links l
    where l.tenant_id = ${sql.tenant} and (l.created_by = ${userId} ${byKey(statement`l.key_id`)}) and ${isLinkLive}
      ${since === null ? empty : statement`and l.created_at >= ${since}`}
    order by id`
  for (const [organizationId, there] of Map.groupBy(offers, (offer) => offer.organizationId))
    await end(sql, actor, organizationId, there, 'inviter_reset')
}
