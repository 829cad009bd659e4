/** Checks of permissions: what counts as a yes. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createGuildhall } from '../../test/patient-client.ts'
import { createWorld } from '../../test/world.ts'

const world = await createWorld()

test('a check is a yes for the permission of an active member, and a no for everybody else', async () => {
  const { id, path, ann, ben, cleo, dan, members } = await world.organization()
  const may = (person: { token: string }, permission: string) =>
    createGuildhall({ url: world.url, token: person.token }).check(id, permission)
  const answers = async (permission: string) => Promise.all([ann, ben, cleo, dan].map((each) => may(each, permission)))
  assert.deepEqual(await answers('organization:read'), [true, true, true, false])
  assert.deepEqual(await answers('members:update'), [true, true, false, false])
  assert.deepEqual(await answers('notes:burn'), [false, false, false, false])
  assert.equal((await ann.patch(`${path}/members/${members.ben.id}`, { status: 'suspended' })).status, 200)
  assert.equal(await may(ben, 'organization:read'), false)
})

test('only a result that allows it is a yes, whatever answers', async () => {
  for (const body of [{}, { results: [] }, { results: [{}] }, { results: [{ allowed: 'yes' }] }, { results: [null] }]) {
    const guildhall = createGuildhall({ url: 'http://127.0.0.1:1', fetch: async () => Response.json(body) })
    await assert.rejects(guildhall.check('org_1', 'notes:delete'), { code: 'unexpected' })
    await assert.rejects(guildhall.check([{ organizationId: 'org_1', permission: 'notes:delete' }]), {
      code: 'unexpected',
    })
  }
})

test('a check changes nothing, and is repeated if nobody answers', async () => {
  const { id, ann } = await world.organization()
  let sent = 0
  const fetchLate = (request: Request, init?: RequestInit) =>
    ++sent < 3 ? Promise.reject(new TypeError('lost')) : fetch(request, init)
  const guildhall = createGuildhall({ url: world.url, token: ann.token, fetch: fetchLate })
  assert.deepEqual([await guildhall.check(id, 'members:update'), sent], [true, 3])
})
