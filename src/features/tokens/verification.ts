/**
 * Verification: whose a credential is that somebody else has sent, for the server of a product.
 *
 * The server sends the text of the credential with a key of its own. The credential is looked up as a door looks up that of a request, in
 * the same pipeline as the key. Of one that is not of the key's tenant nothing is looked up: it is unknown.
 */
import type { FastifyRequest } from 'fastify'
import { type Static, Type } from 'typebox'
import { type KnownToken, knownToken } from '../../domain/access/authentication.ts'
import { namesOf } from '../../domain/access/authorization.ts'
import { credentialOf, type Found, findCaller, organizationNamed } from '../../domain/access/caller.ts'
import { callerIn, firstFailing, noteUse, rulesOfNamed } from '../../domain/access/rules.ts'
import { mostOfToken } from '../../domain/access/tokens.ts'
import { OrganizationPath } from '../../domain/organizations/organizations.ts'
import { PermissionKey } from '../../domain/permissions/access-model.ts'
import type { ProblemCode } from '../../domain/problems.ts'
import { verified } from '../../platform/channels.ts'
import { statement } from '../../platform/database/database.ts'
import { faultOf } from '../../platform/http/faults.ts'
import { invalidRequest } from '../../platform/http/problems.ts'
import { OneOf, ref } from '../../platform/http/schemas.ts'
import type { App } from '../../platform/http/server.ts'
import {
  CallerShown,
  type OrganizationRow,
  type ShownColumns,
  selectOrganization,
  showCaller,
  shownColumns,
  shownIn,
  standingOf,
} from './caller.ts'

/** Why a credential is not valid for what the server asks. */
export const verificationReasons = [
  'unknown',
  'ended',
  'no_access',
  'second_factor_required',
  'missing_permission',
] as const
type Reason = (typeof verificationReasons)[number]

/** What the problem of a door means for the server that asks. */
const reasonOf: Readonly<Record<string, Reason>> = {
  unauthenticated: 'ended',
  not_found: 'no_access',
  membership_suspended: 'no_access',
  second_factor_required: 'second_factor_required',
} satisfies Partial<Record<ProblemCode, Reason>>

type Verification = Static<typeof Verification>
const Verification = Type.Object(
  {
    valid: Type.Boolean({ description: 'Whether the credential lives, and may do all that `permissions` names.' }),
    caller: Type.Optional({ ...ref(CallerShown), description: 'Whose it is, if it is valid.' }),
    reason: Type.Optional(OneOf(verificationReasons, { description: 'Why it is not valid.' })),
    missing: Type.Optional(
      Type.Array(PermissionKey, { maxItems: 20, description: 'The permissions that it lacks, sorted.' }),
    ),
  },
  { description: 'The caller, or why the credential is not valid.' },
)

export async function verificationRoutes(app: App): Promise<void> {
  app.post(
    '/credentials/verify',
    {
      config: { access: 'tenant_key', scope: 'credentials:verify' },
      schema: {
        operationId: 'verifyCredential',
        summary: 'Verify a credential',
        description:
          'Whose a session, a key or an application’s access token is, and whether it may do something in an organization now. For the server of a product, which sends its own key, and the credential of a request that it got. Counts as use of the session.',
        tags: ['Access'],
        body: Type.Object(
          {
            credential: Type.String({
              minLength: 1,
              maxLength: mostOfToken,
              format: 'line',
              description: 'The text of the credential, as it came.',
              examples: ['ghs_01k9zq3v5hf8gs4m2y7c6t0wdn.…'],
            }),
            organization: Type.Optional(OrganizationPath),
            permissions: Type.Optional(
              Type.Array(PermissionKey, {
                maxItems: 20,
                description: 'What the caller must hold in the organization: all of these.',
              }),
            ),
          },
          { additionalProperties: false },
        ),
        response: { 200: Verification },
      },
    },
    async (request): Promise<Verification> => {
      const { credential, organization, permissions } = request.body
      if (permissions && organization === undefined) throw invalidRequest([faultOf('/organization', 'required')])
      const { tenant } = credentialOf(request)
      const token = knownToken(credential, app.credentialKinds)
      if (token?.tenant !== tenant) {
        await request.readAsTenantKey(() => ({}))
        return refuse('unknown')
      }
      const inquiry = {
        credential: token,
        organization: organization === undefined ? undefined : organizationNamed(tenant, organization),
      }
      const rules = rulesOfNamed(inquiry)
      const { found, organizations } = await request.readAsTenantKey<{
        found: Found & ShownColumns
        organizations?: OrganizationRow
      }>(
        () => ({
          found: findCaller(inquiry, statement`${firstFailing(rules)} as failing`, shownColumns(token.kind)),
          ...(inquiry.organization && { organizations: selectOrganization(namesOf(inquiry)) }),
        }),
        { byKey: true },
      )
      const row = found[0] as Found & ShownColumns // the tenant is there, else the door had thrown
      const failed = rules[row.failing ?? rules.length]
      const reason = failed && (reasonOf[failed.problem().code] as Reason) // each problem of these rules has one
      if (reason) return refuse(reason === 'ended' && !(await isKnown(request, token)) ? 'unknown' : reason)
      noteUse(request, token, row)
      const caller = callerIn(request, token, row)
      const held = standingOf(caller, organizations)?.holdings
      const missing = [...new Set(permissions)].filter((key) => !held?.has(key)).sort()
      if (missing.length > 0) return refuse('missing_permission', missing)
      verified.publish({ outcome: 'valid' })
      return { valid: true, caller: showCaller(caller, [shownIn(row)], organizations) }
    },
  )
}

/** Whether there is such a credential, ended or not. Those that live are not asked for it. */
async function isKnown(request: FastifyRequest, token: KnownToken): Promise<boolean> {
  const { known } = await request.readAsTenantKey<{ known: { isKnown: boolean } }>(
    () => ({ known: statement`select ${token.kind.callerOf(token)} is not null as is_known` }),
    { byKey: true },
  )
  return known[0]?.isKnown === true
}

function refuse(reason: Reason, missing?: string[]): Verification {
  verified.publish({ outcome: reason })
  return { valid: false, reason, ...(missing && { missing }) }
}
