/** The tenant's log, for its admins: all of it, or what is about one user. People and organizations lead to their pages. */
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { api, ask } from '../api/client.ts'
import { Activity } from '../audit/activity.tsx'
import type { PersonProps } from '../audit/sentence.tsx'
import { nameOf, userQuery } from '../users/administration-user.ts'
import classes from './log.module.css'
import { OrganizationFilter, OrganizationName } from './log-organization.tsx'

interface TenantLogProps {
  readonly userId?: string | undefined
  /** How many entries at a time. */
  readonly limit?: number
}

export function TenantLog({ userId, limit }: TenantLogProps) {
  const filter = { ...(userId !== undefined && { userId }), ...(limit !== undefined && { limit }) }
  return (
    <Activity
      key={userId}
      queryKey={['admin', 'audit', filter]}
      read={(query) => ask(api.GET('/api/admin/audit', { params: { query: { ...query, ...filter } } }))}
      Person={Person}
      nameOfOrganization={(id) => <OrganizationName id={id} />}
      Organizations={OrganizationFilter}
    />
  )
}

/** Whoever had no name when it happened is called as today, or by their address. */
function Person({ id, name, children }: PersonProps) {
  const { data } = useQuery({ ...userQuery(id), enabled: name === undefined, staleTime: 300_000 })
  return (
    <Link to="/admin/users/$userId" params={{ userId: id }} className={classes.person}>
      {name ?? (data ? nameOf(data) : children)}
    </Link>
  )
}
