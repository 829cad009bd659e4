/** Answers that an application never gets, since the service was killed between the commit of a grant and the answer. */
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import { test } from 'node:test'
import { callback } from '../../../test/authorizations.ts'
import { errorOf, grantsOf, makeProduct, verifier } from '../../../test/grants.ts'
import { sessionOf, startReceiver } from '../../../test/logouts.ts'
import { root, start } from '../../../test/processes.ts'
import { finishJobs, queueIsDone } from '../../../test/queue.ts'
import { createWorld } from '../../../test/world.ts'
import { makeRefreshToken } from '../../domain/applications/grant-tokens.ts'

const secret = randomBytes(32).toString('hex')
const world = await createWorld({ settings: { GUILDHALL_SECRET: secret, OUTBOUND_PRIVATE: '127.0.0.1' } })
const receiver = await startReceiver()
const acme = await makeProduct(world)
const address = `${receiver.origin}/${acme.id}`
await world.postgres.query('update applications set back_channel_logout_uri = $2 where id = $1', [acme.id, address])

/** Sends a request for tokens to a service of its own, which is killed when it has committed the grant. */
async function lose(form: Readonly<Record<string, string>>): Promise<void> {
  const service = await start({
    main: join(root, 'test', 'killed-service.ts'),
    env: { DATABASE_URL: world.postgres.url, GUILDHALL_SECRET: secret, LIMITS: 'off', KILL_AT: 'tokens' },
  })
  await queueIsDone(world.postgres) // a job that it has would wait for the end of its lease
  const body = new URLSearchParams({ client_id: acme.id, client_secret: acme.secret ?? '', ...form })
  await assert.rejects(fetch(`${service.url}${acme.path}/token`, { method: 'POST', body }), TypeError)
  assert.equal(await service.ended, 'SIGKILL')
}

test('a refresh whose answer is lost with the service is repeated, gets the same successor, and goes on', async () => {
  const { refresh_token: token } = await acme.signIn(await world.person())
  const [before] = await grantsOf(world, acme)

  await lose({ grant_type: 'refresh_token', refresh_token: token })

  const [grant, ...others] = await grantsOf(world, acme)
  assert.deepEqual([grant, others], [{ ...before, generation: 1 }, []], 'it was committed')
  const { status, body } = await acme.refresh(token)
  const next = makeRefreshToken(world.keyring, { tenant: world.tenantId, grantId: `${grant?.id}`, generation: 1 })
  assert.deepEqual([status, body.refresh_token], [200, next])
  assert.equal((await acme.userinfo(body.access_token)).status, 200)
  assert.equal((await acme.refresh(body.refresh_token)).status, 200)
  const [after] = await grantsOf(world, acme)
  assert.deepEqual(after, { ...before, generation: 2 })
})

test('a code whose answer is lost with the service was used: repeated, it ends the grant, and a new one is exchanged', async () => {
  const ann = await world.person()
  const [code, sid] = [await acme.code(ann), await sessionOf(ann)]
  const known = (await grantsOf(world, acme)).length

  await lose({ grant_type: 'authorization_code', code, redirect_uri: callback, code_verifier: verifier })

  const made = async () => (await grantsOf(world, acme)).slice(known)
  const [grant, ...others] = await made()
  assert.deepEqual([grant?.ended_at, others], [null, []], 'it was committed')
  assert.deepEqual(errorOf(await acme.exchange(code)), [400, 'invalid_grant'])
  assert.notEqual((await made())[0]?.ended_at, null)
  await finishJobs(world)
  assert.deepEqual(
    receiver.to(acme.id).map(({ claims }) => [claims.sub, claims.sid]),
    [[ann.id, sid]],
  )
  assert.equal((await ann.get('/api/users/me')).status, 200, 'the session stays')
  assert.equal((await acme.signIn(ann)).token_type, 'Bearer')
})
