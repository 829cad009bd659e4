/** The tenant's log, for its admins: all of it, or the part about one user or one organization. People and organizations are links. */
import { Link } from '@tanstack/react-router'
import { api, asCsv, ask } from '../api/client.ts'
import { Activity } from '../audit/activity.tsx'
import type { LogQuery } from '../audit/search.ts'
import type { PersonProps } from '../audit/sentence.tsx'
import { type Entry, nameIn, type Party } from '../audit/sentences.ts'
import { nameOf } from '../users/administration-user.ts'
import classes from './log.module.css'
import { OrganizationFilter, OrganizationName, withOrganizations } from './log-organization.tsx'

interface TenantLogProps {
  readonly userId?: string | undefined
  readonly organizationId?: string
}

export function TenantLog({ userId, organizationId }: TenantLogProps) {
  const part = { ...(userId !== undefined && { userId }), ...(organizationId !== undefined && { organizationId }) }
  const read = (query: LogQuery) =>
    withPeople(ask(api.GET('/api/admin/audit', { params: { query: { ...query, ...part } } })))
  return (
    <Activity
      key={userId}
      queryKey={['admin', 'audit', part]}
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

/** A page of the log is read with the people whom its entries do not name, all by one request: by their current name, or their address. */
async function withPeople<Page>(reading: Promise<Page & { readonly data: readonly Entry[] }>) {
  const page = await reading
  const nameless = page.data.flatMap((entry) =>
    [entry.actor, entry.target].flatMap((party) =>
      party.type === 'user' && nameIn(entry, party) === undefined ? (party.id ?? []) : [],
    ),
  )
  const id = [...new Set(nameless)]
  const users =
    id.length > 0 ? (await ask(api.GET('/api/admin/users', { params: { query: { id, limit: 100 } } }))).data : []
  const names = new Map(users.map((user) => [user.id, nameOf(user)]))
  const named = <Named extends Party>(party: Named): Named => ({
    ...party,
    name: party.name ?? names.get(party.id ?? '') ?? null,
  })
  const data = page.data.map((entry) => ({ ...entry, actor: named(entry.actor), target: named(entry.target) }))
  return { ...page, data }
}

function Person({ id, name, children }: PersonProps) {
  return (
    <Link to="/admin/users/$userId" params={{ userId: id }} className={classes.person}>
      {name ?? children}
    </Link>
  )
}
