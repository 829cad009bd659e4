/** What a member holds, for contenders that answer with it. */
import type { Held } from '../../src/domain/permissions/held.ts'
import { holdingsOf, minimumRolesWith } from '../../src/domain/permissions/rules.ts'
import type { Row } from './operation.ts'

/** The roles of the product that one of `memberships m` has. */
export const grants = `(
  select json_agg(json_build_object('role', r.key, 'permissions', r.permissions, 'expiresAt', g.expires_at, 'grantedAt', g.granted_at,
    'grantedBy', json_build_object('id', b.id, 'name', b.name)))
  from role_grants g
  join roles r on r.tenant_id = $1 and r.id = g.role_id
  left join users b on b.tenant_id = $1 and b.id = g.granted_by
  where g.tenant_id = $1 and g.membership_id = m.id) as grants`
/** The permissions of the product. */
export const model = `(
  select json_agg(json_build_object('key', p.key, 'minimumRole', p.minimum_role)) from permissions p where p.tenant_id = $1) as model`

/** What a row's member holds, by the service's own rule. */
export function heldIn({ role, grants, expiresAt }: Row, { model }: Row) {
  const held = { role, expiresAt, grants: grants ?? [] } as Held
  return holdingsOf(held, minimumRolesWith(model as Parameters<typeof minimumRolesWith>[0])) // as `model` selects it
}
