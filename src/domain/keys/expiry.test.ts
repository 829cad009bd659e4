/** Expiry of keys: what the hourly task does with those whose time is over, and who gets a mail before. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { earlier } from '../../../test/earlier.ts'
import { onEmailChanges } from '../../../test/email-change.ts'
import { holdRow } from '../../../test/holding.ts'
import { onStoredKeys } from '../../../test/stored-keys.ts'
import { createWorld, hurry, type Json, type Person } from '../../../test/world.ts'
import { runEverywhere, runRetention } from '../../tasks.ts'
import { tellOfKeys } from '../mail/keys.ts'

const world = await createWorld({ worker: true })
const { query } = world.postgres
const { ownKey, organizationKey, tenantKey, stateOf, endOf, actionsOn } = onStoredKeys(world)
const { subjects } = onEmailChanges(world)

const inDays = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString()
const mailsTo = async (person: Person, subject: RegExp): Promise<Json[]> => {
  await hurry(world.postgres)
  await subjects(person.email)
  return (await world.mails(person.email)).filter((mail) => subject.test(mail.subject))
}

test('the hourly task ends keys whose time is over, and takes their secrets', async () => {
  const { ann, ben, id, path, members } = await world.organization()
  const [own, live] = [await ownKey(ann, { expiresAt: inDays(-1) }), await ownKey(ann, { expiresAt: inDays(1) })]
  const held = await organizationKey(id, ben, { scopes: ['invitations:write'] })
  assert.equal((await ann.delete(`${path}/members/${members.ben.id}`)).status, 200)
  await query('update api_keys set expires_at = now() where id = $1', [held.id])

  assert.equal(await runEverywhere(world, 'settle_keys'), 2)

  assert.deepEqual(
    [await endOf(own), await endOf(held), await endOf(live)],
    [
      ['expired', 0],
      ['holder_left', 0],
      [null, 1],
    ],
  )
  assert.deepEqual(await actionsOn(own), ['key.ended'])
  const { data } = (await ann.get(`${path}/audit?action=key.ended`)).body
  assert.deepEqual(
    data.map(({ actor, target, details }: Json) => [actor.type, target.id, details]),
    [['system', held.id, { reason: 'holder_left' }]],
  )
  assert.equal(await runEverywhere(world, 'settle_keys'), 0)
})

test('all expired keys are ended, however many there are', async () => {
  const ann = await world.person('Ann')
  const { id } = await ownKey(ann, { expiresAt: inDays(-1) })
  await query(
    `insert into api_keys (tenant_id, id, owner_type, user_id, name, scopes, expires_at)
     select tenant_id, id || n, owner_type, user_id, name, scopes, expires_at from api_keys, generate_series(1, 250) n where id = $1`,
    [id],
  )

  assert.equal(await runEverywhere(world, 'settle_keys'), 251)
})

test('the hourly task waits for nobody: it leaves the key of a person who is just being changed for the next time', async (t) => {
  const [ann, ben] = [await world.person('Ann'), await world.person('Ben')]
  const keys = [await ownKey(ann, { expiresAt: inDays(-1) }), await ownKey(ben, { expiresAt: inDays(-1) })]
  const release = await holdRow(t, world.postgres, 'users', ann.id)

  assert.equal(await runEverywhere(world, 'settle_keys'), 1)
  await release()
  assert.equal(await runEverywhere(world, 'settle_keys'), 1)

  for (const key of keys) assert.deepEqual(await endOf(key), ['expired', 0])
})

test('the people of a key hear once that it ends within seven days', async () => {
  const tess = await world.tenantAdmin()
  const { ann, ben, cleo, id } = await world.organization()
  await ownKey(cleo, { name: 'Cleo’s script', expiresAt: inDays(6) })
  await organizationKey(id, ben, { name: 'Sync', expiresAt: inDays(5) })
  await tenantKey(tess, { name: 'Back end', expiresAt: inDays(1) })
  const later = await ownKey(ann, { name: 'Later', expiresAt: inDays(8) })
  const short = await ownKey(ann, { name: 'For today', expiresAt: inDays(1) })
  await query(`update api_keys set created_at = now() - interval '30 days' where id <> $1`, [short.id])

  await runEverywhere(world, 'settle_keys')
  await runEverywhere(world, 'settle_keys')

  const textsTo = async (person: Person) => (await mailsTo(person, /ends soon/)).map(({ text }) => text)
  const [toCleo, toAnn, toTess] = [await textsTo(cleo), await textsTo(ann), await textsTo(tess)]
  assert.deepEqual([toCleo.length, toAnn.length, toTess.length, (await textsTo(ben)).length], [1, 1, 1, 0])
  assert.match(toCleo[0], /The key “Cleo’s script” of your account at Guildhall ends on .* UTC\./)
  assert.match(toAnn[0], /The key “Sync” of .* on Guildhall ends on /)
  assert.match(toTess[0], /The key “Back end” of Guildhall ends on /)
  await query(`update api_keys set expires_at = ${earlier('expires_at', `interval '2 days'`)} where id = $1`, [
    later.id,
  ])
  await runEverywhere(world, 'settle_keys')
  assert.equal((await textsTo(ann)).length, 2)
})

test('a mail about a key is not sent if the key has ended, or its reader has nothing to do with it any more', async () => {
  const { ann, ben, id, path, members } = await world.organization()
  assert.equal((await ann.patch(`${path}/members/${members.ben.id}`, { role: 'owner' })).status, 200)
  const [ended, lasting] = [await organizationKey(id, ann), await organizationKey(id, ann, { name: 'Lasting' })]
  await query(
    `update api_keys set created_at = now() - interval '30 days', expires_at = now() + interval '1 day'
    where organization_id = $1`,
    [id],
  )
  // The worker sends at once: the mails are queued with what changes meanwhile.
  await world.database.inTenant(world.tenantId, async (sql) => {
    await tellOfKeys(sql, 'key_ending', [ended.id, lasting.id])
    await sql`update api_keys set ended_at = now(), ended_because = 'revoked' where tenant_id = ${sql.tenant} and id = ${ended.id}`
    await sql`update memberships set role = 'admin' where tenant_id = ${sql.tenant} and id = ${members.ben.id}`
  })

  const mails = await mailsTo(ann, /ends soon/)
  assert.deepEqual([mails.length, (await mailsTo(ben, /ends soon/)).length], [1, 0])
  assert.match(mails[0].text, /“Lasting”/)
  assert.equal((await stateOf(lasting)).is_ended, false)
})

test('ended keys go after the time of the audit log', async () => {
  const ann = await world.person('Ann')
  const [old, recent, live] = [await ownKey(ann), await ownKey(ann), await ownKey(ann)]
  await query(
    `update api_keys set ended_because = 'revoked', ended_at = now() - interval '10 days' where id = any($1)`,
    [[old.id, recent.id]],
  )
  await query(`update api_keys set ended_at = now() - interval '11 years' where id = $1`, [old.id])

  await runRetention(world.database)

  const kept = await query<{ id: string }>('select id from api_keys where user_id = $1 order by id', [ann.id])
  assert.deepEqual(
    kept.map(({ id }) => id),
    [recent.id, live.id].sort(),
  )
})
