/** The access model as admins send it, and what can be wrong with it. */
import { type Static, Type } from 'typebox'
import { caps } from '../../domain/limits/caps.ts'
import {
  modelFields,
  mostPermissions,
  PermissionKey,
  type ProductRole,
  RoleKey,
} from '../../domain/permissions/access-model.ts'
import { grantablePermissions, isPermission, reservedNouns } from '../../domain/permissions/permissions.ts'
import { roles } from '../../domain/permissions/roles.ts'
import { type Fault, faultOf } from '../../platform/http/faults.ts'
import { Nullable } from '../../platform/http/schemas.ts'

export type WantedModel = Static<typeof WantedModel>
export const WantedModel = Type.Object(
  {
    permissions: Type.Array(
      Type.Object(
        {
          key: PermissionKey,
          name: modelFields.name,
          description: Type.Optional(Nullable(modelFields.description)),
          minimumRole: Type.Optional({ ...modelFields.minimumRole, default: 'admin' }),
        },
        { additionalProperties: false },
      ),
      { maxItems: caps.permissions.most, description: 'All permissions of the product.' },
    ),
    roles: Type.Array(
      Type.Object(
        {
          key: RoleKey,
          was: Type.Optional({ ...RoleKey, description: 'The former key of a role that is renamed.' }),
          name: modelFields.name,
          description: Type.Optional(Nullable(modelFields.description)),
          permissions: Type.Array(PermissionKey, { maxItems: mostPermissions }),
        },
        { additionalProperties: false },
      ),
      { maxItems: caps.roles.most, description: 'All roles of the product.' },
    ),
  },
  { additionalProperties: false },
)

/** @param before the roles that there are @returns everything that is wrong with a model */
export function faultsOf({ permissions, roles: wanted }: WantedModel, before: readonly ProductRole[]): Fault[] {
  const known = new Set<string>([...grantablePermissions, ...permissions.map(({ key }) => key)])
  const isTwice = (list: readonly { readonly key: string }[], index: number) =>
    list.findIndex(({ key }) => key === list[index]?.key) < index
  const exists = (wantedKey: string) => before.some(({ key }) => key === wantedKey)
  return [
    ...permissions.flatMap(({ key }, index) => {
      const place = `/permissions/${index}/key`
      if (reservedNouns.includes(key.split(':')[0] as string))
        return [faultOf(place, 'not_allowed', 'This noun is reserved for built-in permissions.')]
      return isTwice(permissions, index) ? [faultOf(place, 'not_allowed', 'This key is given twice.')] : []
    }),
    ...wanted.flatMap((role, index) => {
      const faults: Fault[] = []
      if ((roles as readonly string[]).includes(role.key))
        faults.push(faultOf(`/roles/${index}/key`, 'not_allowed', 'This is a built-in role.'))
      if (isTwice(wanted, index)) faults.push(faultOf(`/roles/${index}/key`, 'not_allowed', 'This key is given twice.'))
      if (role.was !== undefined && role.was !== role.key && exists(role.was)) {
        const isMeantTwice = wanted.some((other, at) => at !== index && [other.key, other.was].includes(role.was))
        if (exists(role.key) || isMeantTwice)
          faults.push(faultOf(`/roles/${index}/was`, 'not_allowed', 'Both roles are there, so none can be renamed.'))
      }
      role.permissions.forEach((key, at) => {
        const place = `/roles/${index}/permissions/${at}`
        if (isPermission(key) && !known.has(key))
          faults.push(faultOf(place, 'not_allowed', 'A role cannot contain this built-in permission.'))
        else if (!known.has(key))
          faults.push(
            faultOf(place, 'not_allowed', 'Neither `permissions` nor the built-in ones have this permission.'),
          )
        else if (role.permissions.indexOf(key) < at)
          faults.push(faultOf(place, 'not_allowed', 'This permission is given twice.'))
      })
      return faults
    }),
  ]
}
