/** The log of an organization. People whom its entries do not name are named as in the list of members. */
import { queryOptions, useQuery } from '@tanstack/react-query'
import { useParams } from '@tanstack/react-router'
import { api, ask } from '../api/client.ts'
import { waitForNames } from '../api/names.ts'
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

/** The name of a member, or their address; null if they are none any more. */
function memberNameQuery(orgId: string, userId: string) {
  return queryOptions({
    queryKey: ['organizations', orgId, 'names', userId],
    async queryFn() {
      const { data, nextCursor } = await queries.fetchQuery(newestQuery(orgId))
      const found = data.find(({ user }) => user.id === userId)
      if (found) return nameOf(found)
      const [other] = nextCursor === null ? [] : (await readMembers(orgId, { userId })).data
      return other ? nameOf(other) : null
    },
  })
}

/** Those who joined last: one request for most of the people in the last entries. */
const newestQuery = (orgId: string) =>
  queryOptions({
    queryKey: ['organizations', orgId, 'names'],
    queryFn: () => readMembers(orgId, { sort: '-joinedAt', limit: 100 }),
  })

function readMembers(
  orgId: string,
  query: { readonly userId: string } | { readonly sort: '-joinedAt'; readonly limit: number },
) {
  return ask(api.GET('/api/organizations/{orgId}/members', { params: { path: { orgId }, query } }))
}
