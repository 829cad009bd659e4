/** The rates that protect passwords and mailboxes, with two serving processes. */
import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import type { TestContext } from 'node:test'
import { password } from '../test/world.ts'
import { checkUnavailable, type Sent, send } from './requests.ts'
import { awaitReady, raise } from './stage.ts'

/** Both processes count together, a restart forgets nothing, and if nothing can be counted every sign-in is refused. */
export async function sharedRates(t: TestContext): Promise<string> {
  const limits = { LIMITS: 'on', LIMIT_SIGN_IN_NETWORK: '12/3600', LIMIT_SIGN_UP: '3/3600' }
  const { services, postgres } = await raise(t, { services: 2, env: limits })
  const [one, other] = services
  assert.ok(one && other)
  const account = { email: 'ann@example.com', password }
  const signUp: Sent = { method: 'POST', path: '/api/auth/sign-up', body: account }
  const signIn: Sent = { method: 'POST', path: '/api/auth/sign-in', body: account }
  assert.equal((await send(one.url, signUp)).status, 201)

  const release = await postgres.lock('rates')
  const closed = await Promise.all([
    ...services.map(({ url }) => send(url, signIn)),
    send(one.url, { ...signUp, body: { ...account, email: 'ben@example.com' } }),
  ])
  for (const answer of closed) checkUnavailable(signIn, answer)
  await release()
  await awaitReady(services, performance.now())

  const statuses: number[] = []
  const signInAt = async (url = '') => {
    // A different account each time, so that the protection against guessing does not interfere.
    const email = `nobody-${randomUUID()}@example.com`
    const answer = await send(url, { ...signIn, body: { email, password } })
    if (answer.status === 429) assert.equal(answer.body.policy, 'sign-in')
    else if (answer.status !== 401) checkUnavailable(signIn, answer)
    statuses.push(answer.status)
    return answer.status
  }
  await Promise.all(Array.from({ length: 30 }, (_, index) => signInAt(services[index % 2]?.url)))
  for (const { url } of services) while ((await signInAt(url)) !== 429); // repeats requests that were refused for another reason
  const passed = statuses.filter((status) => status === 401).length
  const refused = statuses.filter((status) => status === 429).length
  assert.ok(passed <= 12 && passed > 0, `${passed} got through; 12 are allowed`)

  await Promise.all([one.kill(), other.stop()])
  await Promise.all(services.map((service) => service.start()))
  for (const { url } of services) assert.equal((await send(url, signIn)).status, 429, 'a restart forgot the rates')

  await postgres.end('immediate')
  for (const { url } of services) checkUnavailable(signIn, await send(url, signIn))
  await postgres.start()
  await awaitReady(services, performance.now())
  for (const { url } of services) assert.equal((await send(url, signIn)).status, 429, 'a crash forgot the rates')
  return `${passed} passwords taken by two processes, ${refused} told to wait, before and after restarts; ${closed.length + 2} refused with a time to retry while nothing could be counted`
}
