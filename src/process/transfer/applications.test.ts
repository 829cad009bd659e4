/** Export and import of applications. */
import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { test } from 'node:test'
import { aFullApplication, anApplication, requestApplication } from '../../../test/application-requests.ts'
import { bring, counts, file, take } from '../../../test/transfers.ts'
import { createWorld, type Json, type Person } from '../../../test/world.ts'
import { uuidToTenantId } from '../../platform/http/schemas.ts'

const world = await createWorld()
const list = '/api/admin/applications'

async function makeTenant() {
  const tenant = await world.tenant()
  return { tenant, tess: await world.tenantAdmin(tenant.slug), path: `/api/tenants/${uuidToTenantId(tenant.id)}` }
}
const applicationsOf = async (tess: Person): Promise<Json[]> => (await tess.get(list)).body.data
const skippedIn = (report: readonly Json[]) =>
  report
    .filter((line) => 'row' in line)
    .sort((one, other) => one.row - other.row)
    .map(({ row, reason, faults }) => [row, reason, ...(faults ?? [])])

for (const ending of ['ndjson', 'csv'])
  test(`an application goes to another tenant by ${ending} without its secret, and works there once it has another`, async () => {
    const [home, abroad] = [await makeTenant(), await makeTenant()]
    const { application, secret } = await requestApplication(home.tess, aFullApplication)
    const files = await take(world, home.tenant, ending)
    const text = await readFile(files.applications, 'utf8')
    assert.doesNotMatch(text, /secret|ghx_|app_/i)

    const report = await bring(world, abroad.tenant, { applications: files.applications })
    assert.deepEqual(counts(report), [['applications', 1, 0, 0]])
    const [imported] = await applicationsOf(abroad.tess)
    assert.notEqual(imported?.id, application.id)
    assert.deepEqual(imported, {
      ...application,
      ...{ id: imported?.id, createdAt: imported?.createdAt, updatedAt: imported?.updatedAt, secrets: [] },
    })
    const ask = async (id: string, secret: string | null) => {
      const headers = { 'content-type': 'application/x-www-form-urlencoded' }
      const form = { grant_type: 'refresh_token', refresh_token: 'none', client_id: id, client_secret: `${secret}` }
      const raw = new URLSearchParams(form).toString()
      return (await world.nobody.request(`${abroad.path}/token`, { method: 'POST', raw, headers })).body.error
    }
    assert.equal((await world.nobody.get(`${abroad.path}/.well-known/openid-configuration`)).status, 200)
    assert.deepEqual(
      [await ask(application.id, secret), await ask(imported?.id, secret)],
      ['invalid_client', 'invalid_client'],
    )
    const { body: rotated } = await abroad.tess.post(`${list}/${imported?.id}/rotate-secret`)
    assert.equal(await ask(imported?.id, rotated.secret), 'invalid_grant', 'it is who it claims to be')

    assert.deepEqual(counts(await bring(world, abroad.tenant, { applications: files.applications })), [
      ['applications', 0, 1, 0],
    ])
    const { body: log } = await abroad.tess.get('/api/admin/audit?action=tenant.imported')
    assert.deepEqual(
      log.data.map(({ details }: Json) => details),
      [{ applications: 1 }],
    )
  })

test('an application of the same name and kind stays as it is, and what the tenant may not have is skipped', async () => {
  const { tenant, tess } = await makeTenant()
  await requestApplication(tess)
  const before = await applicationsOf(tess)
  const row = (name: string, more: object = {}) => ({ ...anApplication, name, ...more })
  const report = await bring(world, tenant, {
    applications: await file(
      row(' Acme ', { redirectUris: ['https://elsewhere.example.com/'] }),
      row('Acme', { kind: 'native', redirectUris: ['com.acme.app:/callback'] }),
      row('Acme', { kind: 'native' }),
      row('Scheme', { redirectUris: ['com.acme.app:/callback'] }),
      row('Ours', {
        startUrl: `${world.app.config.publicUrl}/start`,
        backChannelLogoutUri: 'https://a.example.com/{id}',
      }),
      row('Scopes', { scopes: ['email'] }),
      row('Secret', { secrets: [] }),
      row('None', { redirectUris: [] }),
    ),
  })
  assert.deepEqual(skippedIn(report), [
    [3, 'name_taken'],
    [4, 'invalid', { column: 'redirectUris', code: 'not_allowed' }],
    [
      5,
      'invalid',
      { column: 'startUrl', code: 'not_allowed' },
      { column: 'backChannelLogoutUri', code: 'not_allowed' },
    ],
    [6, 'invalid', { column: 'scopes', code: 'required' }],
    [7, 'invalid', { column: 'secrets', code: 'unknown_field' }],
    [8, 'invalid', { column: 'redirectUris', code: 'too_short' }],
  ])
  const [acme, native, ...others] = await applicationsOf(tess)
  assert.deepEqual([acme, native?.kind, others], [before[0], 'native', []])

  const many = Array.from({ length: 49 }, (_, n) => row(`Acme ${n}`))
  assert.deepEqual(skippedIn(await bring(world, tenant, { applications: await file(...many) })), [
    [49, 'too_many_applications'],
  ])
})

test('the home of a tenant stays its home, and the first imported one becomes it if there is none', async () => {
  const [home, abroad] = [await makeTenant(), await makeTenant()]
  await requestApplication(home.tess, { isHome: true })
  const rows = { applications: await file({ ...aFullApplication, name: 'One' }, { ...aFullApplication, name: 'Two' }) }
  const homes = async (tess: Person) =>
    (await applicationsOf(tess)).filter(({ isHome }) => isHome).map(({ name }) => name)
  for (const [{ tenant, tess }, name] of [
    [home, 'Acme'],
    [abroad, 'One'],
  ] as const) {
    await bring(world, tenant, rows)
    assert.deepEqual(await homes(tess), [name])
  }
})

test('a trial makes neither an application nor a signing key', async () => {
  const { tenant, tess } = await makeTenant()
  const report = await bring(world, tenant, { applications: await file(anApplication) }, { isTrial: true })
  assert.deepEqual(counts(report), [['applications', 1, 0, 0]])
  assert.deepEqual(await applicationsOf(tess), [])
  assert.deepEqual(await world.postgres.query('select id from signing_keys where tenant_id = $1', [tenant.id]), [])
})
