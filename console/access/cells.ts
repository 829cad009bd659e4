/** The columns and the boxes of the matrix. The box of a permission and a role is a character, so that rows can be compared. */
import type { TFunction } from 'i18next'
import { type Differences, markOf } from './differences.ts'
import { type Draft, draftOf } from './draft.ts'
import type { AccessModel, MinimumRole } from './model.ts'
import '../texts/access.ts'

export const builtInRoles = ['member', 'admin', 'owner'] as const satisfies readonly MinimumRole[]

export interface Column {
  readonly id: string
  readonly name: string
  /** Which built-in role it is. */
  readonly role?: MinimumRole
  /** Undefined for a role that is not saved yet. */
  readonly memberCount: number | undefined
  readonly mark: ReturnType<typeof markOf>
}

/** The built-in roles, then the product's. */
export function columnsOf(model: AccessModel, draft: Draft, { roles }: Differences, t: TFunction): Column[] {
  const counts = new Map(model.roles.map(({ id, key, memberCount }) => [id ?? key, memberCount]))
  return [
    ...builtInRoles.map((role) => ({
      id: role,
      role,
      name: t(`access.roles.${role}`),
      memberCount: counts.get(role),
      mark: undefined,
    })),
    ...draft.roles.map(({ id, name }) => ({ id, name, memberCount: counts.get(id), mark: markOf(roles.get(id)) })),
  ]
}

/** `1` held, `0` not; `+` and `-` if the draft has changed it; `x` cannot be given. One for each column, by permission. */
export function cellsOf(model: AccessModel, draft: Draft, columns: readonly Column[]): Map<string, string> {
  const saved = draftOf(model)
  const savedMinimum = new Map(model.permissions.map(({ key, minimumRole }) => [key, minimumRole]))
  const now = new Map(draft.roles.map((role) => [role.id, role.permissions]))
  const before = new Map(saved.roles.map((role) => [role.id, role.permissions]))
  const permissions = [
    ...model.permissions.filter(({ builtIn }) => builtIn),
    ...draft.permissions.map((each) => ({ ...each, grantable: true })),
  ]
  const sign = (isHeld: boolean, wasHeld: boolean) => (isHeld === wasHeld ? (isHeld ? '1' : '0') : isHeld ? '+' : '-')
  return new Map(
    permissions.map(({ key, minimumRole, grantable }) => {
      const least = savedMinimum.get(key)
      const cells = columns.map(({ id, role }) => {
        if (role !== undefined) return sign(isAtLeast(role, minimumRole), isAtLeast(role, least ?? minimumRole))
        if (!grantable) return 'x'
        return sign(now.get(id)?.has(key) === true, before.get(id)?.has(key) === true)
      })
      return [key, cells.join('')]
    }),
  )
}

function isAtLeast(role: MinimumRole, least: MinimumRole): boolean {
  return builtInRoles.indexOf(role) >= builtInRoles.indexOf(least)
}

/** The minimum role after the box of a built-in role was switched. Those above it hold what it holds. */
export function minimumAfter(minimumRole: MinimumRole, role: MinimumRole, isOn: boolean): MinimumRole {
  if (isOn) return role
  const above = builtInRoles[builtInRoles.indexOf(role) + 1]
  return above ?? minimumRole
}
