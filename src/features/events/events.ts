/** The feed of events: of the tenant, for its admins and keys, and of an organization. */
import type { FastifyReply, FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import { Event, eventSchemas, Sequence } from '../../domain/events/events.ts'
import { type FeedQuery, type FeedRows, placeBefore, selectFeed, toFeedPage } from '../../domain/events/feed.ts'
import { type ResourceRows, readEvents } from '../../domain/events/resources.ts'
import { OrganizationPath } from '../../domain/organizations/organizations.ts'
import { ApiProblem } from '../../domain/problems.ts'
import { ActionList, asList } from '../../domain/record/entries.ts'
import type { Statement } from '../../platform/database/database.ts'
import { faultOf } from '../../platform/http/faults.ts'
import { invalidRequest } from '../../platform/http/problems.ts'
import { Id, paging, ref, Timestamp } from '../../platform/http/schemas.ts'
import type { App } from '../../platform/http/server.ts'

const filters = {
  after: Type.Optional(
    Type.String({
      maxLength: 16,
      // Up to the last place (domain/events/feed.ts).
      pattern: '^(latest|0|[1-9][0-9]{0,14}|[1-8][0-9]{15})$',
      description:
        'A place: the `nextAfter` of the answer before, or a `sequence`. `latest` answers no events, and the place from which to follow once you have read the lists.',
      examples: ['latest'],
    }),
  ),
  from: Type.Optional({
    ...Timestamp,
    description: 'Without `after`: events from this time on. Without both, from the oldest on.',
  }),
  types: Type.Optional({
    ...ActionList,
    description: 'A comma-separated list of types. `member.*` names a whole family.',
  }),
  limit: paging.limit,
}

const FeedAnswer = Type.Object(
  {
    data: Type.Array(ref(Event), { maxItems: 100 }),
    nextAfter: {
      ...Sequence,
      description: 'Send it as `after` to read on. It is valid as long as the events after it are kept.',
    },
    hasMore: Type.Boolean({ description: 'Whether to read on at once. If not, there are no more events yet.' }),
  },
  { description: 'Events in their order, oldest first.' },
)

export async function eventRoutes(app: App): Promise<void> {
  for (const schema of eventSchemas) app.addSchema(schema)

  app.get(
    '/admin/events',
    {
      config: { access: 'tenant_admin', scope: 'events:read', problems: ['events_expired'] },
      schema: {
        operationId: 'listTenantEvents',
        summary: 'Events of the tenant',
        description: 'Every change in the tenant, in an exact order.',
        tags: ['Administration'],
        querystring: Type.Object(
          {
            ...filters,
            organizationId: Type.Optional({ ...Id('org'), description: 'Events of the organization with this id.' }),
          },
          asList,
        ),
        response: { 200: FeedAnswer },
      },
    },
    async (request, reply) => {
      const { organizationId: organization } = request.query
      withoutSerializer(reply)
      return pull(request, request.query, (reading) =>
        request.readAsTenantAdmin<Rows>(({ tenant }) => reading({ tenant, organization })),
      )
    },
  )

  app.get(
    '/organizations/:orgId/events',
    {
      config: { access: 'events:read', problems: ['events_expired'] },
      schema: {
        operationId: 'listOrganizationEvents',
        summary: 'Events of the organization',
        description: 'Every change in the organization, in an exact order.',
        tags: ['Events'],
        params: Type.Object({ orgId: OrganizationPath }),
        querystring: Type.Object(filters, asList),
        response: { 200: FeedAnswer },
      },
    },
    async (request, reply) => {
      withoutSerializer(reply)
      return pull(request, request.query, (reading) => request.readInOrganization<Rows>(reading))
    },
  )
}

/** The answer is written as it is: `readEvents` takes the fields from the schemas, of which there are many for one event. */
function withoutSerializer(reply: FastifyReply): void {
  reply.type('application/json; charset=utf-8').serializer(JSON.stringify)
}

interface Asked {
  readonly after?: string
  readonly from?: string
  readonly types?: readonly string[]
  readonly limit?: number
}

type Rows = Partial<FeedRows> & ResourceRows
/** A door. @param reading gets the organization whose events are asked for */
type Read = (
  reading: (names: { readonly tenant: string; readonly organization: FeedQuery['organization'] }) => {
    readonly [Name in keyof Rows]: Statement
  },
) => Promise<
  { readonly caller: { readonly tenantId: string } } & {
    readonly [Name in keyof Rows]: Exclude<Rows[Name], undefined>[]
  }
>

/**
 * Answers a page. If it has room, events that have no place yet get one before.
 *
 * @throws Problem invalid_request, events_expired
 */
async function pull({ server }: FastifyRequest, asked: Asked, read: Read) {
  const { database, keyring } = server
  const query = { types: asked.types, after: placeOf(asked), limit: asked.limit ?? 50 }
  const readPage = async () => {
    const rows = await read(({ tenant, organization }) => selectFeed(tenant, { ...query, organization }))
    return { ...toFeedPage(query, rows), tenant: rows.caller.tenantId }
  }
  let page = await readPage()
  if (page.isWaiting) {
    await database.relay.drain(page.tenant)
    page = await readPage()
  }
  if (page.earliest !== undefined) throw new ApiProblem('events_expired', { earliest: page.earliest })
  const data = await readEvents(page.tenant, keyring, page.rows, (statements) => read(() => statements))
  return { data, nextAfter: page.next, hasMore: page.hasMore }
}

/** The place after which to read. @throws Problem invalid_request */
function placeOf({ after, from }: Asked): FeedQuery['after'] {
  if (after !== undefined && from !== undefined)
    throw invalidRequest([faultOf('?from', 'not_allowed', 'Send either `after` or `from`.')])
  if (after === 'latest') return after
  if (after !== undefined) return Number(after)
  return from === undefined ? undefined : placeBefore(from)
}
