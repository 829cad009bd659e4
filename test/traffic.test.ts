/**
 * Mixed traffic: fifty people of two tenants read and write at once, over few connections to the database. An answer has marks only of
 * people with whom the caller shares something.
 */
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { test } from 'node:test'
import { times } from './depth.ts'
import { type Answer, createWorld, type Json, type Person } from './world.ts'

const world = await createWorld({ processes: 2 })
const abroad = await world.tenant()

/** A person, their mark, and the marks that they may see: their team's. */
interface Worker {
  readonly person: Person
  readonly mark: string
  readonly team: Team
}

/** The members of an organization. */
interface Team {
  readonly path: string
  readonly tenant: string
  readonly marks: Set<string>
}

const size = 5
/** How often everybody does everything. */
const rounds = times(1)
const marks = new Set<string>()

/** Five people in an organization; each leaves their mark in everything that they can write. */
async function makeTeam(tenant: string): Promise<Worker[]> {
  const people = await Promise.all(
    Array.from({ length: size }, () => {
      const mark = newMark()
      return world.person(mark, { tenant, email: `${mark}@example.com` }).then((person) => ({ person, mark }))
    }),
  )
  const [owner, ...others] = people
  assert.ok(owner)
  const { body } = await owner.person.post('/api/organizations', { name: `team of ${owner.mark}` })
  const team = { path: `/api/organizations/${body.id}`, tenant, marks: new Set(people.map(({ mark }) => mark)) }
  for (const { person } of others) await world.join(owner.person, body.id, person, 'admin')
  return people.map(({ person, mark }) => ({ person, mark, team }))
}

function newMark(): string {
  const mark = `mark${randomBytes(8).toString('hex')}`
  marks.add(mark)
  return mark
}

/** People's actions, in turn. Each writes the person's mark, or reads what may have marks. */
const acts: readonly ((worker: Worker, turn: number) => Promise<Answer>)[] = [
  ({ person }) => person.get('/api/users/me'),
  ({ person, mark }, turn) => person.patch('/api/users/me', { metadata: { mark, turn } }),
  ({ person }) => person.get('/api/organizations'),
  ({ person, team }) => person.get(`${team.path}/members?limit=3`),
  ({ person, team, mark }, turn) => person.patch(team.path, { metadata: { [`${mark}-${turn}`]: null, mark } }),
  ({ person }) => person.get('/api/users/me/audit?limit=5'),
  ({ person, mark }, turn) => person.post('/api/organizations', { name: `${mark} ${turn}` }),
  ({ person, team, mark }, turn) => person.post(`${team.path}/invites`, { email: `${mark}-${turn}@example.org` }),
  ({ person, team }) => person.get(`${team.path}/invites?limit=5`),
  ({ person, team }) => person.get(`${team.path}/audit?limit=5`),
  ({ person }) => person.get('/api/users/me/devices'),
  ({ person }) => person.get('/api/users/me/deletion-impact'),
  ({ person }) => person.get('/api/users/me/invites'),
  // A refusal must not reveal anything either.
  ({ person, mark }) => person.post('/api/organizations', { name: mark, slug: mark, unknown: mark }),
  ({ person, mark }) => person.get(`/api/organizations/${mark}`),
]

test('fifty people of two tenants who send requests at once get only their own data', async () => {
  const half = 25 / size
  const tenants = [...Array<string>(half).fill('default'), ...Array<string>(half).fill(abroad.slug)]
  // Each team waits for the one before it: on a slow machine, fifty sign-ups at once would wait too long for the few connections.
  const workers: Worker[] = []
  for (const tenant of tenants) workers.push(...(await makeTeam(tenant)))
  assert.equal(workers.length, 50)
  let markedAnswers = 0

  await Promise.all(
    workers.map(async (worker, index) => {
      for (let turn = 0; turn < rounds * acts.length; turn++) {
        // Each starts with another action, so that all actions meet.
        const act = acts[(turn + index * 7) % acts.length]
        assert.ok(act)
        const answer = await act(worker, turn)
        assert.ok(answer.status < 500, `${answer.status} ${JSON.stringify(answer.body)}`)
        const found = marksIn(answer)
        if (found.length > 0) markedAnswers++
        const strange = found.filter((mark) => mark !== worker.mark && !worker.team.marks.has(mark))
        assert.deepEqual(strange, [], `${worker.mark} of ${worker.team.tenant} is told ${JSON.stringify(answer.body)}`)
      }
    }),
  )

  assert.ok(markedAnswers > (rounds * acts.length * workers.length) / 2, 'most answers hold a mark')
  await checkOwn(workers)
})

/** In the end, everybody's stored marks are their own. */
async function checkOwn(workers: readonly Worker[]): Promise<void> {
  for (const { person, mark, team } of workers) {
    const [me, mine] = await Promise.all([person.get('/api/users/me'), person.get('/api/organizations')])
    assert.deepEqual([me.body.id, me.body.name, me.body.metadata.mark], [person.id, mark, mark])
    const made = mine.body.data.filter(({ id }: Json) => !team.path.endsWith(id))
    assert.equal(made.length, rounds)
    for (const { name, role } of made) assert.deepEqual([name.split(' ')[0], role], [mark, 'owner'])
  }
}

function marksIn({ body, headers }: Answer): string[] {
  const text = `${JSON.stringify(body)} ${[...headers].join(' ')}`
  return [...new Set(text.match(/mark[0-9a-f]{16}/g) ?? [])].filter((mark) => marks.has(mark))
}
