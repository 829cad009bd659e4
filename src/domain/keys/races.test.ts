/** Races: keys that are made while what they rest on goes. None survives it, and no request waits forever. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { offerKeys } from '../../../test/key-requests.ts'
import { onStoredKeys } from '../../../test/stored-keys.ts'
import { type Answer, Client, createWorld, type Json, type Organization, type Person } from '../../../test/world.ts'
import { makeMailedToken } from '../access/tokens.ts'

// Several processes, so that what holds rests on the database, and not on the turns of one.
const world = await createWorld({ processes: 4 })
const { query } = world.postgres
const { stateOf } = onStoredKeys(world)
await offerKeys(world)

const body = { name: 'Import', scopes: ['members:read', 'invitations:write'] }

/** A loss, and the keys that 19 requests make at the same time. */
interface Race {
  make(): Promise<Answer>
  lose(): Promise<Answer>
}

/** Sends a loss among requests that make keys. @returns the keys that were made */
async function run({ make, lose }: Race, refusals: readonly number[]): Promise<{ id: string; secret: string }[]> {
  const makes = (count: number) => Array.from({ length: count }, make)
  const [before, lost, after] = [makes(8), lose(), makes(11)]
  assert.equal((await lost).status, 200)
  const answers = await Promise.all([...before, ...after])
  for (const { status, body } of answers)
    assert.ok(status === 201 || refusals.includes(status), `${status} ${JSON.stringify(body)}`)
  return answers
    .filter(({ status }) => status === 201)
    .map((made) => ({ id: made.body.key.id, secret: made.body.secret }))
}

const program = ({ secret }: { secret: string }) => new Client(world, { authorization: `Bearer ${secret}` })

/** Checks that keys have ended, by their rows and by a request with each. */
async function checkEnded(keys: readonly { id: string; secret: string }[], because: string): Promise<void> {
  for (const key of keys) {
    const { ended_because, secrets } = await stateOf(key)
    assert.deepEqual([ended_because, secrets], [because, 0])
    assert.equal((await program(key).get('/api/organizations')).status, 401)
  }
}

async function checkLeft(keys: readonly { id: string }[]): Promise<void> {
  for (const key of keys) {
    const { is_left, lives } = await stateOf(key)
    assert.deepEqual([is_left, lives !== null && lives < 8 * 86_400], [true, true])
  }
}

const makeOwn = (person: Person, organizationId?: string) => () =>
  person.post('/api/users/me/keys', { ...body, ...(organizationId !== undefined && { organizationId }) })

const resetOf = async ({ id, email }: Person) => {
  const token = makeMailedToken(world.keyring, 'reset_password', { tenant: world.tenantId, id, generation: 1 })
  await query(
    `insert into mailed_tokens (tenant_id, user_id, purpose, generation, email, expires_at)
     values ($1, $2, 'reset_password', 1, $3, now() + interval '1 hour') on conflict do nothing`,
    [world.tenantId, id, email],
  )
  return () => world.nobody.post('/api/auth/reset-password', { token, newPassword: 'another long passphrase' })
}

for (let round = 1; round <= 2; round++) {
  test(`no key of a person survives a reset in parallel (${round})`, async () => {
    const eve = await world.person('Eve')
    const keys = await run({ make: makeOwn(eve), lose: await resetOf(eve) }, [401, 409])
    await checkEnded(keys, 'reset')
  })

  test(`no key of a person survives a suspension in parallel, and none of an organization keeps a suspended holder (${round})`, async () => {
    const tess = await world.tenantAdmin()
    const { ben, path, id } = await world.organization()
    let [own, turn]: [boolean, number] = [true, 0]
    const made: string[] = []
    const make = async () => {
      own = turn++ % 2 === 0
      const answer = await (own ? makeOwn(ben)() : ben.post(`${path}/keys`, body))
      if (answer.status === 201 && answer.body.key.owner.type === 'organization') made.push(answer.body.key.id)
      return answer
    }
    const lose = () => tess.patch(`/api/admin/users/${ben.id}`, { status: 'suspended' })
    const keys = await run({ make, lose }, [401])
    await checkEnded(
      keys.filter((key) => !made.includes(key.id)),
      'suspended',
    )
    await checkLeft(keys.filter((key) => made.includes(key.id)))
    assert.equal(
      (await query('select from api_keys where organization_id = $1 and holder_left_at is null', [id])).length,
      0,
    )
  })

  test(`no limited key survives a removal in parallel, and no key of the organization keeps a removed holder (${round})`, async () => {
    const acme = await world.organization()
    const { ann, ben, path, members, id } = acme
    let turn = 0
    const make = () => (turn++ % 2 === 0 ? makeOwn(ben, id)() : ben.post(`${path}/keys`, body))
    const keys = await run({ make, lose: () => ann.delete(`${path}/members/${members.ben.id}`) }, [404])
    const limited = await query<{ id: string }>(`select id from api_keys where user_id = $1`, [ben.id])
    const isLimited = ({ id }: { id: string }) => limited.some((each) => each.id === id)
    await checkEnded(keys.filter(isLimited), 'removed')
    await checkLeft(keys.filter((key) => !isLimited(key)))
  })

  test(`no key keeps a holder who is demoted in parallel (${round})`, async () => {
    const { ann, ben, path, members }: Organization = await world.organization()
    const keys = await run(
      {
        make: () => ben.post(`${path}/keys`, body),
        lose: () => ann.patch(`${path}/members/${members.ben.id}`, { role: 'member' }),
      },
      [403],
    )
    await checkLeft(keys)
  })

  test(`no key of the tenant keeps a holder who is demoted in parallel (${round})`, async () => {
    const [tess, other] = [await world.tenantAdmin(), await world.tenantAdmin()]
    const keys = await run(
      {
        make: () => tess.post('/api/admin/keys', { name: 'Back end', scopes: ['users:read'] }),
        lose: () => other.patch(`/api/admin/users/${tess.id}`, { role: 'user' }),
      },
      [403],
    )
    await checkLeft(keys)
    for (const { id } of keys) await other.delete(`/api/admin/keys/${id}`)
  })
}

test('an account that is deleted while it makes keys leaves none of its own, and no holder', async () => {
  const { ann, ben, id, path }: Organization = await world.organization()
  const tess = await world.tenantAdmin()
  let turn = 0
  const make = () => (turn++ % 2 === 0 ? makeOwn(ben)() : ben.post(`${path}/keys`, body))
  await run({ make, lose: () => tess.delete(`/api/admin/users/${ben.id}`) }, [401])
  const left = await query<Json>(
    `select holder_id, holder_left_at is not null as is_left from api_keys where user_id = $1 or holder_id = $1 or organization_id = $2`,
    [ben.id, id],
  )
  assert.deepEqual(
    left.filter(({ holder_id, is_left }) => holder_id !== null || !is_left),
    [],
    ann.id,
  )
})
