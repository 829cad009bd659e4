import assert from 'node:assert/strict'
import { test } from 'node:test'
import { minimumAfter } from './cells.ts'
import { differencesBetween } from './differences.ts'
import { bodyOf, draftOf, edited } from './draft.ts'
import { merge } from './merging.ts'
import type { AccessModel } from './model.ts'

interface Small {
  readonly permissions?: Readonly<Record<string, string>>
  readonly roles?: Readonly<Record<string, readonly string[]>>
}

/** A model: permissions with their names, and roles with their permissions. The id of a role is `rol_` and its first letter. */
function model({ permissions = {}, roles = {} }: Small): AccessModel {
  const common = { description: null, minimumRole: 'admin', grantable: true } as const
  return {
    permissions: [
      { ...common, key: 'audit:read', name: 'See the activity', builtIn: true },
      ...Object.entries(permissions).map(([key, name]) => ({ ...common, key, name, builtIn: false })),
    ],
    roles: Object.entries(roles).map(([key, contained]) => ({
      id: `rol_${key.charAt(0)}`,
      key,
      name: key,
      description: null,
      permissions: [...contained],
      source: 'tenant',
      memberCount: 0,
    })),
  }
}

const first = model({ permissions: { 'a:read': 'A', 'b:read': 'B' }, roles: { crew: ['a:read', 'audit:read'] } })

test('a permission that is removed leaves all roles', () => {
  const draft = edited(draftOf(first), { is: 'permissionRemoved', key: 'a:read' })
  assert.deepEqual(bodyOf(draft).roles[0]?.permissions, ['audit:read'])
})

test('a renamed role says what its key was, and renamed back it does not', () => {
  const draft = draftOf(first)
  const rename = (key: string) =>
    edited(draft, { is: 'role', role: { id: 'rol_c', key, name: 'Crew', description: '' } })
  const [role] = bodyOf(rename('staff')).roles
  assert.deepEqual([role?.key, role?.was, role?.permissions.length], ['staff', 'crew', 2])
  assert.equal(bodyOf(rename('crew')).roles[0]?.was, undefined)
})

test('a new permission whose key changes stays in its roles', () => {
  const permission = { key: 'c:read', name: 'C', description: '', minimumRole: 'admin' } as const
  let draft = edited(draftOf(first), { is: 'permission', permission })
  draft = edited(draft, { is: 'toggled', id: 'rol_c', key: 'c:read' })
  draft = edited(draft, { is: 'permission', before: 'c:read', permission: { ...permission, key: 'c:write' } })
  assert.deepEqual(bodyOf(draft).roles[0]?.permissions, ['a:read', 'audit:read', 'c:write'])
  assert.deepEqual(
    draft.permissions.map(({ key }) => key),
    ['a:read', 'b:read', 'c:write'],
  )
})

test('an edit that is taken back is no difference', () => {
  const saved = draftOf(first)
  const once = edited(saved, { is: 'toggled', id: 'rol_c', key: 'b:read' })
  const { roles, count } = differencesBetween(saved, once)
  assert.deepEqual([count, roles.get('rol_c')?.gains], [1, ['b:read']])
  assert.equal(differencesBetween(saved, edited(once, { is: 'toggled', id: 'rol_c', key: 'b:read' })).count, 0)
})

test('who has a permission follows the boxes of the built-in roles', () => {
  assert.equal(minimumAfter('admin', 'member', true), 'member')
  assert.equal(minimumAfter('member', 'member', false), 'admin')
  assert.equal(minimumAfter('member', 'admin', false), 'owner')
  assert.equal(minimumAfter('owner', 'admin', true), 'admin')
})

test('what others have saved comes into a draft, which keeps its own edits', () => {
  let draft = edited(draftOf(first), { is: 'toggled', id: 'rol_c', key: 'b:read' })
  draft = edited(draft, {
    is: 'permission',
    permission: { key: 'c:read', name: 'C', description: '', minimumRole: 'member' },
  })
  const now = model({
    permissions: { 'a:read': 'A, renamed', 'b:read': 'B', 'd:read': 'D' },
    roles: { crew: ['a:read', 'd:read'], x: [] },
  })
  const merged = merge(first, draft, now)
  assert.deepEqual(
    merged.permissions.map(({ key, name }) => `${key} ${name}`),
    ['a:read A, renamed', 'b:read B', 'c:read C', 'd:read D'],
  )
  assert.deepEqual([...(merged.roles[0]?.permissions ?? [])].sort(), ['a:read', 'b:read', 'd:read'])
  assert.equal(merged.roles[1]?.key, 'x')
})

test('what others have removed goes, unless the draft has changed it', () => {
  const draft = edited(draftOf(first), {
    is: 'permission',
    permission: { key: 'b:read', name: 'B, renamed', description: '', minimumRole: 'admin' },
  })
  const merged = merge(first, draft, model({}))
  assert.deepEqual(
    merged.permissions.map(({ key }) => key),
    ['b:read'],
  )
  assert.deepEqual(merged.roles, [])
  assert.equal(differencesBetween(draftOf(model({})), merged).permissions.get('b:read')?.kind, 'added')
})

test('what the draft has removed stays removed, and no role of others contains it', () => {
  const draft = edited(draftOf(first), { is: 'permissionRemoved', key: 'b:read' })
  const now = model({ permissions: { 'a:read': 'A', 'b:read': 'B' }, roles: { crew: ['a:read', 'b:read'] } })
  const merged = merge(first, draft, now)
  assert.deepEqual(
    merged.permissions.map(({ key }) => key),
    ['a:read'],
  )
  assert.deepEqual([...(merged.roles[0]?.permissions ?? [])], ['a:read'])
})
