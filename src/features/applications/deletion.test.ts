/** Deletion of applications that have more grants than one transaction deletes. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { errorOf, grantsOf, makeProduct, type Product } from '../../../test/grants.ts'
import { holdRow } from '../../../test/holding.ts'
import { createWorld, type Json, type Person } from '../../../test/world.ts'

const world = await createWorld()
const { query, awaitLine, waiting } = world.postgres
const list = '/api/admin/applications'
const tess = await world.tenantAdmin()

/** More than twice as many as a transaction deletes. */
const many = 21_000

/** An application with very many grants of somebody’s session. */
async function makePopular(): Promise<{ product: Product; ann: Person }> {
  const [product, ann] = [await makeProduct(world), await world.person()]
  await product.signIn(ann)
  await query(
    `insert into grants (tenant_id, id, session_id, application_id, code_hash, scopes)
     select g.tenant_id, 'gra_' || gen_random_uuid(), g.session_id, g.application_id, sha256(gen_random_uuid()::text::bytea), g.scopes
     from grants g, generate_series(2, ${many})
     where g.application_id = $1`,
    [product.id],
  )
  return { product, ann }
}

const remove = ({ id }: Product) => tess.delete(`${list}/${id}`, { confirm: 'Acme' })

test('an application with very many grants is deleted with all of them, and disabled before', async () => {
  const { product } = await makePopular()
  const { status, body } = await remove(product)
  assert.deepEqual([status, body.deleted], [200, true])
  assert.deepEqual(await grantsOf(world, product), [])
  assert.equal((await tess.get(`${list}/${product.id}`)).status, 404)
  const { body: log } = await tess.get('/api/admin/audit?action=application.updated,application.deleted')
  const ofIt = log.data.filter(({ target }: Json) => target.id === product.id)
  assert.deepEqual(
    ofIt.map(({ action, details }: Json) => [action, details]),
    [
      ['application.deleted', { name: 'Acme', kind: 'server' }],
      ['application.updated', { enabled: { from: true, to: false } }],
    ],
  )
})

test('while its grants are being deleted none is of use, and a deletion that broke off is finished by the next', async (t) => {
  const { product, ann } = await makePopular()
  const [code, tokens] = [await product.code(ann), await product.signIn(ann)]
  const [newest] = await query<{ id: string }>(
    'select id from grants where application_id = $1 order by created_at desc limit 1',
    [product.id],
  )
  const release = await holdRow(t, world.postgres, 'grants', newest?.id)
  const broken = remove(product)
  await awaitLine(1) // the last transaction waits for that grant
  assert.equal((await grantsOf(world, product)).length, 1, 'the others are gone')
  assert.equal((await product.userinfo(tokens.access_token)).status, 401)
  assert.deepEqual(errorOf(await product.refresh(tokens.refresh_token)), [400, 'unauthorized_client'])
  assert.deepEqual(errorOf(await product.exchange(code)), [400, 'unauthorized_client'])
  for (const { pid } of await waiting()) await query(`select pg_cancel_backend(${pid})`)
  assert.equal((await broken).status, 503)
  await release()

  assert.equal((await tess.get(`${list}/${product.id}`)).body.enabled, false)
  assert.equal((await remove(product)).status, 200)
  assert.deepEqual(await grantsOf(world, product), [])
})
