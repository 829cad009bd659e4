/** People of tests, signed up in the database. */
import { randomBytes } from 'node:crypto'
import type { buildApp } from '../src/app.ts'
import { signUp } from '../src/features/sign-in/sign-up.ts'
import { getTenantBySlug } from '../src/features/tenants/tenants.ts'
import { hashSecretly } from '../src/platform/cryptography.ts'
import type { RequestContext } from '../src/platform/http/context.ts'
import { newRequestId } from '../src/platform/http/errors.ts'
import { normalizeEmail } from '../src/platform/http/schemas.ts'
import { Person } from './client.ts'
import type { Contract } from './contract.ts'

/** The service that signs them up. */
interface Service {
  readonly url: string
  readonly contract: Contract
  readonly app: Awaited<ReturnType<typeof buildApp>>
}

/** Everybody's password. */
export const password = 'a long enough passphrase'
let passwordHash: Promise<string> | undefined

/**
 * Signs a person up like the route, but with a hash that is made once for all people.
 */
export async function makePerson(
  service: Service,
  name: string,
  { verified = true, tenant = 'default', email }: { verified?: boolean; tenant?: string; email?: string },
): Promise<Person> {
  const { config, database, keyring, rates } = service.app
  const { id: tenantId } = await getTenantBySlug(database, tenant)
  const address = normalizeEmail(email ?? `${name.toLowerCase()}-${randomBytes(5).toString('hex')}@example.com`)
  if (address === undefined) throw new Error(`${email} is no address`)
  passwordHash ??= hashSecretly(password)
  // The parts of a request that an account records, as `fetch` sends them.
  const context: RequestContext = {
    requestId: newRequestId(),
    ip: '127.0.0.1',
    userAgent: 'node', // as `fetch` sends it
    wantedTags: undefined,
    route: { url: undefined, rates: [] },
    config,
    database,
    keyring,
    rates,
    getHeader: () => '',
    setHeader: () => {},
  }
  const account = { email: address, name, passwordHash: await passwordHash, isMailed: true, deviceToken: undefined }
  const { user, session } = await database.inTenant(tenantId, async (sql) => {
    const started = await signUp(sql, context, account)
    if (verified)
      await sql`update users set email_verified = true where tenant_id = ${sql.tenant} and id = ${started.user.id}`
    return started
  })
  return new Person(service, session.token, { ...user, name }, {})
}
