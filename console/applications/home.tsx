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
  const { id, homeApplication } = useTenant()
  const startUrl = homeApplication?.startUrl ?? undefined
  const { data: iss } = useQuery({ ...issuerQuery(id), enabled: startUrl !== undefined })
  if (homeApplication == null || startUrl === undefined || iss === undefined) return undefined
  const url = new URL(startUrl)
  url.searchParams.set('iss', iss)
  if (organizationId !== undefined) url.searchParams.set('organization', organizationId)
  return { name: homeApplication.name, url: url.href }
}

export function HomeButton({ home: { name, url } }: { readonly home: Home }) {
  const { t } = useTranslation()
  return (
    <Button component="a" href={url} fullWidth>
      {t('general.home.continue', { application: name })}
    </Button>
  )
}
