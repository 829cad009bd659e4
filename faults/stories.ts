/**
 * The load: short stories of two people and an organization.
 *
 * A story ends at the first change without an answer, so at most its last change is uncertain. A change with a key is certain in the end,
 * because it is repeated until there is an answer.
 */
import { randomBytes } from 'node:crypto'
import { setTimeout } from 'node:timers/promises'
import { password } from '../test/world.ts'
import type { Answer, Journal, Outcome, Sent } from './requests.ts'

/** A session, and whether it was ended. */
export interface Session {
  readonly token: string
  readonly deviceId: string
  ended?: Outcome
}

export interface Account {
  readonly email: string
  signedUp?: Outcome
  id?: string
  readonly sessions: Session[]
  /** The names that the organization may have now, if it exists. */
  names: (string | null)[]
  deleted?: Outcome
}

/** The changes and their outcomes; a change that was not attempted is absent. */
export interface Story {
  readonly ann: Account
  readonly ben: Account
  /** Invited, but never answers. */
  readonly stranger: string
  readonly organization: { id?: string; slug?: string; names: string[] }
  created?: Outcome
  invitedBen?: Outcome
  invitedStranger?: Outcome
  joined?: Outcome
  promoted?: Outcome
  transferred?: Outcome
  removed?: Outcome
  disbanded?: Outcome
}

/** A change had no answer, so the story is over. */
class Lost extends Error {}

export interface Load {
  readonly stories: Story[]
  /** Lets each running story end. */
  finish(): Promise<void>
}

/**
 * Runs a number of stories at a time, until it is asked to finish.
 *
 * @param verify verifies addresses, for which a person would have to read the mail
 */
export function startLoad(journal: Journal, verify: (userIds: string[]) => Promise<unknown>, atOnce = 6): Load {
  const stories: Story[] = []
  let finishing = false
  const tellers = Array.from({ length: atOnce }, async () => {
    while (!finishing) {
      const number = stories.length
      const mark = randomBytes(6).toString('hex')
      const story: Story = {
        ann: { email: `ann-${mark}@example.com`, sessions: [], names: [null] },
        ben: { email: `ben-${mark}@example.com`, sessions: [], names: [null] },
        stranger: `stranger-${mark}@example.com`,
        organization: { names: [] },
      }
      stories.push(story)
      await tell(journal, verify, story, number).catch((error: unknown) => {
        if (!(error instanceof Lost)) throw error
        return setTimeout(200) // while nothing works
      })
    }
  })
  const told = Promise.all(tellers)
  told.catch(() => {}) // `finish` reports it
  return {
    stories,
    finish: async () => {
      finishing = true
      await told
    },
  }
}

/** @param number decides the story's course, so that all courses are about equally frequent */
async function tell(
  journal: Journal,
  verify: (userIds: string[]) => Promise<unknown>,
  story: Story,
  number: number,
): Promise<void> {
  const { ann, ben, organization } = story
  const isKeyed = number % 5 < 3

  /** Requests a change and records its outcome. @throws Lost */
  const request = async (note: (outcome: Outcome) => void, sent: Sent, takesKey = false): Promise<Answer> => {
    note('unknown')
    const { attempt, answer } = await journal.change(sent, takesKey && isKeyed)
    note(attempt.outcome)
    if (!answer) throw new Lost()
    return answer
  }
  /** Requests a change that must succeed. */
  const change = async (...asked: Parameters<typeof request>): Promise<Answer> => {
    const answer = await request(...asked)
    if (answer.status < 300) return answer
    throw new Error(`${asked[1].method} ${asked[1].path} answered ${answer.status} ${JSON.stringify(answer.body)}`)
  }
  const startSession = (account: Account, { body }: Answer): Session => {
    const session = { token: body.session.token, deviceId: body.session.device.id }
    account.id = body.user.id
    account.sessions.push(session)
    return session
  }
  const signUp = async (account: Account) => {
    const body = { email: account.email, password }
    const answer = await change((outcome) => (account.signedUp = outcome), post('/api/auth/sign-up', body))
    return startSession(account, answer)
  }

  const { token } = await signUp(ann)
  const benIn = await signUp(ben)
  await verify([ann.id ?? '', ben.id ?? ''])

  const name = `Ann the ${number}th`
  await change((outcome) => (ann.names = outcome === 'done' ? [name] : outcome === 'unknown' ? [null, name] : [null]), {
    method: 'PATCH',
    path: '/api/users/me',
    body: { name },
    token,
  })
  const first = `Hall ${story.stranger.slice(9, 21)}`
  organization.names = [first]
  const made = await change(
    (outcome) => (story.created = outcome),
    post('/api/organizations', { name: first }, token),
    true,
  )
  organization.id = made.body.id
  organization.slug = made.body.slug
  const path = `/api/organizations/${organization.id}`

  const second = `${first} renamed`
  await change((outcome) => (organization.names = outcome === 'done' ? [second] : [first, second]), {
    method: 'PATCH',
    path,
    body: { name: second },
    token,
  })
  const invited = await change(
    (outcome) => (story.invitedBen = outcome),
    post(`${path}/invites`, { email: ben.email }, token),
    true,
  )
  await change(
    (outcome) => (story.invitedStranger = outcome),
    post(`${path}/invites`, { email: story.stranger }, token),
    true,
  )
  const accepted = await change(
    (outcome) => (story.joined = outcome),
    post(`/api/invites/${invited.body.id}/accept`, undefined, benIn.token),
  )
  // A refused change must leave nothing behind.
  await request(() => {}, { method: 'PATCH', path, body: { name: 'Nobody’s' }, token: benIn.token })
  await request(() => {}, { method: 'DELETE', path: `${path}/members/me`, token })

  const member = `${path}/members/${accepted.body.member.id}`
  await change((outcome) => (story.promoted = outcome), {
    method: 'PATCH',
    path: member,
    body: { role: 'admin' },
    token,
  })
  const signedIn = await change(() => {}, post('/api/auth/sign-in', { email: ann.email, password }))
  const device = startSession(ann, signedIn)
  await change((outcome) => (device.ended = outcome), {
    method: 'DELETE',
    path: `/api/users/me/devices/${device.deviceId}`,
    token,
  })

  if (number % 4 < 2) {
    await change(
      (outcome) => (story.transferred = outcome),
      post(`${path}/transfer`, { memberId: accepted.body.member.id }, token),
      true,
    )
  } else if (number % 4 === 2) {
    await change((outcome) => (story.removed = outcome), { method: 'DELETE', path: member, token })
  }
  if (number % 3 === 0) {
    const body = { confirm: organization.slug }
    const owner = story.transferred ? benIn.token : token
    await change((outcome) => (story.disbanded = outcome), { method: 'DELETE', path, body, token: owner })
  }
  if (number % 3 === 1) {
    // A person who is not the only owner of a shared organization can delete the account.
    const [leaver, session] = story.transferred ? [ann, token] : [ben, benIn.token]
    await change((outcome) => (leaver.deleted = outcome), {
      method: 'DELETE',
      path: '/api/users/me',
      body: { password },
      token: session,
    })
  }
}

function post(path: string, body?: unknown, token?: string): Sent {
  return { method: 'POST', path, body, token }
}
