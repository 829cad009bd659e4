/** Races: changes of applications that exclude each other, sent to several processes at once. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { anApplication, requestApplication } from '../../../test/application-requests.ts'
import { statuses, together } from '../../../test/races.ts'
import { createWorld, type Json } from '../../../test/world.ts'

const world = await createWorld({ processes: 4 })
const { query } = world.postgres
const list = '/api/admin/applications'

/** A tenant of its own, with two admins. */
async function makeTenant() {
  const tenant = await world.tenant()
  const [tess, tom] = [await world.tenantAdmin(tenant.slug), await world.tenantAdmin(tenant.slug)]
  return { tenant, tess, by: (index: number) => (index % 2 ? tess : tom) }
}

test('a tenant has at most fifty applications, and one signing key after fifty-five were asked for at once', async () => {
  const { tenant, by } = await makeTenant()
  const acts = Array.from({ length: 55 }, (_, index) => () => by(index).post(list, anApplication))
  assert.deepEqual(statuses(await together(...acts)), [...Array(50).fill('201'), ...Array(5).fill('409 limit_reached')])
  assert.equal((await query('select from applications where tenant_id = $1', [tenant.id])).length, 50)
  assert.equal((await query('select from signing_keys where tenant_id = $1', [tenant.id])).length, 1)
})

test('one application is the home of a tenant, whoever sets it at the same time', async () => {
  const { tess, by } = await makeTenant()
  const made: string[] = []
  for (let count = 0; count < 5; count++) made.push((await requestApplication(tess)).application.id)
  const acts = Array.from({ length: 30 }, (_, index) => () => {
    if (index % 6 === 5) return by(index).post(list, { ...anApplication, isHome: true })
    return by(index).patch(`${list}/${made[index % 5]}`, { isHome: true })
  })
  const answers = await together(...acts)
  assert.deepEqual(statuses(answers), [...Array(25).fill('200'), ...Array(5).fill('201')])
  const { data } = (await tess.get(list)).body
  assert.equal(data.filter(({ isHome }: Json) => isHome).length, 1)

  // Each time that it was given it had been taken, but for the last.
  const { data: entries } = (await tess.get('/api/admin/audit?action=application.updated&limit=100')).body
  const changes = entries.map(({ details }: Json) => details.isHome?.to)
  const given = changes.filter((to: boolean) => to).length + 5 // those that were made as the home
  assert.equal(changes.filter((to: boolean) => to === false).length, given - 1)
})

test('rotations at the same time leave two secrets, and each shows another one', async () => {
  const { tenant, tess, by } = await makeTenant()
  const { application, secret } = await requestApplication(tess)
  const path = `${list}/${application.id}/rotate-secret`
  const answers = await together(...Array.from({ length: 20 }, (_, index) => () => by(index).post(path)))
  assert.deepEqual(statuses(answers), Array(20).fill('200'))
  assert.equal(new Set([secret, ...answers.map(({ body }) => body.secret)]).size, 21)
  const rows = await query<{ lives: boolean }>(
    'select expires_at is null as lives from application_secrets where tenant_id = $1',
    [tenant.id],
  )
  assert.deepEqual(rows.map(({ lives }) => lives).sort(), [false, true])
})

test('an application that is deleted while it is changed and its secret rotated is gone', async () => {
  const { tess, by } = await makeTenant()
  const { application } = await requestApplication(tess)
  const path = `${list}/${application.id}`
  const changes = Array.from(
    { length: 8 },
    (_, index) => () =>
      index % 3 ? by(index).patch(path, { isHome: index % 2 === 0 }) : by(index).post(`${path}/rotate-secret`),
  )
  const answers = await together(
    ...changes.slice(0, 4),
    () => by(0).delete(path, { confirm: application.name }),
    ...changes.slice(4),
  )
  assert.equal(answers[4]?.status, 200)
  for (const { status } of answers) assert.ok(status === 200 || status === 404, `${status}`)
  assert.equal((await tess.get(path)).status, 404)
})
