/** What the routes of webhooks share: bodies, lists, and the place at which a webhook begins. */
import { type Static, Type } from 'typebox'
import { lastPlace, placeBefore } from '../../domain/events/feed.ts'
import { ApiProblem } from '../../domain/problems.ts'
import { ActionList, asList, filters } from '../../domain/record/entries.ts'
import { usualOverlap } from '../../domain/secrets.ts'
import { deliveryStatuses, selectWebhooks, WebhookName, WebhookUrl } from '../../domain/webhooks/webhooks.ts'
import { empty, type Sql, type Statement, statement } from '../../platform/database/database.ts'
import { faultOf } from '../../platform/http/faults.ts'
import type { PageRequest } from '../../platform/http/pagination.ts'
import { invalidRequest } from '../../platform/http/problems.ts'
import { Id, OneOf, paging, Timestamp } from '../../platform/http/schemas.ts'

export const webhookPath = { webhookId: Id('whk') }

/** Up to the last place (domain/events/feed.ts): a number, as answers have it, or a text, as queries have it. */
const Place = Type.Unsafe<string | number>({
  type: ['integer', 'string'],
  format: 'int64',
  minimum: 0,
  maximum: lastPlace,
  maxLength: 16,
  pattern: '^(latest|0|[1-9][0-9]{0,14}|[1-8][0-9]{15})$',
  description: 'A place in the feed, after which it reads: a `sequence`, or `latest`. Not together with `from`.',
  examples: ['latest', 1_769_851_800_000_000],
})
const From = { ...Timestamp, description: 'Instead of `after`: it sends events from this time on.' }

const editable = {
  name: WebhookName,
  url: WebhookUrl,
  types: {
    ...ActionList,
    description:
      'Types of events, and families such as `member.*`. Empty, the default: all. A sign-up is `user.signed_up`; `user.created` is an account that an admin makes.',
  },
  after: Place,
  from: From,
  status: OneOf(['active', 'disabled'] as const, { description: 'While it is disabled, nothing is sent.' }),
}
const { name, url, ...others } = editable

/** The body that makes a webhook. */
export const NewWebhook = Type.Object(
  { name, url, ...Type.Partial(Type.Object(others)).properties },
  { additionalProperties: false },
)

export type WebhookPatch = Static<typeof WebhookPatch>
/** The body that changes one. */
export const WebhookPatch = Type.Partial(Type.Object(editable), { additionalProperties: false })

/** The body that rotates the secret. */
export const WebhookRotation = Type.Object(
  {
    overlapSeconds: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: 604_800,
        default: usualOverlap,
        format: 'int32',
        description: 'How long the secret before signs, too.',
      }),
    ),
  },
  { additionalProperties: false },
)

export const WebhookList = Type.Object({ ...paging }, { additionalProperties: false })

/** The query of the log. */
export const DeliveryList = Type.Object(
  {
    ...paging,
    status: Type.Optional(OneOf(deliveryStatuses, { description: 'Deliveries with this status.' })),
    types: Type.Optional({
      ...ActionList,
      description: 'A comma-separated list of types. `member.*` names a whole family.',
    }),
    from: Type.Optional({ ...filters.from, description: 'Events at or after this time.' }),
    to: Type.Optional({ ...filters.to, description: 'Events before this time.' }),
  },
  asList,
)

/** The body that sends again. */
export const Retry = Type.Object(
  {
    sequences: Type.Optional(
      Type.Array(
        Type.Integer({
          minimum: 0,
          maximum: Number.MAX_SAFE_INTEGER,
          format: 'int64',
          examples: [1_769_851_800_000_000],
        }),
        { minItems: 1, maxItems: 100, description: 'Those of the log to send again. Absent: all that failed.' },
      ),
    ),
  },
  { additionalProperties: false },
)

export const Retried = Type.Object(
  { retried: Type.Integer({ minimum: 0, maximum: 500, format: 'int32', description: 'How many are sent again.' }) },
  { description: 'They are sent soon.' },
)

/** The rows of a page, oldest first. */
export function selectWebhookPage(tenant: string, owned: Statement, { take, after }: PageRequest): Statement {
  return statement`
    ${selectWebhooks(tenant)} and ${owned}
      ${after ? statement`and (w.created_at, w.id) > (${after[0]}, ${after[1]})` : empty}
    order by w.created_at, w.id
    limit ${take}`
}

/** A webhook of an owner, of `webhooks w`. */
export function selectOne(tenant: string, owned: Statement, id: string): Statement {
  return statement`${selectWebhooks(tenant)} and ${owned} and w.id = ${id}`
}

/**
 * The place that a body names. One ahead of the feed would skip events, so it is the end of the feed.
 *
 * @returns undefined if it names none
 * @throws Problem invalid_request, events_expired
 */
export async function placeIn(
  sql: Sql,
  { after, from }: { readonly after?: string | number | undefined; readonly from?: string | undefined },
): Promise<number | undefined> {
  if (after !== undefined && from !== undefined)
    throw invalidRequest([faultOf('/from', 'not_allowed', 'Send either `after` or `from`.')])
  if (after === undefined && from === undefined) return undefined
  const { head, trimmed } = await readFeed(sql)
  if (after === 'latest') return head
  const place = from === undefined ? Number(after) : placeBefore(from)
  if (place < trimmed) throw new ApiProblem('events_expired', { earliest: trimmed })
  return Math.min(place, head)
}

/** The end of the feed. */
export async function latestPlace(sql: Sql): Promise<number> {
  return (await readFeed(sql)).head
}

/** Retention waits for the lock, so that a place that is chosen keeps all that follows it. The relay does not: a place may be held for long. */
async function readFeed(sql: Sql): Promise<{ readonly head: number; readonly trimmed: number }> {
  const [feed] = await sql<{ head: number; trimmed: number }>`
    select head, trimmed from feeds where tenant_id = ${sql.tenant} for key share`
  return feed ?? { head: 0, trimmed: 0 }
}
