/**
 * Authorization: an application has sent the browser here to sign somebody in. The API says which step is missing, and in the end where to
 * send the browser. Its sealed request is kept for this tab, so that it is there after a visit to another page.
 *
 * Invariant: a request that this tab has answered is over, although the API would take it again: the application knows its `state` no more.
 */
import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import { api, ask } from '../api/client.ts'
import { inTab } from '../parts/storage.ts'

const key = 'guildhall-authorization'
const endedKey = 'guildhall-authorizations-ended'
/** How many of its last answers a tab remembers: more entries of its history are seldom gone back to. */
const mostEnded = 20

/** @param given the request in the address @returns it, or the one that this tab has begun */
export function keepRequest(given: string | undefined): string | undefined {
  if (given === undefined) return inTab.read(key) ?? undefined
  inTab.write(key, given)
  return given
}

/** Whether this tab has begun a request that is not answered yet. */
export function hasRequest(): boolean {
  return inTab.read(key) !== null
}

export function forgetRequest(): void {
  inTab.remove(key)
}

/** The application gets its answer now. */
export function endRequest(request: string): void {
  forgetRequest()
  inTab.write(endedKey, [endOf(request), ...readEnded()].slice(0, mostEnded).join(' '))
}

/** Whether this tab has answered it. */
export function isEnded(request: string): boolean {
  return readEnded().includes(endOf(request))
}

function readEnded(): string[] {
  return inTab.read(endedKey)?.split(' ') ?? []
}

/** Each sealed text ends in another way. */
function endOf(request: string): string {
  return request.slice(-22)
}

/** The page of a request. A provider leads back to it, too. */
export function pageOf(request: string): string {
  return `/authorize?${new URLSearchParams({ request })}`
}

/** @param userId of the signed-in user, on whom the step depends */
export const previewQuery = (request: string, userId: string | undefined) =>
  queryOptions({
    queryKey: ['authorization', request, userId],
    queryFn: () => ask(api.POST('/api/auth/authorize/preview', { body: { request } })),
    staleTime: 0,
    gcTime: 0,
    placeholderData: keepPreviousData,
    refetchOnWindowFocus: 'always', // the address may have been verified in another tab
  })

type Preview = Awaited<ReturnType<NonNullable<ReturnType<typeof previewQuery>['queryFn']>>>
export type AskingApplication = Preview['application']
export type Step = NonNullable<Preview['step']>

/** What somebody has chosen by a click, and whom the page has shown. */
export interface Click {
  readonly organizationId: string | undefined
  readonly userId: string | undefined
}

/** @returns where to send the browser @throws Refusal authorization_incomplete, whose `step` is missing */
export async function answerRequest(request: string, click: Click | undefined): Promise<string> {
  const { organizationId, userId } = click ?? {}
  const body = { request, ...(organizationId && { organizationId }), ...(userId && { userId }) }
  return (await ask(api.POST('/api/auth/authorize', { body }))).url
}
