/** What the routes of keys share: the bodies that make and change one, and the page of a list. */
import { type Static, Type } from 'typebox'
import { isKeyLive, KeyName, Scopes, selectKeys } from '../../domain/keys/keys.ts'
import { empty, type Statement, statement } from '../../platform/database/database.ts'
import type { PageRequest, Position } from '../../platform/http/pagination.ts'
import { Id, Nullable, OneOf, paging, Timestamp } from '../../platform/http/schemas.ts'

const keyStatuses = ['active', 'ended'] as const

export const KeyList = Type.Object(
  { ...paging, status: Type.Optional(OneOf(keyStatuses, { description: 'Keys with this status.' })) },
  { additionalProperties: false },
)

export const keyPath = { keyId: Id('key') }

const End = { ...Timestamp, description: 'Between one hour and 366 days ahead.' }

/** Fields that every new key has. */
const newKey = { name: KeyName, scopes: Scopes }

/** The body that makes a key of an organization or of the tenant. */
export const NewKey = Type.Object(
  {
    ...newKey,
    expiresAt: Type.Optional(Nullable({ ...End, description: `${End.description} Null, the default: no end.` })),
  },
  { additionalProperties: false },
)

/** The body that makes a person’s key. */
export const NewPersonalKey = Type.Object(
  {
    ...newKey,
    organizationId: Type.Optional({
      ...Id('org'),
      description:
        'An organization of yours, to which the key is limited. It cannot have `organizations:create` and `invitations:answer`, which lead to others.',
    }),
    expiresAt: Type.Optional({ ...End, description: `${End.description} By default in 90 days.` }),
  },
  { additionalProperties: false },
)

export type KeyChange = Static<typeof KeyChange>
export const KeyChange = Type.Partial(
  Type.Object({
    name: KeyName,
    scopes: { ...Scopes, description: 'Those of the scopes that the key keeps.' },
    expiresAt: Nullable({ ...Timestamp, description: 'An earlier end, in the future.' }),
  }),
  { additionalProperties: false },
)

/**
 * The rows of a page: live keys first, then newest first.
 *
 * @param owned which of `api_keys k` the list has
 */
export function selectPage(
  tenant: string,
  owned: Statement,
  { status }: Static<typeof KeyList>,
  { take, after }: PageRequest,
): Statement {
  return statement`
    ${selectKeys(tenant)} and ${owned}
      ${status ? statement`and ${isKeyLive} = ${status === 'active'}` : empty}
      ${after ? statement`and (${isKeyLive}, k.created_at, k.id) < (${after[0]}, ${after[1]}, ${after[2]})` : empty}
    order by ${isKeyLive} desc, k.created_at desc, k.id desc
    limit ${take}`
}

export function positionOf({ status, createdAt, id }: { status: string; createdAt: string; id: string }): Position {
  return [status === 'active', createdAt, id]
}
