/** What takes away what an application holds of somebody’s session, for tests of races: how it is sent, and what is answered from then on. */
import assert from 'node:assert/strict'
import { errorOf, type Product } from './grants.ts'
import { sessionOf } from './logouts.ts'
import { type Answer, type Json, type Person, password } from './world.ts'

/** Whose session it is. */
export interface Holder {
  /** With the session of the grants. */
  readonly person: Person
  /** With another session of theirs. */
  readonly other: Person
}

export interface Ending {
  end(holder: Holder, acme: Product): Promise<Answer>
  /** How an exchange or a refresh may be refused that comes at the same moment; a later one is refused in the last of these ways. */
  readonly refusals: readonly (readonly [status: number, error: string])[]
  /** What tells the application: the session that has ended, or the person whose account was deleted. Null: it is about everybody, and not told. */
  readonly told: 'sid' | 'sub' | null
}

const over = [400, 'invalid_grant'] as const

/** @param tess a tenant admin */
export function endingsBy(tess: Person): Readonly<Record<string, Ending>> {
  return {
    'a sign-out': {
      end: ({ person }) => person.post('/api/auth/sign-out'),
      refusals: [over],
      told: 'sid',
    },
    'the end of a device': {
      end: async ({ person, other }) => other.delete(`/api/users/me/devices/${await sessionOf(person)}`),
      refusals: [over],
      told: 'sid',
    },
    'the end of all other sessions': {
      end: ({ other }) => other.delete('/api/users/me/devices'),
      refusals: [over],
      told: 'sid',
    },
    'a suspension': {
      end: ({ person }) => tess.patch(`/api/admin/users/${person.id}`, { status: 'suspended' }),
      refusals: [over],
      told: 'sid',
    },
    'a deletion': {
      end: ({ person }) => person.delete('/api/users/me', { password }),
      refusals: [over],
      told: 'sub',
    },
    'the switching-off of the application': {
      end: (_, { id }) => tess.patch(`/api/admin/applications/${id}`, { enabled: false }),
      refusals: [[400, 'unauthorized_client']],
      told: null,
    },
    'the deletion of the application': {
      end: (_, { id }) => tess.delete(`/api/admin/applications/${id}`, { confirm: 'Acme' }),
      refusals: [over, [401, 'invalid_client']],
      told: null,
    },
  }
}

/** @throws AssertionError unless an exchange or a refresh was refused as it may be beside an ending */
export function checkRefused(answer: Answer | undefined, { refusals }: Ending): void {
  const error = String(answer && errorOf(answer))
  assert.ok(refusals.map(String).includes(error), error)
}

/** @throws AssertionError if tokens open something after an ending */
export async function checkOver(acme: Product, { refusals }: Ending, tokens: Json): Promise<void> {
  assert.deepEqual(errorOf(await acme.userinfo(tokens.access_token)), [401, 'invalid_token'])
  assert.deepEqual(errorOf(await acme.refresh(tokens.refresh_token)), refusals.at(-1))
}
