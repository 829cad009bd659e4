/**
 * Canaries: every operation of the OpenAPI document gets requests that fit, and requests with a wrong secret in each place that takes one.
 * An application asks for tokens, and a worker fails at its jobs. At the end neither the log, of all levels, nor the audit log has one of
 * the secrets that were sent or given out.
 *
 * A failure prints the seed (`SEED`), or the line with the secret.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { fitting, plain } from './arbitraries.ts'
import { callback, queryOf } from './authorizations.ts'
import {
  bearers,
  linesWithSecrets,
  mark,
  planted,
  plantedRequests,
  secretFields,
  secretsOf,
  unknownFields,
} from './canaries.ts'
import { unfold } from './contract.ts'
import { seed } from './depth.ts'
import { makeProduct, postForm } from './grants.ts'
import { fillIn, type Inventory, makeInventory } from './inventory.ts'
import { aPicture } from './pictures.ts'
import { startProviderDouble } from './provider-double.ts'
import { type Made, type Operation, pictureBody, readOperations, requestsTo } from './requests.ts'
import { until } from './smtp.ts'
import { type Answer, createWorld, hurry, type Json, mailboxKey, password } from './world.ts'

const lines: string[] = []
const log = { level: 'trace', stream: { write: (line: string) => void lines.push(line) } }
const world = await createWorld({ settings: { OUTBOUND_PRIVATE: '127.0.0.1' }, log })
const double = await startProviderDouble()
const operations = readOperations(world.app.swagger())

/** Secrets of people, and those that answers gave out. */
const secrets = new Set([password, mailboxKey])
let inventory: Inventory
async function renewInventory(): Promise<void> {
  inventory = await makeInventory(world, double)
  const { recoveryCode } = inventory.values
  if (recoveryCode) secrets.add(recoveryCode)
}
await renewInventory()

async function send({ method }: Operation, { by, path, query, headers, raw }: Made): Promise<Answer> {
  const fill = (text: string) => fillIn(text, inventory)
  const answer = await inventory.callers[by].request(fill(path + query), {
    method,
    headers: Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, fill(value)])),
    ...(raw === pictureBody ? { body: aPicture } : raw !== undefined && { raw: fill(raw) }),
  })
  const isSpoilt = answer.status === 429 || (method !== 'GET' && answer.status < 300 && !(await inventory.isWhole()))
  if (isSpoilt) await renewInventory()
  for (const secret of secretsOf(answer.body)) secrets.add(secret)
  return answer
}

/** Requests that fit, so that they get what the operation gives out, and then those with canaries. */
function* requestsOf(operation: Operation, index: number): Generator<Made> {
  for (const choose of [plain, fitting])
    yield* fc.sample(requestsTo(operation, choose), { numRuns: 1, seed: seed + index })
  yield* plantedRequests(operation, () => inventory)
}

for (const [index, operation] of operations.entries()) {
  test(`${operation.name} answers as it declares, also if a secret in the request is a wrong one`, async () => {
    for (const made of requestsOf(operation, index)) {
      const { status, body } = await send(operation, made)
      // If PostgreSQL takes longer than two seconds, the service is not ready.
      const isUnready = operation.name === 'GET /readyz' && status === 503
      // A wrong code may be one for a provider, which then gives nothing.
      const isRefusedElsewhere = body?.code === 'provider_unavailable'
      assert.ok(status < 500 || isUnready || isRefusedElsewhere, `SEED=${seed}: ${status}: ${JSON.stringify(body)}`)
    }
  })
}

test('it is known of every field whether it takes a secret', () => {
  const fields = Object.values<Json>(unfold(world.app.swagger()).paths).flatMap((methods) =>
    Object.values<Json>(methods).flatMap(({ requestBody }) =>
      Object.values<Json>(requestBody?.content ?? {}).flatMap(({ schema }) => Object.keys(schema?.properties ?? {})),
    ),
  )
  assert.deepEqual(unknownFields(fields), [])
  assert.deepEqual(
    secretFields.filter((name) => !fields.includes(name)),
    [],
  )
})

test('neither the log, of requests and of jobs, nor the audit log has a secret that was sent or given out', async () => {
  await askAsApplication()
  await failJobs()
  const entries = await world.postgres.query<{ text: string }>(
    `select row_to_json(d)::text as text from audit_details d union all select row_to_json(e)::text from audit_entries e`,
  )

  for (const { method, template } of operations) {
    const route = template.replaceAll('{', ':').replaceAll('}', '')
    assert.ok(
      lines.some((line) => line.includes(`"method":"${method}","route":"${route}"`)),
      `${method} ${route} was not logged`,
    )
  }
  for (const said of ['mail not sent', 'refused', '"queue"'])
    assert.ok(
      lines.some((line) => line.includes(said)),
      said,
    )
  assert.ok(entries.length > 50 && secrets.size > 20, `${entries.length} entries, ${secrets.size} secrets`)
  assert.deepEqual(linesWithSecrets([...lines, ...entries.map(({ text }) => text)], secrets), [])
})

/** Signs in to an application, and asks it for tokens with codes and tokens that are good, used or planted. */
async function askAsApplication(): Promise<void> {
  const { id, secret, path, post, code, exchange, refresh, signIn, userinfo } = await makeProduct(world)
  const ann = await world.person()
  const ofCode = await code(ann)
  const [session, key, access] = bearers(inventory.values.tenantId ?? '')
  const first = await exchange(ofCode)
  const second = await refresh(first.body.refresh_token)
  const wrong = { client_secret: planted(`${secret}`) }
  const basic = (text: string) => ({ authorization: `Basic ${Buffer.from(`${id}:${text}`).toString('base64')}` })
  const form = { grant_type: 'authorization_code', redirect_uri: callback, client_secret: undefined, code: ofCode }
  const answers = [
    first,
    second,
    await refresh(first.body.refresh_token), // used already
    await exchange(ofCode), // used already
    await exchange(await code(ann), wrong),
    await exchange(await code(ann), { code_verifier: mark.padEnd(43, 'A') }),
    await exchange(planted(ofCode)),
    await post('token', form, basic(mark)),
    await refresh(planted(first.body.refresh_token)),
    await post('revoke', { token: planted(first.body.refresh_token) }),
    await post('revoke', { token: first.body.refresh_token, ...wrong }),
    await userinfo((await signIn(ann)).access_token),
    await userinfo(access ?? ''),
    await userinfo(session ?? ''),
    await userinfo(key ?? ''),
    await postForm(world.nobody, `${path}/end-session`, { client_id: id, id_token_hint: planted(first.body.id_token) }),
    await world.nobody.get(
      `${path}/authorize?${queryOf({ client_id: id, redirect_uri: callback, id_token_hint: mark })}`,
    ),
  ]
  assert.ok(answers.every(({ status }) => status < 500))
  for (const { body } of answers) for (const given of secretsOf(body)) secrets.add(given)
}

/** Lets a worker do some jobs of each kind once, for which neither the mail server nor a webhook can be reached. */
async function failJobs(): Promise<void> {
  const { query } = world.postgres
  await query(`update webhooks set url = 'https://127.0.0.1:1/events'`)
  await query(`
    delete from graphile_worker._private_jobs where id in (
      select id from (select id, row_number() over (partition by task_id order by id desc) from graphile_worker._private_jobs) numbered
      where row_number > 40)`)
  await hurry(world.postgres)
  const worker = await world.startWorker({ smtpUrl: 'smtp://127.0.0.1:1' })
  const isDue = 'select from graphile_worker._private_jobs where attempts = 0 and run_at <= now() limit 1'
  await until(async () => (await query(isDue)).length === 0, 'every job that is due to be tried')
  await worker.stop()
}
