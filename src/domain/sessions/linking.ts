/** Linking: adds the identity of a provider to an account that was just proven. */
import type { Sql } from '../../platform/database/database.ts'
import type { RequestContext } from '../../platform/http/context.ts'
import { insertIdentity } from '../credentials/identities.ts'
import { tellOfChange } from '../mail/sign-in.ts'
import { ApiProblem } from '../problems.ts'
import { record } from '../record/record.ts'
import type { IdentityToLink } from './attempts.ts'
import type { Person } from './policy.ts'
import { actorOf } from './sessions.ts'

/**
 * Links an identity to a verified account, records it and mails the owner. The person's row must be locked.
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
  if (!emailVerified) throw new ApiProblem('email_not_verified') // an unverified account has only what it was made with
  const id = await insertIdentity(sql, userId, link)
  const actor = actorOf(context, userId, name)
  await record(sql, actor, 'identity.linked', { target: actor, details: { provider: link.provider.name } })
  await tellOfChange(sql, context, { id: userId, email, emailVerified }, 'identity_linked')
  return id
}
