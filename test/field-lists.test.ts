/** The lists of fields say what the database and the OpenAPI document say. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Type } from 'typebox'
import { described, ofOwners, ofTenantAdmins, organizationFields } from '../src/domain/organizations/fields.ts'
import { ofThemselves, ofTenantAdmins as ofUsersForAdmins, userFields } from '../src/domain/people/fields.ts'
import { csvColumns } from '../src/features/administration/user-columns.ts'
import { columnOf, type Fields, fieldColumns, fieldValues } from '../src/platform/database/fields.ts'
import { newId } from '../src/platform/http/schemas.ts'
import { unfold } from './contract.ts'
import { createWorld, type Json } from './world.ts'

const world = await createWorld()
const document = unfold(world.app.swagger())

for (const [table, fields] of Object.entries<Fields>({ organizations: organizationFields, users: userFields })) {
  test(`each field of ${table} has the type and the class of its column`, async () => {
    const columns = await world.postgres.query<{ name: string; type: string; class: string }>(
      `select attname as name, format_type(atttypid, atttypmod) as type,
         split_part(col_description(attrelid, attnum), ':', 1) as class
       from pg_attribute where attrelid = '${table}'::regclass and attnum > 0 and not attisdropped`,
    )
    for (const [name, { type, class: classOfData }] of Object.entries(fields)) {
      const stored = columns.find((each) => each.name === columnOf(name).sql)
      assert.deepEqual([stored?.type, stored?.class], [type.sql, classOfData], name)
    }
  })

  test(`each name and address of ${table} says in which form it is stored`, () => {
    for (const [name, { imported, stored }] of Object.entries(fields)) {
      const { format } = imported as { format?: string } // of a text
      if (format === 'name' || format === 'email') assert.ok(stored, name)
    }
  })

  test(`a row of an import has a value for each field of ${table} that is never null`, async () => {
    const columns = await world.postgres.query<{ name: string }>(
      `select attname as name from pg_attribute where attrelid = '${table}'::regclass and attnotnull`,
    )
    for (const [name, { imported }] of Object.entries(fields)) {
      if (name === 'slug') continue // is made from the name
      if (columns.some((each) => each.name === columnOf(name).sql)) assert.ok(!Type.IsOptional(imported), name)
    }
  })
}

test('a new row has the defaults of its columns for the fields that are omitted', async () => {
  const [row] = await world.database.inTenant(
    world.tenantId,
    (sql) => sql`
      insert into organizations (tenant_id, id, ${fieldColumns(organizationFields)}, name_key, owner_count, member_count)
      values (${sql.tenant}, ${newId('org')}, ${fieldValues(organizationFields, { name: 'Acme', slug: 'acme', logoUrl: null })},
        'acme', 1, 1)
      returning ${fieldColumns(organizationFields)}`,
  )
  assert.deepEqual(row, {
    name: 'Acme',
    slug: 'acme',
    logoUrl: null,
    metadata: {},
    secondFactor: 'optional',
    memberLimit: null,
  })
})

/** @returns the names of the listed fields that some of the shapes have */
function shownIn(shapes: readonly Json[], fields: Fields): string[] {
  return Object.keys(fields).filter((field) => shapes.some(({ properties }) => properties[field]))
}

test('an answer shows a field to those whom the list names', () => {
  const { Organization, User, Member, MemberDetails, Person, Invitation } = document.components.schemas
  const seenBy = (fields: Fields, ...by: string[]) =>
    Object.keys(fields).filter((name) => by.includes(fields[name]?.seenBy ?? ''))

  assert.deepEqual(shownIn([Organization], organizationFields), Object.keys(organizationFields))
  assert.deepEqual(shownIn([User], userFields), Object.keys(userFields))
  for (const { properties } of [Member, MemberDetails])
    assert.deepEqual(shownIn([properties.user], userFields), seenBy(userFields, 'members', 'invited'))
  assert.deepEqual(shownIn([Person], userFields), seenBy(userFields, 'invited'))
  assert.deepEqual(
    shownIn([Invitation.properties.organization], organizationFields),
    seenBy(organizationFields, 'invited'),
  )
})

test('a PATCH takes each field that its caller may change', () => {
  const bodies: Readonly<Record<string, Fields>> = {
    '/api/organizations/{orgId}': { ...described, ...ofOwners },
    '/api/admin/organizations/{orgId}': { ...described, ...ofTenantAdmins },
    '/api/users/me': ofThemselves,
    '/api/admin/users/{userId}': { name: ofThemselves.name, ...ofUsersForAdmins },
  }
  for (const [path, fields] of Object.entries(bodies)) {
    const { schema } = document.paths[path].patch.requestBody.content['application/json']
    assert.deepEqual(shownIn([schema], fields), Object.keys(fields), path)
  }
})

test('the list of users as CSV has a column for each field but pictures and JSON', () => {
  const titles = csvColumns.map(([title]) => title.toLowerCase().replaceAll(' ', '_'))
  const left = Object.keys(userFields).filter((name) => !titles.includes(columnOf(name).sql))
  assert.deepEqual(left, ['avatarUrl', 'metadata', 'appMetadata'])
})
