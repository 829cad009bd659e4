/** Events: the feed of a tenant or of an organization, page by page or as it grows. */
import { type Answer, type Api, ask, type Event, type Filters, type RequestOptions, signalOf } from './api.ts'
import { GuildhallError, isGuildhallError } from './errors.ts'
import { pause } from './transport.ts'

/** Events in their order, and the place from which to read on. */
export type EventPage = Answer<'listTenantEvents'>

type Query = Filters<'listTenantEvents'>
export interface FollowOptions extends RequestOptions {
  /** A place where you have stopped, or `latest`. Without it: all events that the service still has. */
  readonly after?: number | 'latest' | undefined
  readonly types?: Query['types']
}

/** Events that do not end: leave the loop, or abort the signal. */
export interface Following extends AsyncIterable<Event> {
  /**
   * Where to follow on after all events that the loop has finished with: store it with what you have made of them. Undefined before the
   * first answer.
   */
  readonly place: number | undefined
}

/** In seconds: how long until the service is asked for more, and how long at most after it could not be reached. */
const [interval, longest] = [1, 30]

/** Statuses of Guildhall, or of a proxy before it, after which a request may succeed later. */
const passing = [429, 502, 503, 504]

export function tenantEventsOf(api: Api) {
  const read = (query: Query, options: RequestOptions) =>
    ask(api.GET('/api/admin/events', { params: { query }, ...signalOf(options) }))
  return {
    /** A page, oldest first. Send `nextAfter` as `after` for the next one. */
    read(query: Query = {}, options: RequestOptions = {}): Promise<EventPage> {
      return read(query, options)
    },

    /** All events as they come. */
    follow(options: FollowOptions & { readonly organizationId?: string } = {}): Following {
      // If it is named and undefined, `read` refuses it. Without this, all events would be followed.
      const filter = 'organizationId' in options ? { organizationId: options.organizationId as string } : {}
      return follow((query) => read({ ...filter, ...query }, options), options)
    },
  }
}

export function organizationEventsOf(api: Api) {
  const read = (orgId: string, query: Filters<'listOrganizationEvents'>, options: RequestOptions) =>
    ask(api.GET('/api/organizations/{orgId}/events', { params: { path: { orgId }, query }, ...signalOf(options) }))
  return {
    /** A page, oldest first. Send `nextAfter` as `after` for the next one. For admins. */
    read(
      orgId: string,
      query: Filters<'listOrganizationEvents'> = {},
      options: RequestOptions = {},
    ): Promise<EventPage> {
      return read(orgId, query, options)
    },

    /** All events of the organization as they come. */
    follow(orgId: string, options: FollowOptions = {}): Following {
      return follow((query) => read(orgId, query, options), options)
    },
  }
}

/**
 * Asks once a second, and at once while there is more. While the service cannot be reached, it asks again after longer and longer pauses.
 *
 * @throws GuildhallError events_expired if events after the place were removed because of their age
 */
function follow(
  read: (query: Pick<Query, 'after' | 'types' | 'limit'>) => Promise<EventPage>,
  { after, signal, ...rest }: FollowOptions,
): Following {
  let place = after
  // As above: undefined is refused.
  const filter = 'types' in rest && { types: rest.types as NonNullable<Query['types']> }
  return {
    get place() {
      return typeof place === 'number' ? place : undefined
    },
    async *[Symbol.asyncIterator]() {
      for (let failures = 0; ; ) {
        const query = { ...(place !== undefined && { after: `${place}` }), ...filter, limit: 100 }
        const page = await read(query).catch((error: unknown) => {
          signal?.throwIfAborted()
          if (!mayPass(error)) throw error
          return error
        })
        if (page instanceof GuildhallError) {
          await pause(Math.max(page.retryAfter ?? 0, Math.min(interval * 2 ** failures++, longest)), signal)
          continue
        }
        failures = 0
        if (!Array.isArray(page.data) || !Number.isSafeInteger(page.nextAfter))
          throw new GuildhallError('unexpected', 'The response does not come from Guildhall: it is no page of events.')
        for (const event of page.data) {
          signal?.throwIfAborted()
          yield event
          place = event.sequence
        }
        place = page.nextAfter
        if (!page.hasMore) await pause(interval, signal)
      }
    },
  }
}

/** Whether the same request may succeed later. */
function mayPass(error: unknown): error is GuildhallError {
  if (isGuildhallError(error, 'unreachable', 'unanswered')) return true
  return isGuildhallError(error) && passing.includes(error.status ?? 0)
}
