/** The tenant's log, for its admins: all of it, or the part about one user or one organization. People and organizations are links. */
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { api, asCsv, ask } from '../api/client.ts'
import { Activity } from '../audit/activity.tsx'
import type { LogQuery } from '../audit/search.ts'
import type { PersonProps } from '../audit/sentence.tsx'
import { nameOf, userQuery } from '../users/administration-user.ts'
import classes from './log.module.css'
import { OrganizationFilter, OrganizationName, withOrganizations } from './log-organization.tsx'

interface TenantLogProps {
  readonly userId?: string | undefined
  readonly organizationId?: string
  /** The size of a page. */
  readonly limit?: number
}

export function TenantLog({ userId, organizationId, limit }: TenantLogProps) {
  const part = { ...(userId !== undefined && { userId }), ...(organizationId !== undefined && { organizationId }) }
  const filter = { ...part, ...(limit !== undefined && { limit }) }
  const read = (query: LogQuery) => ask(api.GET('/api/admin/audit', { params: { query: { ...query, ...filter } } }))
  return (
    <Activity
      key={userId}
      queryKey={['admin', 'audit', filter]}
      read={organizationId === undefined ? (query) => withOrganizations(read(query)) : read}
      readFile={(query) => api.GET('/api/admin/audit', { params: { query: { ...query, ...part } }, ...asCsv })}
      Person={Person}
      {...(organizationId === undefined && {
        nameOfOrganization: (id: string, name: string | null = null) => <OrganizationName id={id} name={name} />,
        Organizations: OrganizationFilter,
      })}
    />
  )
}

/** A person without a name in the entry is named by their current name, or by their address. */
function Person({ id, name, children }: PersonProps) {
  const { data } = useQuery({ ...userQuery(id), enabled: name === undefined, staleTime: 300_000 })
  return (
    <Link to="/admin/users/$userId" params={{ userId: id }} className={classes.person}>
      {name ?? (data ? nameOf(data) : children)}
    </Link>
  )
}
