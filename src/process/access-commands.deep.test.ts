/** `guildhall access`, as the operator meets it. */
import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { createDatabase } from '../../test/database.ts'
import { makeFolder, post, run, start, stop } from '../../test/processes.ts'
import { password } from '../../test/world.ts'

const model = {
  permissions: [
    { key: 'invoices:void', name: 'Void invoices', minimumRole: 'owner' },
    { key: 'invoices:write', name: 'Change invoices', description: 'Write and send them.', minimumRole: 'admin' },
  ],
  roles: [{ key: 'billing', name: 'Billing', permissions: ['invoices:void', 'invoices:write', 'members:remove'] }],
}

test('the operator applies a model from a file, exports the same one, and takes away what is held only by name', async (t) => {
  const { url, query, drop } = await createDatabase()
  t.after(drop)
  const folder = await makeFolder()
  const env = { DATABASE_URL: url, GUILDHALL_SECRET: 's'.repeat(32), GUILDHALL_ADMIN_PASSWORD: password }
  const guildhall = async (...args: string[]) => {
    const child = run(args, { env, folder })
    return { code: await child.ended, out: child.out, err: child.err }
  }
  const write = (content: unknown) => {
    writeFileSync(join(folder, 'access.json'), typeof content === 'string' ? content : JSON.stringify(content))
  }
  const apply = (...options: string[]) => guildhall('access', 'apply', 'access.json', ...options)
  const service = await start({ env })
  t.after(() => stop(service))
  await guildhall('admin', 'create', '--email', 'root@example.com')
  const { body } = await post(service, '/api/auth/sign-in', { email: 'root@example.com', password })
  const headers = { authorization: `Bearer ${body.session.token}` }
  await query('update users set email_verified = true')
  assert.equal((await post(service, '/api/organizations', { name: 'Acme' }, headers)).status, 201)

  const empty = await guildhall('access', 'export')
  assert.deepEqual([empty.code, JSON.parse(empty.out)], [0, { permissions: [], roles: [] }])

  write(model)
  const said = `Added             invoices:void, invoices:write, billing
Removed           none
Changed           none
Members affected  1
Keys affected     0
`
  const trial = await apply('--dry-run')
  assert.deepEqual(trial, { code: 0, err: '', out: `${said}\nThis was a trial: nothing was changed.\n` })
  assert.deepEqual(JSON.parse((await guildhall('access', 'export')).out).roles, [])
  assert.deepEqual(await apply(), { code: 0, err: '', out: said })
  assert.deepEqual(JSON.parse((await guildhall('access', 'export')).out), model)
  assert.deepEqual(await apply(), { code: 0, err: '', out: 'The permissions and roles are as in the file.\n' })
  write({ ...model, roles: model.roles.map((role) => ({ ...role, description: null })) })
  assert.deepEqual(await apply(), { code: 0, err: '', out: 'The permissions and roles are as in the file.\n' })

  write({ permissions: [], roles: [{ key: 'accounting', was: 'billing', name: 'Accounting', permissions: [] }] })
  const refused = await apply()
  assert.deepEqual(refused, {
    code: 1,
    out: '',
    err: 'guildhall: Somebody or a key has what would go: invoices:void, invoices:write. Nothing was changed. To take it away, add --drop invoices:void,invoices:write\n',
  })
  const dropped = await apply('--drop', 'invoices:void,invoices:write')
  assert.equal(dropped.code, 0, dropped.err)
  assert.match(
    dropped.out,
    /^Removed +invoices:void, invoices:write\nChanged +accounting\nMembers affected +1\nKeys affected +0$/m,
  )
  const entries = await query(`select actor_type from audit_entries where action = 'access.updated'`)
  assert.deepEqual(entries, [{ actor_type: 'operator' }, { actor_type: 'operator' }])

  for (const [content, faults] of [
    ['{"permissions"', [/^guildhall: access\.json: this is not JSON, /]],
    [{ ...model, members: [] }, [/^ {2}\/members {2}There is no field `members`\. Known: permissions, roles\.$/m]],
    [
      {
        permissions: [{ key: 'members:eat', name: 'Eat' }],
        roles: [{ key: 'owner', name: 'O', permissions: ['a:b'] }],
      },
      [
        /^guildhall: access\.json cannot be applied\.\n/,
        /^ {2}\/permissions\/0\/key {2}This noun is reserved for built-in permissions\.$/m,
        /^ {2}\/roles\/0\/key {2}This is a built-in role\.$/m,
        /^ {2}\/roles\/0\/permissions\/0 {2}Neither `permissions` nor the built-in ones have this permission\.$/m,
      ],
    ],
  ] as const) {
    write(content)
    const { code, out, err } = await apply()
    assert.deepEqual([code, out], [1, ''])
    for (const fault of faults) assert.match(err, fault)
    assert.doesNotMatch(err, /\n\s+at /, 'no stack')
  }
  for (const [args, message] of [
    [['access', 'apply', 'none.json'], /^guildhall: none\.json: the file cannot be read \(ENOENT\)\.$/m],
    [['access', 'export', '--tenant', 'none'], /There is no tenant "none"\./],
  ] as const) {
    const { code, err } = await guildhall(...args)
    assert.equal(code, 1)
    assert.match(err, message)
  }
})

test('the types of a file are those of a tenant that has its model, and need no data', async () => {
  const folder = await makeFolder({ data: true })
  const elsewhere = await makeFolder()
  for (const place of [folder, elsewhere]) writeFileSync(join(place, 'access.json'), JSON.stringify(model))
  const guildhall = async (place: string, ...args: string[]) => {
    const child = run(['access', ...args], { folder: place })
    assert.equal(await child.ended, 0, child.err)
    return child.out
  }
  const types = await guildhall(elsewhere, 'types', 'access.json')
  assert.match(types, /^export type Permission =\n {2}\| 'organization:read'\n/m)
  assert.match(types, / {2}\| 'invoices:void'\n {2}\| 'invoices:write'\n$/)
  await guildhall(folder, 'apply', 'access.json')
  assert.equal(await guildhall(folder, 'types', 'default'), types)
})
