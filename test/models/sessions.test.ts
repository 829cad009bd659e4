/** Sessions against a model: random steps, and the devices after each. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { mailReset } from '../../src/domain/credentials/mailed-tokens.ts'
import { earlier } from '../earlier.ts'
import { until } from '../smtp.ts'
import { type Answer, Client, createWorld, type Json, type Person, password } from '../world.ts'
import { linkOf } from './service.ts'
import * as sessions from './sessions.ts'
import { type Account, limits } from './sessions.ts'
import { type Step, walk } from './steps.ts'

const world = await createWorld({ settings: { MAX_SESSIONS: String(limits.sessions) } })
const { tenantId: tenant } = world
const { query } = world.postgres
const admin = await world.tenantAdmin()
const stranger = await world.person('Sam')
const passwords = [password, 'another long passphrase'] as const
const day = 86_400_000
await admin.patch('/api/admin/tenant', {
  sessionIdleSeconds: (limits.idleDays * day) / 1000,
  sessionAbsoluteSeconds: (limits.absoluteDays * day) / 1000,
})

/** The account in the service. */
interface Service {
  readonly person: Person
  /** In the order of their start. */
  readonly devices: { readonly id: string; readonly client: Client }[]
  password: 0 | 1
}

interface Choice {
  readonly by: number
  readonly number: number
  readonly days: number
  readonly isWrong: boolean
}

const choices: fc.Arbitrary<Choice> = fc.record({
  by: fc.nat(20),
  number: fc.nat(20),
  days: fc.constantFrom(1, 1, 1, 2, 3),
  isWrong: fc.nat(5).map((chance) => chance === 0),
})

/** Ended sessions are used sometimes. */
function settle({ sessions: started, ...account }: Account, choice: Choice): Choice {
  const live = sessions.liveSessions({ sessions: started, ...account })
  const pick = (number: number) => (number % 5 > 0 ? live[number % live.length] : undefined) ?? number % started.length
  return { ...choice, by: pick(choice.by), number: pick(choice.number) }
}

const done = (status: number): Answer => ({ status, body: {}, headers: new Headers() })
const clientOf = ({ devices }: Service, number: number) => devices[number]?.client ?? world.nobody
const devicePath = ({ devices }: Service, number: number) => `/api/users/me/devices/${devices[number]?.id}`
const adminPath = ({ person }: Service) => `/api/admin/users/${person.id}`
const exists = ({ status }: Account) => status !== 'deleted'

type Act = Step<Account, Service, Choice>
const steps: readonly Act[] = [
  ...Array.from({ length: 4 }).map(
    (): Act => ({
      tell: ({ isWrong }) => `a sign-in with ${isWrong ? 'a wrong' : 'the'} password`,
      foresee: (model, { isWrong }) => sessions.signIn(model, isWrong),
      send: signIn,
    }),
  ),
  ...Array.from({ length: 2 }).map(
    (): Act => ({
      tell: ({ by }) => `session ${by} is used`,
      foresee: (model, { by }) => sessions.look(model, by),
      send: (real, { by }) => clientOf(real, by).get('/api/users/me/devices'),
    }),
  ),
  ...Array.from({ length: 2 }).map(
    (): Act => ({
      tell: ({ days }) => `${days} days pass`,
      foresee: (model, { days }) => sessions.pass(model, days),
      send: pass,
    }),
  ),
  {
    tell: ({ by }) => `session ${by} signs out`,
    foresee: (model, { by }) => sessions.signOut(model, by),
    send: (real, { by }) => clientOf(real, by).post('/api/auth/sign-out'),
  },
  {
    tell: ({ by, number }) => `session ${by} ends session ${number}`,
    foresee: (model, { by, number }) => sessions.revoke(model, by, number),
    send: (real, { by, number }) => clientOf(real, by).delete(devicePath(real, number)),
  },
  {
    tell: ({ by }) => `session ${by} ends all others`,
    foresee: (model, { by }) => sessions.revokeOthers(model, by),
    send: (real, { by }) => clientOf(real, by).delete('/api/users/me/devices'),
  },
  {
    tell: ({ by, isWrong }) => `session ${by} changes the password by ${isWrong ? 'a wrong' : 'the'} one`,
    foresee: (model, { by, isWrong }) => sessions.changePassword(model, by, isWrong),
    send: changePassword,
  },
  {
    tell: () => 'a link to reset the password is mailed',
    foresee: (model) => sessions.forget(model),
    send: forget,
    isPossible: ({ status }) => status === 'active',
  },
  {
    tell: () => 'the newest link resets the password',
    foresee: (model) => sessions.reset(model),
    send: reset,
    isPossible: exists,
  },
  {
    tell: ({ number }) => `an admin ends session ${number}`,
    foresee: (model, { number }) => sessions.revokeByAdmin(model, number),
    send: (real, { number }) => admin.delete(`${adminPath(real)}/devices/${real.devices[number]?.id}`),
  },
  {
    tell: () => 'an admin ends all sessions',
    foresee: (model) => sessions.revokeAllByAdmin(model),
    send: (real) => admin.delete(`${adminPath(real)}/devices`),
    isPossible: exists,
  },
  {
    tell: ({ number }) => `a stranger ends session ${number}`,
    foresee: () => ({ status: 404, body: { code: 'not_found' } }),
    send: (real, { number }) => stranger.delete(devicePath(real, number)),
  },
  {
    tell: () => 'the account is suspended',
    foresee: (model) => sessions.suspend(model),
    send: (real) => admin.patch(adminPath(real), { status: 'suspended' }),
    isPossible: ({ status }, { days }) => status === 'active' && days > 1,
  },
  ...Array.from({ length: 3 }).map(
    (): Act => ({
      tell: () => 'the account is let in again',
      foresee: (model) => sessions.reactivate(model),
      send: (real) => admin.patch(adminPath(real), { status: 'active' }),
      isPossible: ({ status }) => status === 'suspended',
    }),
  ),
  {
    tell: ({ by, isWrong }) => `session ${by} deletes the account by ${isWrong ? 'a wrong' : 'the'} password`,
    foresee: (model, { by, isWrong }) => sessions.deleteAccount(model, by, isWrong),
    send: (real, { by, isWrong }) =>
      forgiven(clientOf(real, by).delete('/api/users/me', { password: passwordOf(real, isWrong) })),
    isPossible: (_, { by, number, days }) => by === number && days > 1, // rare, because no step can follow
  },
]

async function signIn(real: Service, { isWrong }: Choice): Promise<Answer> {
  const { email } = real.person
  const sent = { email, password: passwordOf(real, isWrong) }
  const answer = await forgiven(world.nobody.post('/api/auth/sign-in', sent))
  const { session } = answer.body
  if (answer.status === 200)
    real.devices.push({
      id: session.device.id,
      client: new Client(world, { authorization: `Bearer ${session.token}` }),
    })
  return answer
}

async function changePassword(real: Service, { by, isWrong }: Choice): Promise<Answer> {
  const other = real.password === 0 ? 1 : 0
  const sent = { currentPassword: passwordOf(real, isWrong), newPassword: passwords[other] }
  const answer = await forgiven(clientOf(real, by).post('/api/users/me/password', sent))
  if (answer.status === 200) real.password = other
  return answer
}

async function forget({ person }: Service): Promise<Answer> {
  await world.database.inTenant(tenant, (sql) => mailReset(sql, world.app.config, 'reset_password', person))
  return done(202)
}

async function reset(real: Service): Promise<Answer> {
  const other = real.password === 0 ? 1 : 0
  const token = await linkOf({ world, tenant }, 'reset_password', real.person.id)
  const answer = await world.nobody.post('/api/auth/reset-password', { token, newPassword: passwords[other] })
  if (answer.status === 200) real.password = other
  return answer
}

/** Moves all times back, by the database's clock. */
async function pass({ person }: Service, { days }: Choice): Promise<Answer> {
  const moved = `interval '${days} days'`
  await query(
    `update sessions set last_active_at = ${earlier('last_active_at', ahead)} where user_id = $1 and last_active_at > now()`,
    [person.id],
  )
  await query(
    `update sessions set created_at = ${earlier('created_at', moved)}, last_active_at = ${earlier('last_active_at', moved)}
     where user_id = $1`,
    [person.id],
  )
  await query(`update mailed_tokens set expires_at = ${earlier('expires_at', moved)} where user_id = $1`, [person.id])
  return done(200)
}

const ahead = `interval '1 hour'`

/**
 * The uses of today are an hour ahead, in the same order, until the day has passed: a later use of the same session on a day of the model
 * would be noted if a minute has passed in between.
 */
async function putAhead({ person }: Service): Promise<void> {
  await query(
    `update sessions set last_active_at = ${earlier('last_active_at', `- ${ahead}`)}
     where user_id = $1 and last_active_at between now() - ${ahead} and now()`,
    [person.id],
  )
}

function passwordOf({ password }: Service, isWrong: boolean): string {
  return isWrong ? 'a wrong one' : passwords[password]
}

/** Wrong passwords are not counted here. */
async function forgiven(answered: Promise<Answer>): Promise<Answer> {
  const answer = await answered
  await query('delete from password_attempts')
  return answer
}

/** An admin reads the devices without using a session. Use is stored after the answer, so the test waits for it. */
async function compare(model: Account, real: Service): Promise<void> {
  const live = sessions.liveSessions(model)
  const active = live.filter((number) => model.sessions[number]?.activeOn === model.today)
  await noted(active.map((number) => real.devices[number]?.id))
  await putAhead(real)
  const { status, body } = await admin.get(`${adminPath(real)}/devices`)
  if (!exists(model)) return assert.equal(status, 404)
  const seen: Json[] = body.data
  assert.deepEqual(
    seen.map(({ id }) => real.devices.findIndex((device) => device.id === id)),
    live,
  )
  for (const { createdAt, lastActiveAt, expiresAt } of seen) {
    const ends = [Date.parse(createdAt) + limits.absoluteDays * day, Date.parse(lastActiveAt) + limits.idleDays * day]
    assert.equal(Date.parse(expiresAt), Math.min(...ends))
  }
}

async function noted(ids: readonly (string | undefined)[]): Promise<void> {
  const late = `select from sessions where id = any($1) and last_active_at < now() - interval '1 hour'`
  await until(async () => (await query(late, [ids])).length === 0, 'the use of the sessions to be noted')
}

/** Each token works or not as its session says, to the last. */
async function end(model: Account, real: Service): Promise<void> {
  const found = await Promise.all(real.devices.map(({ client }) => client.get('/api/users/me')))
  assert.deepEqual(
    found.map(({ status }) => status),
    model.sessions.map((session) => (sessions.isLive(model, session) ? 200 : 401)),
  )
}

test('after any events on an account, exactly the sessions of the contract are live', async () => {
  const begin = async () => {
    const person = await world.person('Ann')
    const { body } = await person.get('/api/users/me/devices')
    return {
      model: sessions.newAccount(),
      real: { person, devices: [{ id: body.data[0].id, client: person }], password: 0 as const },
    }
  }
  const start = fc.constant(undefined)
  await walk<Account, Service, Choice, undefined>({
    steps,
    start,
    choices,
    settle,
    runs: 7,
    most: 60,
    begin,
    compare,
    end,
  })
  assert.equal((await stranger.get('/api/users/me')).status, 200)
})
