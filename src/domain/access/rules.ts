/**
 * Rules: what a route asks of its caller. Each has a condition, and a problem for a caller who does not meet it.
 *
 * The statement that finds the caller selects the first rule that fails. If there is one, the wall shuts, and the door throws the rule's
 * problem. So each rule is written once.
 */
import type { FastifyRequest } from 'fastify'
import { join, type Statement, statement } from '../../platform/database/database.ts'
import { hostOf } from '../../platform/http/address.ts'
import { type Access, isOfOrganization, permissionOf, type SplitAccess } from '../permissions/access.ts'
import { holds } from '../permissions/held.ts'
import type { Permission } from '../permissions/permissions.ts'
import type { Role } from '../permissions/roles.ts'
import { ApiProblem } from '../problems.ts'
import type { MemberCaller } from './actors.ts'
import { accessOf, credentialOf, type Found, isInOrganization } from './caller.ts'
import { freshness } from './credential-kinds.ts'
import { isRequiredByTenant } from './second-factor.ts'
import { namedTenant } from './tenancy.ts'

export interface Rule {
  /** A condition on the rows that `findCaller` joins; null does not meet it. */
  readonly condition: Statement
  readonly problem: () => ApiProblem
}

/**
 * The rules of a route, in the order of their problems: tenant, session, organization, suspension, permission, second factor, fresh proof.
 *
 * @returns rules with the problems tenant_mismatch, unauthenticated, not_found, membership_suspended, forbidden,
 *   second_factor_required, confirmation_required
 */
export function rulesOf(request: FastifyRequest, access: Access = accessOf(request)): readonly Rule[] {
  const { withoutSecondFactor, proof } = request.routeOptions.config
  const rules = [...rulesOfTenant(request), rule(statement`u.id is not null`, 'unauthenticated')]
  if (isOfOrganization(access)) rules.push(...rulesOfOrganization(request, access))
  if (access === 'tenant_admin') rules.push(rule(statement`u.role = 'admin'`, 'forbidden'))
  if (!withoutSecondFactor) rules.push(...rulesOfSecondFactor(request, access))
  if (proof === 'fresh') rules.push(rule(statement`c.is_fresh`, 'confirmation_required', { maxAge: freshness }))
  return rules
}

/** @returns an expression for the index of the first rule that fails; null if all hold */
export function firstFailing(rules: readonly Rule[]): Statement {
  const cases = rules.map(({ condition }, index) => statement`when (${condition}) is not true then ${index}::int`)
  return statement`case ${join(cases, ' ')} end`
}

/**
 * Requires the rules of a route of the caller whom a door has found.
 *
 * @param failing the index of the first rule that they do not meet
 * @returns the caller, who meets all rules
 * @throws Problem of that rule; unauthenticated if the tenant is gone
 */
export function requireRules(
  request: FastifyRequest,
  found: Found | undefined,
  rules: readonly Rule[],
  failing?: number | null,
): MemberCaller {
  request.noteSession(Boolean(found?.userId))
  const failed = rules[failing ?? rules.length]
  if (failed) throw failed.problem()
  if (!found?.sessionId) throw new ApiProblem('unauthenticated')
  if (found.isStale) request.staleSession = { sessionId: found.sessionId, userId: found.userId }
  if (found.isMembershipStale && found.membershipId) request.staleMembership = found.membershipId
  return {
    type: 'user',
    tenantId: credentialOf(request).tenant,
    id: found.userId,
    userId: found.userId,
    sessionId: found.sessionId,
    keyId: null,
    assurance: found.assurance,
    isFresh: found.isFresh,
    email: found.email,
    emailVerified: found.emailVerified,
    tenantRole: found.tenantRole,
    name: found.name,
    ip: request.context.ip,
    device: found.device,
    requestId: request.id,
    // Present on an organization's route, where the rules have seen them; nobody else's type shows them.
    organizationId: found.organizationId as string,
    membershipId: found.membershipId as string,
    role: found.role as Role,
    expiresAt: found.membershipExpiresAt,
    grants: found.grants ?? [],
  }
}

function rule(condition: Statement, ...problem: ConstructorParameters<typeof ApiProblem>): Rule {
  return { condition, problem: () => new ApiProblem(...problem) }
}

/** A header that names a tenant names the credential's, and so does the host if it is a tenant's domain. */
function rulesOfTenant(request: FastifyRequest): Rule[] {
  const named = namedTenant(request)
  if (named === undefined) return []
  const condition = statement`
    t.slug = ${named}
    and not exists (select from tenant_domains d where d.domain = ${hostOf(request)} and d.tenant_id <> t.id)`
  return [rule(condition, 'tenant_mismatch')]
}

function rulesOfOrganization(request: FastifyRequest, access: Permission | SplitAccess): Rule[] {
  const { tenant } = credentialOf(request)
  const isSelf = isOwnMembership(request, access)
  const needs = (self: boolean) => holds(tenant, permissionOf(access, self))
  return [
    rule(statement`m.id is not null`, 'not_found'),
    rule(
      request.routeOptions.config.whileSuspended
        ? statement`m.status = 'active' or ${isSelf}`
        : statement`m.status = 'active'`,
      'membership_suspended',
    ),
    rule(
      typeof access === 'object'
        ? statement`case when ${isSelf} then ${needs(true)} else ${needs(false)} end`
        : needs(false),
      'forbidden',
    ),
  ]
}

/** Members may leave an organization that requires a second factor. */
function rulesOfSecondFactor(request: FastifyRequest, access: Access): Rule[] {
  const byTenant = access === 'tenant_admin' ? isRequiredByTenant : statement`t.second_factor = 'required'`
  const rules = [rule(statement`c.assurance = 2 or not ${byTenant}`, 'second_factor_required', { by: 'tenant' })]
  if (!isInOrganization(request)) return rules
  const condition = statement`
    c.assurance = 2 or m.second_factor is distinct from 'required' or ${isOwnMembership(request, access)}`
  return [...rules, rule(condition, 'second_factor_required', { by: 'organization' })]
}

/** Whether the membership in the path of a route with split access is the caller's own, as an expression. */
function isOwnMembership(request: FastifyRequest, access: Access): Statement {
  const { memberId } = request.params as { memberId?: string }
  if (typeof access !== 'object' || memberId === undefined) return statement`false`
  return memberId === 'me' ? statement`m.id is not null` : statement`m.id = ${memberId}`
}
