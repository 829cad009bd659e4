/**
 * Storms of exchanges and refreshes, over two processes, while what they rest on ends: nothing that an application gets lives on, and it is told
 * of each session of which it got something. They fail, too, if an exchange does not lock its session.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { times } from '../../../test/depth.ts'
import { checkOver, checkRefused, type Ending, endingsBy, type Holder } from '../../../test/grant-endings.ts'
import { makeProduct, type Product } from '../../../test/grants.ts'
import { sessionOf, startReceiver } from '../../../test/logouts.ts'
import { finishJobs } from '../../../test/queue.ts'
import { type Act, together } from '../../../test/races.ts'
import { type Answer, createWorld, type Json } from '../../../test/world.ts'

const world = await createWorld({ processes: 2, settings: { OUTBOUND_PRIVATE: '127.0.0.1' } })
const { query } = world.postgres
const receiver = await startReceiver()
const tess = await world.tenantAdmin()
await makeProduct(world) // a tenant without applications answers 404

/** Somebody of whom an application holds a refresh token, or has five codes. */
interface Somebody extends Holder {
  readonly sid: string
  readonly held: Json | undefined
  /** What it asks for by them: five requests. */
  readonly asks: readonly Act[]
}

async function prepare(acme: Product, isHeld: boolean): Promise<Somebody> {
  const person = await world.person()
  const [other, sid] = [await world.signIn(person), await sessionOf(person)]
  const held = isHeld ? await acme.signIn(person) : undefined
  const asks: Act[] = []
  while (asks.length < 5) {
    const code = held ? '' : await acme.code(person)
    asks.push(held ? () => acme.refresh(held.refresh_token) : () => acme.exchange(code))
  }
  return { person, other, sid, held, asks }
}

interface Sent {
  readonly by: Somebody
  readonly act: Act
  readonly isEnd: boolean
}

/** The requests of everybody in turns. Each of them ends at another place among theirs; what ends for all, in the middle. */
function inTurns(people: readonly Somebody[], ending: Ending, acme: Product): Sent[] {
  return [0, 1, 2, 3, 4].flatMap((turn) =>
    people.flatMap((by, index) => {
      const ask = { by, act: by.asks[turn] as Act, isEnd: false } // there are five
      const ends = ending.told ? index % 5 === turn : index === 0 && turn === 2
      return ends ? [ask, { by, act: () => ending.end(by, acme), isEnd: true }] : [ask]
    }),
  )
}

/** Whom an application was told of, once the queue is done: people, and their sessions. */
async function toldTo({ id }: Product): Promise<string[]> {
  await finishJobs(world)
  return receiver.to(id).map(({ claims: { sub, sid } }) => (sid === undefined ? sub : `${sub} ${sid}`))
}

for (const [what, ending] of Object.entries(endingsBy(tess))) {
  test(`of 50 exchanges and refreshes around ${what} nothing lives on, and each session with a grant is told`, async () => {
    for (let round = 0; round < times(0.3); round++) {
      const acme = await makeProduct(world)
      const address = `${receiver.origin}/${acme.id}`
      await query('update applications set back_channel_logout_uri = $2 where id = $1', [acme.id, address])
      const people: Somebody[] = []
      while (people.length < 10) people.push(await prepare(acme, people.length < 5))
      const sent = inTurns(people, ending, acme)

      const answers = await together(...sent.map(({ act }) => act))

      const granted = new Map(people.map((somebody) => [somebody, somebody.held ? [somebody.held] : []]))
      for (const [index, { by, isEnd }] of sent.entries()) {
        const answer = answers[index] as Answer // one for each
        if (isEnd) assert.ok(answer.status < 300, `the end answered ${answer.status}`)
        else if (answer.status === 200) granted.get(by)?.push(answer.body)
        else checkRefused(answer, ending)
      }
      for (const tokens of [...granted.values()].flat()) await checkOver(acme, ending, tokens)
      const living = await query('select from grants where application_id = $1 and ended_at is null', [acme.id])
      if (ending.told) assert.equal(living.length, 0)
      const due = people.filter((somebody) => ending.told && granted.get(somebody)?.length)
      const told = due.map(({ person: { id }, sid }) => (ending.told === 'sub' ? id : `${id} ${sid}`))
      assert.deepEqual((await toldTo(acme)).sort(), told.sort())
    }
  })
}
