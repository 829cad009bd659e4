/** Judgement: whether the caller that a door has found may, and if not, why. */
import type { FastifyRequest } from 'fastify'
import type { Row } from '../../platform/database/database.ts'
import { type Access, isOfOrganization, permissionOf } from '../permissions/access.ts'
import { may } from '../permissions/held.ts'
import type { Role } from '../permissions/roles.ts'
import { ApiProblem } from '../problems.ts'
import type { MemberCaller } from './actors.ts'
import { accessOf, credentialOf, type Found } from './caller.ts'
import { freshness } from './credential-kinds.ts'
import { namedTenant } from './tenancy.ts'

/**
 * Judges in this order: session, organization, suspension, permission, second factor, fresh proof.
 *
 * @throws Problem unauthenticated, tenant_mismatch, not_found, membership_suspended, forbidden, second_factor_required, confirmation_required
 */
export function judge(request: FastifyRequest, row: Row | undefined, access = accessOf(request)): MemberCaller {
  const found = row as Found | undefined // as findCaller selects it
  const named = namedTenant(request)
  if (found && named !== undefined && (named !== found.tenantSlug || named !== (found.hostSlug ?? named)))
    throw new ApiProblem('tenant_mismatch')
  const lives = found?.sessionId && found.userId
  request.noteSession(Boolean(lives))
  if (!lives) throw new ApiProblem('unauthenticated')

  if (access === 'tenant_admin' && found.tenantRole !== 'admin') throw new ApiProblem('forbidden')
  const { whileSuspended, withoutSecondFactor, proof } = request.routeOptions.config
  const isSelf = typeof access === 'object' && namesMember(request, found.membershipId)
  const grants = found.grants ?? []
  if (isOfOrganization(access)) {
    const { role, membershipStatus } = found
    if (!role) throw new ApiProblem('not_found')
    if (membershipStatus !== 'active' && !(whileSuspended && isSelf)) throw new ApiProblem('membership_suspended')
    if (!may({ role, grants }, permissionOf(access, isSelf))) throw new ApiProblem('forbidden')
  }
  if (found.assurance < 2 && !withoutSecondFactor) {
    const by = requirementOf(found, access, isSelf)
    if (by) throw new ApiProblem('second_factor_required', { by })
  }
  if (proof === 'fresh' && !found.isFresh) throw new ApiProblem('confirmation_required', { maxAge: freshness })
  if (found.isStale) request.staleSession = { sessionId: found.sessionId, userId: found.userId }
  if (found.isMembershipStale && found.membershipId) request.staleMembership = found.membershipId
  return {
    type: 'user',
    tenantId: credentialOf(request).tenant,
    userId: found.userId,
    sessionId: found.sessionId,
    assurance: found.assurance,
    isFresh: found.isFresh,
    email: found.email,
    emailVerified: found.emailVerified,
    tenantRole: found.tenantRole,
    name: found.name,
    ip: request.context.ip,
    device: found.device,
    requestId: request.id,
    // Present on an organization's route, where the checks above have seen them; nobody else's type shows them.
    organizationId: found.organizationId as string,
    membershipId: found.membershipId as string,
    role: found.role as Role,
    expiresAt: found.membershipExpiresAt,
    grants,
  }
}

/** Whose policy asks this caller for a second factor. @param isLeaving whether members act on their own membership */
function requirementOf(found: Found, access: Access, isLeaving: boolean): 'tenant' | 'organization' | undefined {
  const { tenantPolicy, organizationPolicy } = found
  if (tenantPolicy === 'required' || (tenantPolicy === 'admins' && access === 'tenant_admin')) return 'tenant'
  return organizationPolicy === 'required' && !isLeaving ? 'organization' : undefined
}

/** Whether a membership is the one in the path. */
function namesMember(request: FastifyRequest, membershipId: string | null): boolean {
  const { memberId } = request.params as { memberId?: string }
  return memberId === 'me' || memberId === membershipId
}
