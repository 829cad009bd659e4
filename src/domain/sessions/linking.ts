/** Linking: adds the identity of a provider to an account that was just proven, and takes it away again. */
import type { Sql } from '../../platform/database/database.ts'
import type { RequestContext } from '../../platform/http/context.ts'
import type { Actor } from '../access/actors.ts'
import {
  dropIdentity,
  findIdentity,
  type Identity,
  type IdentityRow,
  insertIdentity,
  selectIdentities,
  toIdentity,
} from '../credentials/identities.ts'
import { tellOfChange } from '../mail/sign-in.ts'
import { ApiProblem, found } from '../problems.ts'
import { record } from '../record/record.ts'
import { endIdentityAttempts, type IdentityToLink } from './attempts.ts'
import type { Person } from './policy.ts'
import { actorOf, endSessionsOfIdentities } from './sessions.ts'
import { keepWayIn } from './ways-in.ts'

/**
 * Links an identity to a verified account, records it and mails the owner. An identity that the account has already, as from another tab,
 * stays as it is. The person's row must be locked.
 *
 * @returns the id of the identity
 * @throws Problem identity_taken, limit_reached, email_not_verified
 */
export async function linkIdentity(
  sql: Sql,
  context: RequestContext,
  { id: userId, name, email, emailVerified }: Pick<Person, 'id' | 'name' | 'email' | 'emailVerified'>,
  link: IdentityToLink,
): Promise<string> {
  const present = await findIdentity(sql, link)
  if (present?.userId === userId) return present.id
  if (present) throw new ApiProblem('identity_taken')
  if (!emailVerified) throw new ApiProblem('email_not_verified') // an unverified account has only what it was made with
  const id = await insertIdentity(sql, userId, link)
  const actor = actorOf(context, userId, name)
  await record(sql, actor, 'identity.linked', { target: actor, details: { provider: link.provider.name } })
  await tellOfChange(sql, context, { id: userId, email, emailVerified }, 'identity_linked', actor)
  return id
}

/** @throws Problem not_found */
export async function getIdentity(sql: Sql, userId: string, id: string): Promise<Identity> {
  const identities = await sql<IdentityRow>`${selectIdentities(sql.tenant, userId)}`
  const identity = identities.find((each) => each.id === id)
  return toIdentity(found(identity))
}

/**
 * Unlinks an identity, ends what rests on it, records it and mails the owner. The person's row must be locked.
 *
 * @param actor the owner, or a tenant admin
 * @throws Problem not_found, last_way_in
 */
export async function unlinkIdentity(
  sql: Sql,
  context: Pick<RequestContext, 'keyring'>,
  actor: Actor,
  person: Person,
  identityId: string,
): Promise<Identity> {
  const { id: userId, name } = person
  const identity = await getIdentity(sql, userId, identityId)
  // Who deletes the provider locks it first, and then what rests on it.
  await sql`select from providers where tenant_id = ${sql.tenant} and id = ${identity.provider.id} for key share`
  await dropIdentity(sql, userId, identity.id)
  await keepWayIn(sql, person)
  const endedSessions = await endSessionsOfIdentities(sql, [identity.id])
  await endIdentityAttempts(sql, userId, identity.provider.id)
  await tellOfChange(sql, context, person, 'identity_unlinked', actor)
  await record(sql, actor, 'identity.unlinked', {
    target: { type: 'user', userId, name },
    details: { provider: identity.provider.name, endedSessions },
  })
  return identity
}
