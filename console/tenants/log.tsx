/** The tenant's log, for its admins: all of it, or the part about one user or one organization. People and organizations are links. */
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { accessQuery } from '../access/model.ts'
import { api, asCsv, ask } from '../api/client.ts'
import { waitForNames } from '../api/names.ts'
import { queries } from '../api/queries.ts'
import { Activity } from '../audit/activity.tsx'
import { haveKeys } from '../audit/lists.ts'
import type { LogQuery } from '../audit/search.ts'
import type { PersonProps } from '../audit/sentence.tsx'
import { namelessIn } from '../audit/sentences.ts'
import { organizationNameQuery } from '../organizations/directory-search.ts'
import { namesOf, namesQuery } from '../organizations/grants.tsx'
import { NameInParts } from '../parts/name-in-parts.tsx'
import { userNameQuery } from '../users/administration-user.ts'
import classes from './log.module.css'
import { tenantLogKey } from './log-key.ts'
import { OrganizationFilter, OrganizationName } from './log-organization.tsx'

interface TenantLogProps {
  readonly userId?: string | undefined
  readonly organizationId?: string
}

export function TenantLog({ userId, organizationId }: TenantLogProps) {
  const part = { ...(userId !== undefined && { userId }), ...(organizationId !== undefined && { organizationId }) }
  const { data: model } = useQuery({ ...accessQuery, enabled: false }) // read with the log
  const { data: names } = useQuery({ ...namesQuery({ anyId: organizationId ?? '' }), enabled: false }) // read by its frame
  return (
    <Activity
      key={userId}
      queryKey={[...tenantLogKey, part]}
      read={(query) => readLog({ ...query, ...part }, organizationId === undefined)}
      readFile={(query) => api.GET('/api/admin/audit', { params: { query: { ...query, ...part } }, ...asCsv })}
      Person={Person}
      names={names ?? (model && namesOf([...model.permissions, ...model.roles]))}
      {...(organizationId === undefined && {
        nameOfOrganization: (id: string) => <OrganizationName id={id} />,
        Organizations: OrganizationFilter,
      })}
    />
  )
}

/**
 * Reads a page of the log, and before it is shown the names of its organizations, of roles, and of the people whom its entries do not name.
 *
 * @param isOfSeveral whether organizations are shown
 */
async function readLog(query: LogQuery & { readonly userId?: string }, isOfSeveral: boolean) {
  const page = await ask(api.GET('/api/admin/audit', { params: { query } }))
  const organizations = isOfSeveral ? page.data.flatMap(({ organizationId }) => organizationId ?? []) : []
  if (isOfSeveral && haveKeys(page.data)) await queries.prefetchQuery({ ...accessQuery, retry: false }) // never rejects
  await waitForNames([...organizations.map(organizationNameQuery), ...page.data.flatMap(namelessIn).map(userNameQuery)])
  return page
}

function Person({ id, name, children }: PersonProps) {
  const { data } = useQuery({ ...userNameQuery(id), enabled: name === undefined })
  const known = name ?? data ?? undefined
  return (
    <Link to="/admin/users/$userId" params={{ userId: id }} className={classes.person}>
      {known === undefined ? children : <NameInParts name={known} />}
    </Link>
  )
}
