/**
 * Rules: what a route asks of its caller. Each has a condition, and a problem for a caller who does not meet it.
 *
 * The statement that finds the caller selects the first rule that fails. If there is one, the wall shuts, and the door throws the rule's
 * problem. So each rule is written once.
 */
import { isDeepStrictEqual } from 'node:util'
import type { FastifyRequest } from 'fastify'
import { join, type Statement, statement } from '../../platform/database/database.ts'
import { hostOf } from '../../platform/http/address.ts'
import {
  type Access,
  isOfOrganization,
  type KeyScope,
  permissionOf,
  type SplitAccess,
  scopeOf,
} from '../permissions/access.ts'
import { heldByKey, holds } from '../permissions/held.ts'
import type { Permission } from '../permissions/permissions.ts'
import type { Role } from '../permissions/roles.ts'
import { earlier } from '../permissions/rules.ts'
import { isOpenToApplications } from '../permissions/scopes.ts'
import { ApiProblem } from '../problems.ts'
import type { OrganizationCaller } from './actors.ts'
import type { KnownToken } from './authentication.ts'
import { accessOf, credentialOf, type Found, type Inquiry, isInOrganization } from './caller.ts'
import { type CredentialKind, freshness } from './credential-kinds.ts'
import { isRequiredByTenant } from './second-factor.ts'
import { namedTenant } from './tenancy.ts'

export interface Rule {
  /** A condition on the rows that `findCaller` joins; null does not meet it. */
  readonly condition: Statement
  readonly problem: () => ApiProblem
}

/**
 * The rules of a route, in the order of their problems: tenant, credential, organization, suspension, scope, permission, second factor,
 * fresh proof.
 *
 * @returns rules with the problems tenant_mismatch, unauthenticated, cross_site, not_found, membership_suspended, insufficient_scope,
 *   forbidden, second_factor_required, confirmation_required
 */
export function rulesOf(request: FastifyRequest, access: Access = accessOf(request)): readonly Rule[] {
  const { withoutSecondFactor, proof } = request.routeOptions.config
  const isKey = isKeyIn(request)
  const isScoped = hasScopes(request)
  const rules = [...rulesOfTenant(request), ...rulesOfCredential(request)]
  if (isOfOrganization(access)) rules.push(...rulesOfOrganization(request, access))
  else if (isScoped) rules.push(ruleOfScope(request, scopeFor(request, access, false)))
  // A session has no scopes.
  else if (access === 'tenant_key')
    rules.push(rule(statement`false`, 'insufficient_scope', { scope: scopeFor(request, access, false) }))
  if (isKey && access === 'user') rules.push(rule(statement`c.owner_type = 'user'`, 'forbidden'))
  if (isKey && (access === 'tenant_admin' || access === 'tenant_key'))
    rules.push(rule(statement`c.owner_type = 'tenant'`, 'forbidden'))
  if (!isKey && access === 'tenant_admin') rules.push(rule(statement`u.role = 'admin'`, 'forbidden'))
  if (!withoutSecondFactor) rules.push(...rulesOfSecondFactor(request, access))
  if (proof === 'fresh' && !isKey)
    rules.push(rule(statement`c.is_fresh`, 'confirmation_required', { maxAge: freshness }))
  return rules
}

function isKeyIn(request: FastifyRequest): boolean {
  return credentialOf(request).kind.name === 'key'
}

/** Whether the credential opens only what asks for its scopes: all do but sessions. */
function hasScopes(request: FastifyRequest): boolean {
  return credentialOf(request).kind.name !== 'session'
}

/**
 * The rules of a credential that a request names in its body, apart from any route.
 *
 * @returns rules with the problems unauthenticated, not_found, membership_suspended, second_factor_required
 */
export function rulesOfNamed({ credential: { kind }, organization }: Inquiry): readonly Rule[] {
  return [mustLive(kind), ...(organization ? [mustBeThere, mustBeActive] : []), ...rulesOfFactors(kind)]
}

/** The rules of what tenant and organization require of each credential: two proven factors. @returns rules with second_factor_required */
export function rulesOfFactors(kind: CredentialKind): readonly Rule[] {
  return [mustHaveTwoForTenant(kind, statement`t.second_factor = 'required'`), mustHaveTwoForOrganization(kind)]
}

/** A key is answered like an unknown one when it has ended, is of a kind that the tenant does not offer, or its person is not active. */
function mustLive({ name }: CredentialKind): Rule {
  const condition = name === 'key' ? statement`c.owner_type <> 'user' or u.id is not null` : statement`u.id is not null`
  return rule(condition, 'unauthenticated')
}

function rulesOfCredential(request: FastifyRequest): Rule[] {
  const isKnown = mustLive(credentialOf(request).kind)
  if (!isKeyIn(request)) return [isKnown]
  // Somebody has put a secret of their organization into a page.
  const isByBrowser = request.headers.origin !== undefined || request.headers['sec-fetch-site'] !== undefined
  return isByBrowser ? [isKnown, rule(statement`c.owner_type = 'user'`, 'cross_site')] : [isKnown]
}

/** @param asked null: no key and no application has what is needed */
function ruleOfScope(request: FastifyRequest, asked: KeyScope | null): Rule {
  const scope = credentialOf(request).kind.name === 'application' ? scopeOfApplication(request, asked) : asked
  const condition =
    scope === 'any' ? statement`true` : scope === null ? statement`false` : statement`${scope} = any(c.scopes)`
  return rule(condition, 'insufficient_scope', { scope })
}

/** An access token of an application has one scope for all that it opens. */
function scopeOfApplication(request: FastifyRequest, asked: KeyScope | null): 'api' | null {
  return asked !== null && accessOf(request) !== 'tenant_admin' && isOpenToApplications(asked) ? 'api' : null
}

/** What a request asks of a key. @param isSelf whether it is about the caller’s own membership */
function scopeFor(request: FastifyRequest, access: Access, isSelf: boolean): KeyScope | null {
  const { config } = request.routeOptions
  // Where a request may name an organization, naming one opens nothing.
  const isOfPath = config.access !== undefined && isOfOrganization(config.access)
  const scope = scopeOf({ ...config, ...(isOfPath && { access }) })
  return typeof scope === 'object' && scope !== null ? permissionOf(scope, isSelf) : scope
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
): OrganizationCaller {
  const isKnown = found !== undefined && (found.userId !== null || isOfNobody(found))
  request.noteSender(isKnown ? senderOf(found) : undefined)
  const failed = rules[failing ?? rules.length]
  if (failed) throw failed.problem()
  if (!isKnown) throw new ApiProblem('unauthenticated')
  noteUse(request, credentialOf(request), found)
  return callerIn(request, credentialOf(request), found)
}

/** Whose requests are counted, and in which measure (domain/limits/request-rates.ts). */
function senderOf({ sessionId, keyId, ownerType, grantId }: Found) {
  if (sessionId !== null) return { policy: 'requests', id: grantId ?? sessionId } as const
  return { policy: ownerType === 'tenant' ? 'tenant-key' : 'key', id: keyId as string } as const // one of them is there
}

/** Whether it is the key of an organization or of the tenant, which has no user. */
function isOfNobody({ keyId, ownerType }: Found): boolean {
  return Boolean(keyId) && ownerType !== 'user'
}

/** Notes after the answer that a credential was used. */
export function noteUse(
  request: FastifyRequest,
  { tenant, hash }: KnownToken,
  { isStale, sessionId, userId, grantId, isMembershipStale, membershipId }: Found,
): void {
  const session = isStale && sessionId ? { sessionId, userId } : undefined
  const secret = isStale && !sessionId ? hash : undefined
  const grant = (isStale && grantId) || undefined
  const membership = (isMembershipStale && membershipId) || undefined
  if (!session && !secret && !membership) return
  const use = { tenant, session, secret, grant, membership }
  // A list in whole comes through the door for each of its pages.
  if (!request.uses?.some((known) => isDeepStrictEqual(known, use))) request.uses = [...(request.uses ?? []), use]
}

/**
 * Makes the caller. On routes of an organization the rules have checked its columns; the types of other doors do not show them.
 *
 * @param token the credential by which it was found
 */
export function callerIn(request: FastifyRequest, token: KnownToken, found: Found): OrganizationCaller {
  const { ownerType, keyId = null, keyOrganizationId: limitedTo = null, keyExpiresAt = null } = found
  const scopes = found.scopes ?? []
  const { grantId, applicationId, applicationName, tokenEnd } = found
  const common = {
    tenantId: token.tenant,
    ip: request.context.ip,
    device: found.device,
    requestId: request.id,
    organizationId: found.organizationId as string,
  }
  if (keyId !== null && ownerType && ownerType !== 'user') {
    const key = { type: 'key', id: keyId, keyId, owner: ownerType, membershipId: null } as const
    return { ...common, ...key, ...heldByKey(scopes, keyExpiresAt), scopes, secretHash: token.hash }
  }
  return {
    ...common,
    type: 'user',
    id: found.userId,
    userId: found.userId,
    sessionId: found.sessionId,
    keyId,
    application:
      grantId && applicationId
        ? { id: applicationId, name: applicationName ?? '', grantId, tokenEnd: tokenEnd ?? 0 }
        : null,
    limits:
      keyId === null ? null : { scopes, organizationId: limitedTo, expiresAt: keyExpiresAt, secretHash: token.hash },
    assurance: found.assurance,
    isFresh: found.isFresh,
    email: found.email,
    emailVerified: found.emailVerified,
    tenantRole: found.tenantRole,
    name: found.name,
    membershipId: found.membershipId as string,
    membershipExpiresAt: found.membershipExpiresAt,
    role: found.role as Role,
    expiresAt: earlier(found.membershipExpiresAt, keyExpiresAt),
    grants: found.grants ?? [],
    scopes: keyId === null ? undefined : scopes,
  }
}

const mustBeThere = rule(statement`m.organization_id is not null`, 'not_found')
const mustBeActive = rule(statement`m.status = 'active'`, 'membership_suspended')

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
  const isKey = isKeyIn(request)
  const isScoped = hasScopes(request)
  const byMembership = (condition: Statement) =>
    isKey ? statement`(c.owner_type <> 'user' or ${condition})` : condition
  const needs = (self: boolean) => byMembership(holds(tenant, permissionOf(access, self)))
  const whoseOwn = (own: Statement, others: Statement) =>
    typeof access === 'object' ? statement`case when ${isSelf} then ${own} else ${others} end` : others
  return [
    mustBeThere,
    request.routeOptions.config.whileSuspended
      ? { ...mustBeActive, condition: statement`${mustBeActive.condition} or ${isSelf}` }
      : mustBeActive,
    ...(isScoped ? rulesOfScope(request, access, isSelf) : []),
    rule(whoseOwn(needs(true), needs(false)), 'forbidden'),
  ]
}

/** On a route with split access the key needs the permission for their own membership, or that for those of others. */
function rulesOfScope(request: FastifyRequest, access: Permission | SplitAccess, isSelf: Statement): Rule[] {
  const [own, others] = [scopeFor(request, access, true), scopeFor(request, access, false)]
  if (own === others) return [ruleOfScope(request, others)]
  const { condition, problem } = ruleOfScope(request, own)
  const forOthers = ruleOfScope(request, others)
  return [
    { condition: statement`not ${isSelf} or ${condition}`, problem },
    { ...forOthers, condition: statement`${isSelf} or ${forOthers.condition}` },
  ]
}

/** Members may leave an organization that requires a second factor. */
function rulesOfSecondFactor(request: FastifyRequest, access: Access): Rule[] {
  const { kind } = credentialOf(request)
  const byTenant = access === 'tenant_admin' ? isRequiredByTenant : statement`t.second_factor = 'required'`
  const rules = [mustHaveTwoForTenant(kind, byTenant)]
  if (!isInOrganization(request)) return rules
  const { condition, problem } = mustHaveTwoForOrganization(kind)
  return [...rules, { condition: statement`${condition} or ${isOwnMembership(request, access)}`, problem }]
}

function mustHaveTwoForTenant(kind: CredentialKind, isRequired: Statement): Rule {
  return rule(statement`${hasTwoFactors(kind)} or not ${isRequired}`, 'second_factor_required', { by: 'tenant' })
}

function mustHaveTwoForOrganization(kind: CredentialKind): Rule {
  const condition = statement`${hasTwoFactors(kind)} or m.second_factor is distinct from 'required'`
  return rule(condition, 'second_factor_required', { by: 'organization' })
}

/** Of a person’s key counts the session that made it; no other key has factors. */
function hasTwoFactors({ name }: CredentialKind): Statement {
  return name === 'key' ? statement`c.owner_type <> 'user' or c.assurance = 2` : statement`c.assurance = 2`
}

/** Whether the membership in the path of a route with split access is the caller's own, as an expression. */
function isOwnMembership(request: FastifyRequest, access: Access): Statement {
  const { memberId } = request.params as { memberId?: string }
  if (typeof access !== 'object' || memberId === undefined) return statement`false`
  // A key that is no person’s has no membership.
  return memberId === 'me' ? statement`(m.id is not null)` : statement`(m.id is not distinct from ${memberId})`
}
