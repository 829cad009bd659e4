/**
 * The home application of the tenant, to which pages lead on that a mail has opened.
 *
 * Invariant: only its registered address is opened. It then asks for a sign-in by itself, so that no state of its own is needed here.
 */
import { Button } from '@mantine/core'
import { queryOptions, useQuery } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import { api, ask } from '../api/client.ts'
import { useTenant } from '../tenants/tenant.ts'

/** The issuer of the tenant, by which applications know it: there is one as soon as there is an application. */
export const issuerQuery = (tenantId: string) =>
  queryOptions({
    queryKey: ['tenant', tenantId, 'issuer'],
    queryFn: () =>
      ask(api.GET('/api/tenants/{tenantId}/.well-known/openid-configuration', { params: { path: { tenantId } } })).then(
        ({ issuer }) => issuer,
      ),
    staleTime: Number.POSITIVE_INFINITY,
  })

export interface Home {
  readonly name: string
  /** Where it begins a sign-in. */
  readonly url: string
}

/** @param organizationId in which somebody has just become a member @returns undefined if the tenant has none, or it cannot be reached by an address */
export function useHome(organizationId?: string): Home | undefined {
  const { homeApplication } = useTenant()
  const url = useStart(homeApplication?.startUrl ?? null, organizationId)
  return homeApplication == null || url === undefined ? undefined : { name: homeApplication.name, url }
}

/** The address at which an application begins a sign-in at this issuer; undefined if it has none, or until the issuer is known. */
export function useStart(startUrl: string | null, organizationId?: string): string | undefined {
  const { data: iss } = useQuery({ ...issuerQuery(useTenant().id), enabled: startUrl !== null })
  if (startUrl === null || iss === undefined) return undefined
  const url = new URL(startUrl)
  url.searchParams.set('iss', iss)
  if (organizationId !== undefined) url.searchParams.set('organization', organizationId)
  return url.href
}

export function HomeButton({ home: { name, url } }: { readonly home: Home }) {
  const { t } = useTranslation()
  return (
    <Button component="a" href={url} fullWidth>
      {t('general.home.continue', { application: name })}
    </Button>
  )
}
