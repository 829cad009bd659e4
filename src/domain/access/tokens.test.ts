/** Tokens: the tenant that a token names, and the one spelling of links. */
import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { test } from 'node:test'
import { makeLink } from '../../../test/membership-requests.ts'
import { alike } from '../../../test/spellings.ts'
import { createWorld } from '../../../test/world.ts'
import { makeMailedToken, newToken, readToken } from './tokens.ts'

const world = await createWorld()

test('a token names its tenant, however many other tenants tokens have named before', () => {
  const tokens = Array.from({ length: 2_500 }, () => {
    const tenant = randomUUID()
    return { tenant, token: newToken('ghs', tenant).token }
  })
  for (const { tenant, token } of [...tokens, ...tokens]) assert.equal(readToken(token).tenant, tenant)
})

test('a link whose last character is another one is none, though a decoder would ignore the difference', async () => {
  const { ann, id, path } = await world.organization()
  const { body: invitation } = await ann.post(`${path}/invites`, { email: 'eve@example.com' })
  const place = { tenant: world.tenantId, id: invitation.id, generation: 1 }
  const previews = {
    [`/api/invites/${invitation.id}/preview`]: makeMailedToken(world.keyring, 'invitation', place),
    '/api/links/preview': (await makeLink(ann, id)).token,
  }
  for (const [preview, token] of Object.entries(previews)) {
    const show = async (each: string) => (await world.nobody.post(preview, { token: each })).status
    assert.equal(await show(token), 200)
    for (const each of alike(token)) assert.ok([400, 404].includes(await show(each)), each)
  }
})
