import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Schemas } from '../api/client.ts'
import { covers, mayGive, rolesFor } from './roles.ts'

const [soon, later] = ['2027-01-31T09:00:00.000Z', '2027-03-31T09:00:00.000Z']
const role = (key: string, mayGrant: boolean, mayGrantUntil: string | null, permissions: string[]) =>
  ({ key, mayGrant, mayGrantUntil, permissions }) as Schemas['Role'] // these rules read no other field
const listed = [
  role('member', true, null, ['members:read']),
  role('admin', true, later, ['members:read', 'members:update']),
  role('owner', false, null, ['members:read', 'members:update', 'organization:delete']),
  role('billing', true, soon, ['invoices:write']),
]
const member = (of: 'member' | 'admin' | 'owner', expiresAt: string | null, ...grants: string[]) =>
  ({ role: of, status: 'active', expiresAt, grants: grants.map((key) => ({ role: key })) }) as Schemas['Member'] // as above

test('a role is given until its latest end, and not for longer or by those who may not', () => {
  assert.deepEqual(
    [mayGive(listed, 'billing', soon), mayGive(listed, 'billing', later), mayGive(listed, 'billing', null)],
    [true, false, false],
  )
  assert.deepEqual([mayGive(listed, 'member', null), mayGive(listed, 'owner', soon)], [true, false])
  assert.equal(mayGive(listed, 'unknown', soon), false)
})

test('a member gets a higher role only if it may last as long as the membership, and a lower one always', () => {
  assert.deepEqual(rolesFor(member('member', null), listed), ['member'])
  assert.deepEqual(rolesFor(member('member', later), listed), ['admin', 'member'])
  assert.deepEqual(rolesFor(member('admin', null), listed), ['admin', 'member'])
})

test('a member who is suspended or has an end can become an admin, and no owner', () => {
  const all = listed.map((each) => ({ ...each, mayGrant: true, mayGrantUntil: null }))
  assert.deepEqual(rolesFor(member('member', null), all), ['owner', 'admin', 'member'])
  assert.deepEqual(rolesFor(member('member', soon), all), ['admin', 'member'])
  assert.deepEqual(rolesFor({ ...member('admin', null), status: 'suspended' }, all), ['admin', 'member'])
})

test('only those who hold all that a member holds, by the role and by grants, may change them', () => {
  const admin = ['members:read', 'members:update']
  assert.equal(covers(admin, member('admin', null), listed), true)
  assert.equal(covers(admin, member('owner', null), listed), false)
  assert.equal(covers(admin, member('member', null, 'billing'), listed), false)
  assert.equal(covers([...admin, 'invoices:write'], member('member', null, 'billing'), listed), true)
  assert.equal(covers(admin, member('member', null), []), false, 'the roles are not read yet')
})
