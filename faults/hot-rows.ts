/** Hot rows: what many want at once, of one process. */
import assert from 'node:assert/strict'
import { Agent } from 'node:http'
import type { TestContext } from 'node:test'
import { setTimeout } from 'node:timers/promises'
import { freePort } from '../test/ports.ts'
import { scrape, sumOf } from '../test/scrape.ts'
import { until } from '../test/smtp.ts'
import { password } from '../test/world.ts'
import { type Answer, type Sent, send } from './requests.ts'
import { raise, type Stage, signUp } from './stage.ts'

/** More than the pool has connections. */
const many = 24
/** How long the rows stay locked once everybody waits, in milliseconds: less than the five seconds after which the server gives up. */
const held = 1_500
/** How many others there are, each of whom reads without a pause. */
const others = 2
/** The worst of one round may be the machine's, which does other things too; that of each round is not. */
const rounds = 3

/**
 * The rows of an organization and of the tries at an account are locked for seconds. Invitations to the one and guesses at the other, from
 * many networks, wait for them. Others read as fast as before, nobody is refused, and the invitations are answered in order.
 */
export async function hotRows(t: TestContext): Promise<string> {
  const port = await freePort()
  const stage = await raise(t, { env: { TRUST_PROXY: '127.0.0.1', METRICS_PORT: String(port) } })
  const url = stage.services[0]?.url ?? ''
  const agent = new Agent({ keepAlive: true })
  t.after(() => agent.destroy())
  const storm = await prepareStorm(stage, url, port)
  const tokens = await Promise.all(Array.from({ length: others }, () => signUp(stage.journal)))
  const read = (work: () => Promise<unknown>) => readMeanwhile(url, tokens, agent, work)

  await read(() => setTimeout(held)) // warm
  const figures: { quiet: number; stormy: number }[] = []
  for (let round = 0; round < rounds; round++) {
    const quiet = await read(() => setTimeout(held))
    const stormy = await read(() => storm(round))
    figures.push({ quiet: p99(quiet), stormy: p99(stormy) })
  }
  const said = figures.map(({ quiet, stormy }) => `${quiet.toFixed(1)} and ${stormy.toFixed(1)} ms`).join(', ')
  assert.ok(
    figures.some(({ quiet, stormy }) => stormy <= 3 * quiet),
    `p99 of others, quiet and in the storm: ${said}`,
  )
  return `${rounds} storms of ${2 * many} requests, in order, nobody refused; p99 of others, quiet and in the storm: ${said}`
}

/** @returns a function that plays one storm */
async function prepareStorm({ postgres, journal }: Stage, url: string, port: number) {
  const token = await signUp(journal)
  const { body: user } = await journal.read('/api/users/me', token)
  await postgres.query('update users set email_verified = true where id = $1', [user.id])
  const made = await send(url, { method: 'POST', path: '/api/organizations', body: { name: 'Hot' }, token })
  assert.equal(made.status, 201)
  const invites = `/api/organizations/${made.body.id}/invites`

  const waiting = async () => {
    const { samples } = await scrape(port)
    const [{ locks = 0 } = {}] = await postgres.query<{ locks: number }>(
      `select count(*)::integer as locks from pg_stat_activity where wait_event_type = 'Lock'`,
    )
    const names = ['guildhall_turns_waiting', 'db_client_connection_pending_requests']
    return names.reduce((sum, name) => sum + (sumOf(samples, name) ?? 0), locks)
  }

  return async (round: number) => {
    // Each storm is at another account: the guesses at one are soon switched off.
    const email = `hot-${round}@example.org`
    const account = { method: 'POST', path: '/api/auth/sign-up', body: { email, password } }
    assert.equal((await send(url, account)).status, 201)
    const guess = (from: number): Sent => ({
      method: 'POST',
      path: '/api/auth/sign-in',
      body: { email, password: 'not the password' },
      address: `203.0.113.${from}`,
    })
    assert.equal((await send(url, guess(200))).status, 401) // now there is a row that all guesses count in
    const free = [
      await postgres.lockRows('select from organizations where id = $1 for update', [made.body.id]),
      await postgres.lockRows(`select from password_attempts where source = '' for update`, []),
    ]
    const order: number[] = []
    const answers: Promise<Answer>[] = []
    for (let index = 0; index < many; index++) {
      const body = { email: `guest-${round}-${index}@example.org` }
      const invited = send(url, { method: 'POST', path: invites, body, token })
      answers.push(invited.finally(() => order.push(index)))
      answers.push(send(url, guess(index)))
      await until(async () => (await waiting()) >= answers.length, 'both to wait')
    }
    await setTimeout(held)
    await Promise.all(free.map((release) => release()))
    const statuses = (await Promise.all(answers)).map(({ status }) => status)
    assert.deepEqual([...new Set(statuses)].sort(), [201, 401], 'somebody was refused')
    assert.deepEqual(order, [...Array(many).keys()], 'the invitations were not answered in order')
  }
}

/** Others read their own user without a pause, until some work is done. @returns how long each answer took, in milliseconds */
async function readMeanwhile(
  url: string,
  tokens: readonly (string | undefined)[],
  agent: Agent,
  work: () => Promise<unknown>,
): Promise<number[]> {
  const took: number[] = []
  let isOver = false
  const reading = tokens.map(async (token) => {
    while (!isOver) {
      const from = performance.now()
      const { status } = await send(url, { method: 'GET', path: '/api/users/me', token }, agent)
      took.push(performance.now() - from)
      assert.equal(status, 200, 'somebody else was refused')
    }
  })
  await Promise.all([work().finally(() => (isOver = true)), ...reading])
  return took
}

function p99(times: readonly number[]): number {
  const sorted = times.toSorted((one, other) => one - other)
  return sorted[Math.floor(sorted.length * 0.99)] ?? assert.fail('nobody was answered')
}
