/** Exports: how often somebody may have a list in whole, and what its file is called. */
import { type Statement, statement } from '../../platform/database/database.ts'
import type { RequestContext } from '../../platform/http/context.ts'
import { limits } from './limits.ts'

/** The policies of a route that exports its list. */
export const exportRates = ['exports'] as const

/** What `selectSlug` reads: the slug that is in the file's name. */
export type Named = { readonly named: { readonly slug: string } }

/** Reads the slug of an organization. Of `Names`, as a door has them. */
export function selectSlug({ tenant, organization }: { readonly tenant: string; readonly organization: Statement }) {
  return { named: statement`select slug from organizations where tenant_id = ${tenant} and id = ${organization}` }
}

/** Reads the slug of the tenant. */
export function selectSlugOfTenant({ tenant }: { readonly tenant: string }) {
  return { named: statement`select slug from tenants where id = ${tenant}` }
}

/**
 * Counts an export for a caller whom a door has let in.
 *
 * @param list of what: `members`
 * @param read the caller, and what `selectSlug` has found
 * @returns the name of the file, without the day
 * @throws Problem rate_limited
 */
export async function beginExport(
  context: RequestContext,
  list: string,
  {
    caller,
    named = [],
  }: {
    readonly caller: { readonly tenantId: string; readonly id: string }
    readonly named?: readonly Named['named'][]
  },
): Promise<string> {
  const { tenantId: tenant, id: whose } = caller
  await context.rates.count(context, [{ policy: 'exports', rate: limits.exports.rateOf(), tenant, whose }])
  return [list, ...named.map(({ slug }) => slug)].join('-')
}
