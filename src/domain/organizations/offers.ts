/**
 * Offers: what an invitation or a link gives, and whether it may still be taken.
 *
 * Invariant: nothing dead is accepted. An offer lives while it is pending, has not expired, and its maker still holds `invitations:write`
 * and covers what it gives; a link gives no role with built-in permissions. A change that takes this right ends the offer in the same
 * transaction (`endOffersBeyond`). If time or the access model took it, the row may say `pending` until the hourly task at the latest;
 * `isLive` is asked in between.
 */
import { pipeline, type Sql, type Statement, statement } from '../../platform/database/database.ts'
import type { Actor, Caller, KeyCaller } from '../access/actors.ts'
import type { Names } from '../access/authorization.ts'
import { isKeyLive } from '../keys/keys.ts'
import {
  isHarmless,
  type ProductPermission,
  type ProductRole,
  selectProductPermissions,
  selectProductRoles,
} from '../permissions/access-model.ts'
import { type Held, may } from '../permissions/held.ts'
import type { Role } from '../permissions/roles.ts'
import { type Gift, lackOf, type MinimumRoles, minimumRolesWith, permissionsOfRole } from '../permissions/rules.ts'
import { ApiProblem } from '../problems.ts'
import { giftOf, type OfferedGrant } from './grants.ts'
import { recordRevoked, revokeInvitations } from './invitation-states.ts'
import { closedAs } from './invitations.ts'
import { endLinks } from './link-states.ts'
import { findHeld } from './memberships.ts'

/** Locks the maker of an offer: a suspension of theirs, and the end of their key, wait for it from now on, and then find and end it. */
export function lockMaker({ tenant, user, key }: Pick<Names, 'tenant' | 'user' | 'key'>) {
  return {
    makers: statement`select status from users where tenant_id = ${tenant} and id = ${user} for share`,
    ...(key && {
      makerKeys: statement`select from api_keys k where k.tenant_id = ${tenant} and k.id = ${key} and ${isKeyLive} for share`,
    }),
  }
}

/** As `lockMaker` selects it. */
export type MakerRows = {
  readonly makers: { readonly status: 'active' | 'suspended' }[]
  readonly makerKeys?: unknown[]
}

/** @throws Problem unauthenticated when the maker was suspended, or their key ended, already */
export function checkMaker({ type, keyId }: Caller | KeyCaller, { makers, makerKeys = [] }: MakerRows): void {
  if (type === 'user' && makers[0]?.status !== 'active') throw new ApiProblem('unauthenticated')
  if (keyId !== null && makerKeys.length === 0) throw new ApiProblem('unauthenticated')
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

/** What offers are judged by. */
export interface AccessModel {
  readonly minimumRoles: MinimumRoles
  readonly roles: readonly ProductRole[]
}

/** The statements of an access model. They belong after a lock, in the same transaction. */
export function selectAccessModel(tenant: string) {
  return { permissions: selectProductPermissions(tenant), roles: selectProductRoles(tenant) }
}

/** As `selectAccessModel` selects it. */
export type AccessModelRows = { readonly permissions: ProductPermission[]; readonly roles: ProductRole[] }

export function toAccessModel({ permissions, roles }: AccessModelRows): AccessModel {
  return { minimumRoles: minimumRolesWith(permissions), roles }
}

/** Reads it in the transaction at hand. */
export async function getAccessModel(sql: Sql): Promise<AccessModel> {
  const { permissions, roles } = selectAccessModel(sql.tenant)
  const [permissionRows, roleRows] = await pipeline([
    sql<ProductPermission>`${permissions}`,
    sql<ProductRole>`${roles}`,
  ])
  return toAccessModel({ permissions: permissionRows, roles: roleRows })
}

/** What a maker must cover. A role that is gone gives nothing. */
export function giftsOf({ role, grants, memberExpiresAt: until }: Offer, { minimumRoles, roles }: AccessModel): Gift[] {
  return [
    { permissions: permissionsOfRole(role, minimumRoles), until },
    ...grants.filter(({ roleId }) => roles.some(({ id }) => id === roleId)).map((grant) => giftOf(grant, until, roles)),
  ]
}

/** Whether somebody may make an offer, or could still make it. @param maker undefined: they hold nothing */
function mayOffer(maker: Held | undefined, offer: Offer, model: AccessModel): boolean {
  return (
    maker !== undefined &&
    may(maker, 'invitations:write') &&
    !lackOf(maker, giftsOf(offer, model), model.minimumRoles) &&
    // A role may have got a built-in permission since the link was made.
    (offer.type !== 'link' || givesNoBuiltIn(offer, model))
  )
}

function givesNoBuiltIn({ grants }: Offer, { roles }: AccessModel): boolean {
  return roles.every((role) => isHarmless(role) || !grants.some(({ roleId }) => roleId === role.id))
}

/** An offer that somebody has made. */
export interface MadeOffer extends Offer {
  /** Null: a person who is erased. */
  readonly makerId: string | null
}

/** What a maker's right to make an offer is judged by. */
export interface Right {
  /** Undefined: they hold nothing. */
  readonly maker: Held | undefined
  readonly model: AccessModel
}

/** @param maker their id; null: a person who is erased */
export async function readRight(sql: Sql, organizationId: string, maker: Statement | string | null): Promise<Right> {
  const [held, model] = await pipeline([findHeld(sql, organizationId, maker), getAccessModel(sql)])
  return { maker: held, model }
}

/** Whether the maker of an offer, which is pending and has not expired, still has the right to make it. */
export async function isLive(sql: Sql, organizationId: string, offer: MadeOffer): Promise<boolean> {
  const { maker, model } = await readRight(sql, organizationId, offer.makerId)
  return mayOffer(maker, offer, model)
}

/** The same for several offers of an organization. */
export async function areLive(
  sql: Sql,
  organizationId: string,
  offers: readonly MadeOffer[],
  model: AccessModel,
): Promise<boolean[]> {
  const makerIds = [...new Set(offers.map(({ makerId }) => makerId))].filter((id) => id !== null)
  const held = await pipeline(makerIds.map((id) => findHeld(sql, organizationId, id)))
  const makers = new Map(makerIds.map((id, index) => [id, held[index]]))
  return offers.map((offer) => mayOffer(offer.makerId === null ? undefined : makers.get(offer.makerId), offer, model))
}

/**
 * Checks that an invitation can still be answered: also that its inviter still has the right to it.
 *
 * @throws Problem invitation_expired, invitation_revoked and so on
 */
export function checkOpen(
  { status, ...offer }: MadeOffer & { readonly status: string },
  { maker, model }: Right,
): void {
  if (status !== 'pending') throw new ApiProblem(closedAs[status] ?? 'not_found')
  if (!mayOffer(maker, offer, model)) throw new ApiProblem('invitation_revoked')
}

/** Why a maker may offer less than before. */
export type Cause = 'inviter_demoted' | 'inviter_left' | 'inviter_removed' | 'inviter_suspended' | 'inviter_right_ended'

export interface OfferRow extends Offer {
  readonly id: string
  readonly type: 'invitation' | 'link'
}

/** The live offers that somebody has made in an organization. */
export function selectOffers(tenant: string, organization: Statement | string, maker: Statement | string): Statement {
  return statement`
    select id, 'invitation' as type, role, grants, member_expires_at
    from invitations
    where tenant_id = ${tenant} and organization_id = ${organization} and invited_by = ${maker}
      and status = 'pending' and expires_at > now()
    union all
    select id, 'link', 'member', grants, member_expires_at
    from links
    where tenant_id = ${tenant} and organization_id = ${organization} and created_by = ${maker}
      and ended_at is null and expires_at > now()`
}

/** Ends the live offers in an organization whose maker could no longer make them. The organization's row must be locked. */
export async function endOffersBeyond(
  sql: Sql,
  actor: Actor,
  { organizationId, userId }: { readonly organizationId: string; readonly userId: string },
  cause: Cause,
): Promise<void> {
  const offers = await sql<OfferRow>`${selectOffers(sql.tenant, organizationId, userId)}`
  if (offers.length === 0) return
  const { maker, model } = await readRight(sql, organizationId, userId)
  const dead = offers.filter((offer) => !mayOffer(maker, offer, model))
  const ids = (type: OfferRow['type']) => dead.filter((offer) => offer.type === type).map(({ id }) => id)
  const [revoked] = await pipeline([
    revokeInvitations(sql, ids('invitation')),
    endLinks(sql, actor, organizationId, ids('link'), 'maker', cause),
  ])
  await pipeline(revoked.map((id) => recordRevoked(sql, actor, organizationId, id, cause)))
}

/** Ends every live offer of somebody who may make none any more. Their organizations must be locked. */
export async function endOffersOf(sql: Sql, actor: Actor, userId: string, cause: Cause): Promise<void> {
  const organizations = await sql<{ organizationId: string }>`
    select organization_id from invitations
    where tenant_id = ${sql.tenant} and invited_by = ${userId} and status = 'pending' and expires_at > now()
    union
    select organization_id from links
    where tenant_id = ${sql.tenant} and created_by = ${userId} and ended_at is null and expires_at > now()
    order by organization_id`
  for (const { organizationId } of organizations) await endOffersBeyond(sql, actor, { organizationId, userId }, cause)
}
