/** Exports: how often somebody may have a list in whole, how many have one at once, and what its file is called. */
import { type Statement, statement } from '../../platform/database/database.ts'
import { networkOf } from '../../platform/http/address.ts'
import type { RequestContext } from '../../platform/http/context.ts'
import type { Begun } from '../../platform/http/exports.ts'
import { limits } from './limits.ts'
import { Places } from './places.ts'

/** The policies of a route that exports its list. */
export const exportRates = ['exports'] as const

/**
 * How many exports a process sends at once, in all, to a network and of a tenant: each may be long, and its reader slow. Neither one network
 * nor one tenant holds all places.
 */
const places = new Places({ inProcess: 8, ofNetwork: 3, ofTenant: 5 })

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
 * @returns the name of the file, without the day; and what gives back the place among those that a process sends
 * @throws Problem rate_limited, overloaded
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
): Promise<Begun> {
  const { tenantId: tenant, id: whose } = caller
  const end = places.take({ whose, network: networkOf(context.ip), tenant })
  try {
    await context.rates.count(context, [{ policy: 'exports', rate: limits.exports.rateOf(), tenant, whose }])
  } catch (error) {
    end()
    throw error
  }
  return { name: [list, ...named.map(({ slug }) => slug)].join('-'), end }
}
