/** The log of an organization. People whom its entries do not name are named as in the list of members. */
import { queryOptions, useQuery } from '@tanstack/react-query'
import { useParams } from '@tanstack/react-router'
import { api, ask } from '../api/client.ts'
import { nameQueries, waitForNames } from '../api/names.ts'
import { queries } from '../api/queries.ts'
import type { LogQuery } from '../audit/search.ts'
import { BoldName, type PersonProps } from '../audit/sentence.tsx'
import { namelessIn } from '../audit/sentences.ts'
import { nameOf } from './member.ts'

/** Reads a page of the log, and before it is shown the names of the people whom its entries do not name. */
export async function readLog(orgId: string, query: LogQuery) {
  const page = await ask(api.GET('/api/organizations/{orgId}/audit', { params: { path: { orgId }, query } }))
  await waitForNames(page.data.flatMap(namelessIn).map((id) => memberNameQuery(orgId, id)))
  return page
}

/** Shows a person by the name in the entry, or else by their current name or their address. It is below the path of an organization. */
export function NamedMember({ id, name, children }: PersonProps) {
  const { orgId } = useParams({ from: '/inside/organizations/$orgId' })
  const { data } = useQuery({ ...memberNameQuery(orgId, id), enabled: name === undefined })
  const known = name ?? data ?? undefined
  return known === undefined ? children : <BoldName name={known} />
}

const namesOf = new Map<string, ReturnType<typeof nameQueries>>()

/** The name of a member, or their address; null if they are none any more, or were not asked for. */
function memberNameQuery(orgId: string, userId: string) {
  const names = namesOf.get(orgId) ?? nameQueries(namesKey(orgId), (ids) => readNames(orgId, ids))
  namesOf.set(orgId, names)
  return queryOptions({ ...names(userId), staleTime: 10 * 60_000, refetchOnWindowFocus: false })
}

const namesKey = (orgId: string) => ['organizations', orgId, 'names']

/** How many members are asked for one by one, of those whom a page of the log shows at once. */
const mostAlone = 20

/** Reads those who joined last by one request, and others one by one: the list takes one id. What was known of the rest stays. */
async function readNames(orgId: string, ids: readonly string[]): Promise<ReadonlyMap<string, string>> {
  const { data, nextCursor } = await queries.fetchQuery(newestQuery(orgId))
  const newest = new Set(data.map(({ user }) => user.id))
  const others = nextCursor === null ? [] : ids.filter((id) => !newest.has(id))
  const alone = others.slice(0, mostAlone).map((userId) => readMembers(orgId, { userId }))
  const members = [...data, ...(await Promise.all(alone)).flatMap((page) => page.data)]
  const known = others.slice(mostAlone).flatMap((id) => {
    const name = queries.getQueryData(memberNameQuery(orgId, id).queryKey)
    return name == null ? [] : [[id, name] as const]
  })
  return new Map([...known, ...members.map((member) => [member.user.id, nameOf(member)] as const)])
}

/** Those who joined last: one request for most of the people in the last entries. */
const newestQuery = (orgId: string) =>
  queryOptions({
    queryKey: namesKey(orgId),
    queryFn: () => readMembers(orgId, { sort: '-joinedAt', limit: 100 }),
  })

function readMembers(
  orgId: string,
  query: { readonly userId: string } | { readonly sort: '-joinedAt'; readonly limit: number },
) {
  return ask(api.GET('/api/organizations/{orgId}/members', { params: { path: { orgId }, query } }))
}
