/**
 * Grants: roles of the product that a member has beside the own role, each with or without an end.
 *
 * Invariant: `memberships.has_grants` is true for a member who has one, so that the doors look for grants of nobody else.
 */
import { type Static, Type } from 'typebox'
import { pipeline, type Sent, type Sql } from '../../platform/database/database.ts'
import { type Fault, faultOf } from '../../platform/http/faults.ts'
import { Nullable, ref, Timestamp } from '../../platform/http/schemas.ts'
import { caps } from '../limits/caps.ts'
import { Person } from '../people/users.ts'
import { type ProductRole, RoleKey } from '../permissions/access-model.ts'
import { earlier, endOf, type Gift } from '../permissions/rules.ts'

export type Grant = Static<typeof Grant>
export const Grant = Type.Object(
  {
    role: RoleKey,
    expiresAt: Nullable(Timestamp),
    grantedBy: Nullable(ref(Person)),
    grantedAt: Timestamp,
  },
  { $id: 'Grant', description: 'A role of the product that a member has.' },
)

export const End = Nullable({
  ...Timestamp,
  description: 'Between one minute and five years ahead. Null: no end.',
})

/** Grants that a body asks for. */
export const WantedGrants = Type.Array(
  Type.Object({ role: RoleKey, expiresAt: Type.Optional(End) }, { additionalProperties: false }),
  { maxItems: caps.grants.most, description: 'Roles of the product, beside the role. The whole list.' },
)

/** A grant as offers keep it, and as a membership gets it: by the role's id. */
export interface OfferedGrant {
  readonly roleId: string
  /** RFC 3339, UTC; null: no end of its own. */
  readonly expiresAt: string | null
}

/**
 * Finds the roles that a body names.
 *
 * @param pointer to the list in the body
 * @param model   the roles that there are, and the time by which ends are judged
 * @param faults  gets an unknown role, one that is named twice, and an end out of range; the caller throws them with those of other fields
 * @param known   ends that stay are not judged again
 * @returns the grants, without those of unknown roles
 */
export function readGrants(
  pointer: string,
  wanted: Static<typeof WantedGrants>,
  { roles, now }: { readonly roles: readonly ProductRole[]; readonly now: number },
  faults: Fault[],
  known: readonly OfferedGrant[] = [],
): OfferedGrant[] {
  return wanted.flatMap(({ role, expiresAt = null }, index) => {
    const roleId = roles.find(({ key }) => key === role)?.id
    const place = `${pointer}/${index}`
    if (roleId === undefined) faults.push(faultOf(`${place}/role`, 'not_allowed', 'The tenant has no such role.'))
    else if (wanted.findIndex((other) => other.role === role) < index)
      faults.push(faultOf(`${place}/role`, 'not_allowed', 'This role is given twice.'))
    const before = known.find((each) => each.roleId === roleId)
    const end = readEnd(`${place}/expiresAt`, expiresAt, now, faults, before?.expiresAt)
    return roleId === undefined ? [] : [{ roleId, expiresAt: end }]
  })
}

const minute = 60_000
const most = 5 * 366 * 86_400_000

/** Whether an end is further ahead than any may be: five years. */
export function isTooFar(end: string, now: number): boolean {
  return endOf(end) - now > most
}

/**
 * @param end    as it was sent
 * @param now    by the database’s clock, which also ends it
 * @param faults gets one unless the end is between one minute and five years ahead; the caller throws it with those of other fields
 * @param before the one that is there; it stays allowed while it passes
 * @returns RFC 3339, UTC
 */
export function readEnd(
  pointer: string,
  end: string | null,
  now: number,
  faults: Fault[],
  before?: string | null,
): string | null {
  if (end === null) return null
  if (before != null && endOf(end) === endOf(before)) return before
  if (isTooFar(end, now) || endOf(end) - now < minute)
    faults.push(faultOf(pointer, 'out_of_range', 'A time between one minute and five years ahead is needed.'))
  return new Date(end).toISOString()
}

/** What a grant gives: the permissions of its role until the earlier of its end and that of the membership. */
export function giftOf(
  { roleId, expiresAt }: OfferedGrant,
  membershipEnd: string | null,
  roles: readonly ProductRole[],
): Gift {
  const permissions = roles.find(({ id }) => id === roleId)?.permissions ?? []
  return { permissions, until: earlier(expiresAt, membershipEnd) }
}

/** Grants in the audit log: by the roles' keys, with the ends. */
export function namesOf(grants: readonly OfferedGrant[], roles: readonly Pick<ProductRole, 'id' | 'key'>[]): string[] {
  return grants.map(({ roleId, expiresAt }) => {
    const key = roles.find(({ id }) => id === roleId)?.key ?? roleId
    return expiresAt === null ? key : `${key} until ${expiresAt}`
  })
}

/** What the audit log says of an offer or a newcomer: the grants and the end of the membership, if there are any. */
export function detailsOf(
  grants: readonly OfferedGrant[],
  expiresAt: string | null,
  roles: readonly Pick<ProductRole, 'id' | 'key'>[],
): { readonly grants?: string[]; readonly expiresAt?: string } {
  const names = namesOf(grants, roles)
  return { ...(names.length > 0 && { grants: names }), ...(expiresAt !== null && { expiresAt }) }
}

/** The changes from some grants to others. */
export interface GrantChanges {
  readonly added: readonly OfferedGrant[]
  readonly changed: readonly OfferedGrant[]
  readonly removed: readonly OfferedGrant[]
}

export function changesOfGrants(before: readonly OfferedGrant[], after: readonly OfferedGrant[]): GrantChanges {
  const of = (grants: readonly OfferedGrant[], roleId: string) => grants.find((each) => each.roleId === roleId)
  return {
    added: after.filter(({ roleId }) => !of(before, roleId)),
    changed: after.filter(({ roleId, expiresAt }) => {
      const known = of(before, roleId)
      return known && endOf(known.expiresAt) !== endOf(expiresAt)
    }),
    removed: before.filter(({ roleId }) => !of(after, roleId)),
  }
}

/**
 * Writes changes of a membership's grants. The organization's row must be locked.
 *
 * @param grantedBy the user who gives them
 * @throws ConstraintError when a role has just gone
 */
export function writeGrants(
  sql: Sql,
  membershipId: string,
  { added, changed, removed }: GrantChanges,
  grantedBy: string | null,
): Sent<unknown> {
  return pipeline([
    ...removed.map(
      ({ roleId }) =>
        sql`delete from role_grants where tenant_id = ${sql.tenant} and membership_id = ${membershipId} and role_id = ${roleId}`,
    ),
    ...[...added, ...changed].map(
      ({ roleId, expiresAt }) => sql`
        insert into role_grants (tenant_id, membership_id, role_id, expires_at, granted_by)
        values (${sql.tenant}, ${membershipId}, ${roleId}, ${expiresAt}, ${grantedBy})
        on conflict (tenant_id, membership_id, role_id) do update
        set expires_at = excluded.expires_at, granted_by = excluded.granted_by, granted_at = excluded.granted_at`,
    ),
  ])
}
