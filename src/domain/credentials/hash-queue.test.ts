import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { test } from 'node:test'
import { holdSlots } from '../../../test/hashing.ts'
import { until } from '../../../test/smtp.ts'
import { type Answer, codeOf, createWorld, type Person, password } from '../../../test/world.ts'
import { hashing, inTurn } from './hash-queue.ts'

// Behind a proxy, so that callers can come from many networks.
const world = await createWorld({
  settings: { TRUST_PROXY: '127.0.0.1', SMTP_URL: 'smtp://127.0.0.1:1', MAIL_FROM: 'guildhall@example.com' },
})

const from = (ip: string) => ({ 'x-forwarded-for': ip })
const newAddress = () => `nobody-${randomBytes(5).toString('hex')}@example.com`
const signIn = (email: string, ip: string) => world.nobody.post('/api/auth/sign-in', { email, password }, from(ip))
/** The password is right, and is looked at; the new one is refused after that. */
const confirm = (person: Person) =>
  person.post('/api/users/me/password', { currentPassword: password, newPassword: person.email })
const waits = (count: number) => until(() => hashing().waiting >= count, `${count} hashes to wait`)
/** Signs in `count` people of one network. Each starts when the hash of the one before is in the queue. */
async function lineUp(count: number): Promise<{ sent: Promise<unknown>[]; answers: Answer[] }> {
  const answers: Answer[] = []
  const sent: Promise<unknown>[] = []
  while (sent.length < count) {
    sent.push(signIn(newAddress(), '198.51.100.1').then((answer) => answers.push(answer)))
    await waits(Math.min(sent.length, half()) - 1)
  }
  return { sent, answers }
}
const half = () => hashing().line / 2

test('a user who confirms the password in many sessions at once prevents nobody from signing in', async (t) => {
  const [ann, ben] = [await world.person(), await world.person('Ben')]
  const sessions: Person[] = []
  for (let each = 1; each <= 12; each++) sessions.push(await world.signIn(ann, from(`198.51.100.${each}`)))
  const release = holdSlots(t)
  const answers: Answer[] = []
  const confirming = sessions.flatMap((session) =>
    Array.from({ length: 5 }, async () => answers.push(await confirm(session))),
  )
  await until(() => answers.length === 40, 'what is too much to be refused')
  for (const answer of answers) {
    assert.deepEqual(codeOf(answer), [503, 'overloaded'])
    assert.equal(answer.headers.get('retry-after'), '1')
  }
  const signedIn = signIn(ben.email, '203.0.113.1')
  await waits(21)

  release()

  assert.equal((await signedIn).status, 200)
  await Promise.all(confirming)
  assert.equal(answers.filter(({ status }) => status === 400).length, 20)
  assert.equal((await confirm(ann)).status, 400, 'and it goes on')
})

test('an unknown account has as many hashes in the queue as an existing one', async (t) => {
  const ann = await world.person()
  const outcomes: Answer['body'][] = []
  for (const email of [ann.email, newAddress()]) {
    const release = holdSlots(t)
    const answers: Answer[] = []
    const guesses = Array.from({ length: 25 }, async (_, each) => {
      const body = { email, password: 'a guess' }
      answers.push(await world.nobody.post('/api/auth/sign-in', body, from(`198.51.100.${each}`)))
    })
    await until(() => answers.length === 5, 'what is too much to be refused')
    await waits(20)
    release()
    await Promise.all(guesses)
    outcomes.push(answers.map(({ status, body: { requestId: _, ...rest } }) => [status, rest]))
  }
  assert.deepEqual(outcomes[0], outcomes[1])
})

test('strangers who guess at an account do not take the places of its known devices', async (t) => {
  const ann = await world.person()
  const release = holdSlots(t)
  const guesses = Array.from({ length: 25 }, (_, each) => signIn(ann.email, `198.51.100.${each}`))
  await waits(20)
  const confirmed = confirm(ann)
  await waits(21)

  release()

  assert.equal((await confirmed).status, 400)
  await Promise.all(guesses)
})

test('networks take turns: many hashes for one delay only its own', async (t) => {
  const release = holdSlots(t)
  const order: string[] = []
  const wait = (network: string, each: number) =>
    inTurn({ account: `${network}-${each}`, network }, 1, async () => order.push(network))
  const crowd = Array.from({ length: half() }, (_, each) => wait('the crowd', each))
  const others = ['one', 'another'].map((network) => wait(network, 0))

  release()

  await Promise.all([...crowd, ...others])
  assert.deepEqual(order.slice(0, 4), ['the crowd', 'one', 'another', 'the crowd'])
  assert.equal(order.length, half() + 2)
})

test('one network takes at most half of the queue', async (t) => {
  const release = holdSlots(t)
  const { sent, answers } = await lineUp(half() + 5)
  await until(() => answers.length >= 5, 'what is too much to be refused')
  for (const answer of answers) assert.deepEqual(codeOf(answer), [503, 'overloaded'])
  const other = signIn(newAddress(), '203.0.113.1')
  await waits(half() + 1)

  release()

  assert.equal((await other).status, 401)
  await Promise.all(sent)
})

test('two networks that fill the queue keep no third one out', async (t) => {
  const release = holdSlots(t)
  const outcomes = { first: 0, second: 0, third: 0 }
  const wait = (network: keyof typeof outcomes, each: number) =>
    inTurn({ account: `${network}-${each}`, network }, 1, async () => outcomes[network]++).catch(
      (error: Error) => error,
    )
  const crowd = Array.from({ length: Math.ceil(hashing().line / 2) }, (_, each) => [
    wait('first', each),
    wait('second', each),
  ]).flat()
  assert.ok(hashing().waiting >= hashing().line)

  const third = wait('third', 0)
  release()

  await Promise.all([...crowd, third])
  assert.equal(outcomes.third, 1)
  assert.equal(outcomes.first + outcomes.second, crowd.length - 1, 'the last of the longest queue makes room')
})

test('a site that fills the queue from many networks keeps no other one out', async (t) => {
  const release = holdSlots(t)
  const served: string[] = []
  const wait = (network: string) =>
    inTurn({ account: network, network }, 1, async () => served.push(network)).catch((error: Error) => error)
  const networkOfSite = (each: number) => `2001:db8:1:${each.toString(16)}::/64`
  const crowd = Array.from({ length: hashing().line }, (_, each) => wait(networkOfSite(each)))
  assert.ok(hashing().waiting >= hashing().line)

  const others = ['2001:db8:2::/64', '198.51.100.1']
  const waiting = others.map(wait)
  assert.match(`${await wait(networkOfSite(65_535))}`, /Too many/)
  release()

  await Promise.all([...crowd, ...waiting])
  assert.deepEqual(
    served.filter((network) => others.includes(network)),
    others,
  )
  assert.equal(served.length, hashing().line)
})

test('a site that has many people, and less than half of the queue, is refused no sooner than others', async (t) => {
  const release = holdSlots(t)
  const served: string[] = []
  const wait = (network: string, each = 0) =>
    inTurn({ account: `${network}-${each}`, network }, 1, async () => served.push(network)).catch(
      (error: Error) => error,
    )
  const [most, line] = [Math.ceil(hashing().line / 2) - 1, hashing().line]
  const people = Array.from({ length: most }, (_, each) => `2001:db8:3:${each.toString(16)}::/64`)
  const crowd = Array.from({ length: line - most + 1 }, (_, each) => wait(`198.51.100.${each % 2}`, each))
  const waiting = people.map((network) => wait(network))
  assert.ok(hashing().waiting >= line)

  waiting.push(wait('2001:db8:3:ffff::/64'))
  release()

  await Promise.all([...crowd, ...waiting])
  assert.equal(served.filter((network) => network.startsWith('2001:')).length, most + 1)
})
