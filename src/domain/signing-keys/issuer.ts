/** The issuer of a tenant's tokens, and their audience. */
import { Type } from 'typebox'
import type { Config } from '../../platform/settings/config.ts'

/** For whom a token is made. */
export const Audience = Type.String({
  minLength: 1,
  maxLength: 255,
  pattern: '^[!-~]+$',
  description: 'A name or a URL of a service, without spaces.',
  examples: ['https://billing.example.com'],
})

/** @returns the URL below which everybody reads the tenant's keys. It names the tenant by its id, because slugs and domains change */
export function issuerOf({ publicUrl }: Pick<Config, 'publicUrl'>, tenantId: string): string {
  return `${publicUrl}/api/tenants/${tenantId}`
}
