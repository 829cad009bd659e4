/**
 * The draft: the product's permissions and roles while somebody edits them.
 *
 * Invariant: roles contain only permissions that the draft has, or that are built in. A permission is known by its key, which never changes
 * once it is saved. A role is known by its id, since its key can be changed.
 */
import type { AccessModel, MinimumRole } from './model.ts'

export interface DraftPermission {
  readonly key: string
  readonly name: string
  readonly description: string
  readonly minimumRole: MinimumRole
}

export interface DraftRole {
  /** A role that is not saved yet has an id of the console. */
  readonly id: string
  readonly key: string
  readonly name: string
  readonly description: string
  readonly permissions: ReadonlySet<string>
}

export interface Draft {
  readonly permissions: readonly DraftPermission[]
  readonly roles: readonly DraftRole[]
  /** The keys of the saved roles by their ids. */
  readonly savedKeys: ReadonlyMap<string, string>
}

export type Edit =
  /** @param before the former key of a permission that is not saved yet */
  | { readonly is: 'permission'; readonly before?: string | undefined; readonly permission: DraftPermission }
  | { readonly is: 'permissionRemoved'; readonly key: string }
  | { readonly is: 'role'; readonly role: Omit<DraftRole, 'permissions'> }
  | { readonly is: 'roleRemoved'; readonly id: string }
  | { readonly is: 'toggled'; readonly id: string; readonly key: string }
  | { readonly is: 'minimumRole'; readonly key: string; readonly minimumRole: MinimumRole }
  | { readonly is: 'example'; readonly draft: Pick<Draft, 'permissions' | 'roles'> }

/** The draft of a model as it was read. */
export function draftOf({ permissions, roles }: AccessModel): Draft {
  const own = roles.flatMap(({ id, key, name, description, permissions: contained }) =>
    id === null ? [] : [{ id, key, name, description: description ?? '', permissions: new Set(contained) }],
  )
  return {
    permissions: permissions
      .filter(({ builtIn }) => !builtIn)
      .map(({ key, name, description, minimumRole }) => ({ key, name, description: description ?? '', minimumRole })),
    roles: own,
    savedKeys: new Map(own.map(({ id, key }) => [id, key])),
  }
}

export function edited(draft: Draft, edit: Edit): Draft {
  const { permissions, roles } = draft
  const inRole = (id: string, change: (role: DraftRole) => DraftRole) =>
    roles.map((role) => (role.id === id ? change(role) : role))
  switch (edit.is) {
    case 'permission': {
      const { before, permission } = edit
      const others = permissions.filter(({ key }) => key !== before && key !== permission.key)
      const isMoved = before !== undefined && before !== permission.key
      return {
        ...draft,
        permissions: byKey([...others, permission]),
        roles: isMoved ? roles.map((role) => renamedIn(role, before, permission.key)) : roles,
      }
    }
    case 'permissionRemoved':
      return {
        ...draft,
        permissions: permissions.filter(({ key }) => key !== edit.key),
        roles: roles.map((role) =>
          role.permissions.has(edit.key) ? { ...role, permissions: without(role.permissions, edit.key) } : role,
        ),
      }
    case 'role': {
      const known = roles.find(({ id }) => id === edit.role.id)
      const role = { ...edit.role, permissions: known?.permissions ?? new Set<string>() }
      return { ...draft, roles: byKey([...roles.filter(({ id }) => id !== role.id), role]) }
    }
    case 'roleRemoved':
      return { ...draft, roles: roles.filter(({ id }) => id !== edit.id) }
    case 'toggled':
      return {
        ...draft,
        roles: inRole(edit.id, (role) => ({
          ...role,
          permissions: role.permissions.has(edit.key)
            ? without(role.permissions, edit.key)
            : new Set([...role.permissions, edit.key]),
        })),
      }
    case 'minimumRole':
      return {
        ...draft,
        permissions: permissions.map((each) =>
          each.key === edit.key ? { ...each, minimumRole: edit.minimumRole } : each,
        ),
      }
    case 'example':
      return { ...draft, ...edit.draft }
  }
}

function byKey<Entry extends { readonly key: string }>(entries: readonly Entry[]): Entry[] {
  return entries.toSorted((one, other) => (one.key < other.key ? -1 : 1))
}

function without(permissions: ReadonlySet<string>, key: string): Set<string> {
  return new Set([...permissions].filter((each) => each !== key))
}

function renamedIn(role: DraftRole, before: string, key: string): DraftRole {
  if (!role.permissions.has(before)) return role
  return { ...role, permissions: new Set([...without(role.permissions, before), key]) }
}

/** The body of a request. `was` names the saved role whose key has changed. */
export function bodyOf({ permissions, roles, savedKeys }: Draft) {
  return {
    permissions: permissions.map(({ description, ...rest }) => ({
      ...rest,
      ...(description !== '' && { description }),
    })),
    roles: roles.map(({ id, description, permissions: contained, ...rest }) => {
      const was = savedKeys.get(id)
      return {
        ...rest,
        ...(description !== '' && { description }),
        ...(was !== undefined && was !== rest.key && { was }),
        permissions: [...contained],
      }
    }),
  }
}
