/** The order of locks: a mail waits for the organization and the person that it hangs on before it locks what it is about. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { holdRow } from '../../../test/holding.ts'
import { offerKeys } from '../../../test/key-requests.ts'
import { createWorld } from '../../../test/world.ts'
import { sendMail } from './mail.ts'
import type { MailJob } from './queue.ts'

const world = await createWorld()
const { query, awaitLine } = world.postgres
await offerKeys(world)
await query('update tenants set mail_codes = true where id = $1', [world.tenantId])

/** Of a mail that waits: the row that an erasure locks first, and rows that go with it. */
interface Waiting {
  readonly table: 'users' | 'organizations'
  readonly id: string
  /** Selects the rows by the id of the first one. */
  readonly rows: string
}

/** By the kind of mail, what has one sent. */
const causes: Record<string, () => Promise<Waiting>> = {
  verify_email: async () => {
    const { id } = await world.person('Ann', { verified: false })
    return { table: 'users', id, rows: 'mailed_tokens where user_id = $1' }
  },
  new_device: async () => {
    const ann = await world.person()
    await world.signIn(ann)
    return { table: 'users', id: ann.id, rows: 'sessions where user_id = $1' }
  },
  key_made: async () => {
    const ann = await world.person()
    const made = await ann.post('/api/users/me/keys', { name: 'Import', scopes: ['members:read'] })
    assert.equal(made.status, 201)
    return { table: 'users', id: ann.id, rows: 'api_keys where user_id = $1' }
  },
  sign_in_code: async () => {
    const { id, email } = await world.person()
    assert.equal((await world.nobody.post('/api/auth/sign-in/mail-code', { email })).status, 202)
    return { table: 'users', id, rows: "attempts where $1 <> ''" }
  },
  invitation: async () => {
    const { ann, id, path } = await world.organization()
    assert.equal((await ann.post(`${path}/invites`, { email: 'guest@example.com' })).status, 201)
    return { table: 'organizations', id, rows: 'invitations where organization_id = $1' }
  },
}

for (const [kind, cause] of Object.entries(causes)) {
  test(`a mail of the kind ${kind} locks what it is about after what that hangs on, as an erasure does`, async (t) => {
    const { table, id, rows } = await cause()
    const [job] = await query<{ payload: MailJob }>(
      `select payload from graphile_worker._private_jobs where payload ->> 'kind' = $1 order by id desc limit 1`,
      [kind],
    )
    assert.ok(job)
    const { config, database, keyring } = world.app

    const release = await holdRow(t, world.postgres, table, id)
    const outcome = sendMail({ config, database, keyring, transport: undefined }, job.payload)
    await awaitLine(1)
    const locked = await query(`select tenant_id from ${rows} for update nowait`, [id]) // would be a deadlock
    assert.ok(locked.length > 0)
    await release()

    assert.equal(await outcome, 'kept')
  })
}
