/**
 * Only way in: how many people could not sign in any more if everybody lost one of the ways.
 *
 * Invariant: a count costs a large tenant no more than one of 10,000 people. Above that there is none.
 */
import { Type } from 'typebox'
import { type Statement, statement } from '../../platform/database/database.ts'
import { Nullable } from '../../platform/http/schemas.ts'

export const OnlyWayInCount = (description: string) =>
  Nullable(Type.Integer({ minimum: 0, maximum: 10_000, format: 'int32', description }))

/**
 * Counts people without a password, a passkey that signs in, or an identity of an enabled provider. They are looked up by their keys, as
 * arrays: a join might read all users of the tenant. The limit is no parameter, because PostgreSQL takes an unknown limit for a low one,
 * and plans to read the table from its beginning.
 *
 * @param people selects `user_id`
 * @param except a provider that is no other way
 */
export function countWithoutOther(tenant: string, people: Statement, except: string | null = null): Statement {
  return statement`(
    with people as materialized (${people} limit 10001),
      bare as materialized (
        select id from users
        where tenant_id = ${tenant} and id = any(array(select user_id from people)) and password_hash is null)
    select case when (select count(*) from people) <= 10000 then (
      select count(*)::integer
      from (
        select id from bare
        except
        select user_id from factors
        where tenant_id = ${tenant} and user_id = any(array(select id from bare)) and can_sign_in
        except
        select i.user_id
        from (
          select user_id, provider_id from identities
          where tenant_id = ${tenant} and user_id = any(array(select id from bare))
          offset 0) i
        join providers p on p.tenant_id = ${tenant} and p.id = i.provider_id
        where p.is_enabled and p.id is distinct from ${except}) only_there) end)`
}
