/** The seed: a population as rows of the service, and the same as rows of better-auth. */
import { credentialIdSql, owners, publicKey } from './passkeys.ts'
import {
  applicationId,
  callback,
  challenges,
  entriesOfEach,
  firstGranted,
  grantsIn,
  idSql,
  keyOwners,
  membersOfGranted,
  membersOfLarge,
  otherIdSql,
  type Population,
  productRoles,
  sessionsOfEach,
  stride,
  verbs,
} from './population.ts'

const email = (n: string) => `(substr(md5((${n})::text), 1, 8) || ${n} || '@example.com')`
const name = (n: string) =>
  `(initcap(substr(md5('name' || ${n}), 1, 6)) || ' ' || initcap(substr(md5('family' || ${n}), 1, 8)))`
const made = (n: string) => `('2025-01-01'::timestamptz + make_interval(secs => 30.0 * (${n})))`
const array = (texts: readonly string[]) => `array['${texts.join("', '")}']`
const organizationName = (n: string) => `('Organization ' || substr(md5('organization' || (${n})), 1, 8))`

/** The checksum at the end of a key: the CRC-32 of all before. */
const checksumSql = (text: string) =>
  `translate(encode(decode(lpad(to_hex(crc32((${text})::bytea)), 8, '0'), 'hex'), 'base64'), '+/=', '-_')`

/** All memberships: user u, as their kth organization, the organization's number and the role. */
function memberships({ users, inSmall, large, small }: Population): string {
  return `
    select u, k, ${large} + 1 + (u + k * ${stride}) % ${small} as number,
      case when k = 0 and u <= ${small} then 'owner' when k = 1 and u <= ${small} then 'admin' else 'member' end as role
    from generate_series(1, ${users}) u, generate_series(0, 2) k
    where k < 2 or u <= ${inSmall}
    union all
    select u, 2, 1 + (u - ${inSmall} - 1) / ${membersOfLarge},
      case when (u - ${inSmall} - 1) % ${membersOfLarge} = 0 then 'owner'
        when (u - ${inSmall} - 1) % ${membersOfLarge} < 10 then 'admin' else 'member' end
    from generate_series(${inSmall} + 1, ${users}) u
    union all
    select ${inSmall} + x * ${membersOfLarge} + ${firstGranted} + j, 3, ${large + small + 1} + x, case j when 0 then 'owner' else 'member' end
    from generate_series(0, ${large - 1}) x, generate_series(0, ${membersOfGranted - 1}) j`
}

/** The number of all organizations. */
const organizations = ({ large, small }: Population) => large + small + large

/** The invitations; nobody is invited to an organization that they are in. */
function invitations({ users, large, small, invitations }: Population): string {
  return `
    select n, u, x, ${large} + 1 + x as number, case x when 0 then ${small} else x end as owner
    from generate_series(0, ${invitations - 1}) n,
      lateral (select 1 + n % ${users} as u) invitee, lateral (select (u + (5 + n / ${users}) * ${stride}) % ${small} as x) organization`
}

/**
 * @param tenant the uuid of the default tenant
 * @param suffix the tenant, as its tokens name it
 * @param hash   the hash of everybody's password
 */
export function seedOf(population: Population, tenant: string, suffix: string, hash: string): string[] {
  const { users } = population
  const entries = users * entriesOfEach
  return [
    `insert into users (tenant_id, id, email, email_verified, name, name_key, words, words_version, keys_version, role, password_hash,
       created_at, updated_at, last_active_at)
     select '${tenant}', ${idSql('user', 'n')}, ${email('n')}, true, ${name('n')}, lower(${name('n')}),
       ' ' || lower(${name('n')}) || replace(' ' || ${email('n')}, '@', ' ') || ' @example.com', 1, 1,
       case when n <= 8 then 'admin' else 'user' end, '${hash}', ${made('n')}, ${made('n')}, now()
     from generate_series(1, ${users}) n`,
    `insert into user_words
     select tenant_id, word, id, name_key, email, created_at
     from users, string_to_table(ltrim(words), ' ') word
     where word <> '@example.com'`,
    `insert into organizations (tenant_id, id, slug, name, name_key, words, words_version, keys_version, owner_count, member_count,
       created_at, updated_at)
     select '${tenant}', ${idSql('org', 'n')}, 'organization-' || n, ${organizationName('n')}, lower(${organizationName('n')}),
       ' ' || lower(${organizationName('n')}) || ' ' || n, 1, 1,
       counted.owners, counted.members, ${made('n')}, ${made('n')}
     from generate_series(1, ${organizations(population)}) n
     join (select number, count(*) filter (where role = 'owner') as owners, count(*) as members
       from (${memberships(population)}) m group by number) counted on counted.number = n
     order by n`,
    `insert into organization_words
     select tenant_id, word, id, name_key, created_at
     from organizations, string_to_table(ltrim(words), ' ') word
     on conflict do nothing`,
    `insert into memberships (tenant_id, id, organization_id, user_id, role, joined_at, has_grants)
     select '${tenant}', ${idSql('mem', 'u * 4 + k')}, ${idSql('org', 'number')}, ${idSql('user', 'u')}, role, ${made('u')}, k = 3
     from (${memberships(population)}) m
     order by u, k`,
    `insert into permissions (tenant_id, key, name, minimum_role)
     select '${tenant}', noun || ':' || verb, initcap(verb) || ' ' || noun, 'admin'
     from unnest(${array(productRoles)}) noun, unnest(${array(verbs)}) verb`,
    `insert into roles (tenant_id, id, key, name, permissions)
     select '${tenant}', ${idSql('rol', 'n')}, noun, initcap(noun), array(select noun || ':' || verb from unnest(${array(verbs)}) verb)
     from unnest(${array(productRoles)}) with ordinality as r (noun, n)`,
    `insert into role_grants (tenant_id, membership_id, role_id, granted_by, granted_at)
     select '${tenant}', ${idSql('mem', 'u * 4 + k')}, ${idSql('rol', 'n')}, ${idSql('user', 'owner')}, ${made('u')}
     from (select *, first_value(u) over (partition by number order by u) as owner from (${memberships(population)}) m where k = 3) m,
       generate_series(1, ${productRoles.length}) n
     order by u, n`,
    `insert into invitations (tenant_id, id, organization_id, email, words, role, invited_by, created_at, expires_at)
     select '${tenant}', ${idSql('inv', 'n + 1')}, ${idSql('org', 'number')}, ${email('u')},
       replace(' ' || ${email('u')}, '@', ' ') || ' @example.com', 'member', ${idSql('user', 'owner')},
       now(), now() + interval '60 days'
     from (${invitations(population)}) i
     order by n`,
    `insert into invitation_words (tenant_id, organization_id, word, invitation_id, created_at)
     select tenant_id, organization_id, word, id, created_at
     from invitations, string_to_table(ltrim(words), ' ') word
     where word <> '@example.com'`,
    `insert into sessions (tenant_id, id, user_id, token_hash, name, browser, os, type, ip, network, created_at, last_active_at)
     select '${tenant}', ${idSql('dev', 'n')}, ${idSql('user', `1 + (n - 1) % ${users}`)},
       sha256(('ghs_${suffix}.' || lpad(n::text, 43, '0'))::bytea), 'Chrome on macOS', 'Chrome', 'macOS', 'desktop', '203.0.113.7',
       '203.0.113.7', now(), now()
     from generate_series(1, ${users * sessionsOfEach}) n`,
    `update tenants set personal_keys = true where id = '${tenant}'`,
    `insert into api_keys (tenant_id, id, owner_type, user_id, name, scopes, expires_at)
     select '${tenant}', ${idSql('key', 'n')}, 'user', ${idSql('user', 'n')}, 'Key', '{me:read}', now() + interval '366 days'
     from generate_series(1, ${keyOwners}) n`,
    `insert into api_keys (tenant_id, id, owner_type, name, scopes, holder_id)
     select '${tenant}', ${idSql('key', '0')}, 'tenant', 'Back end', '{credentials:verify,users:write}', ${idSql('user', '1')}`,
    `insert into api_key_secrets (tenant_id, token_hash, key_id, hint)
     select '${tenant}', sha256(token::bytea), ${idSql('key', 'n')}, right(token, 4)
     from generate_series(0, ${keyOwners}) n,
       lateral (select 'ghk_${suffix}.' || lpad(n::text, 43, '0') as start) start,
       lateral (select start || ${checksumSql('start')} as token) token`,
    `insert into applications (tenant_id, id, name, kind, redirect_uris, scopes)
     values ('${tenant}', '${applicationId}', 'Product', 'browser', '{${callback}}', '{openid,profile,email,offline_access,api}')`,
    `insert into grants (tenant_id, id, session_id, application_id, code_hash, scopes)
     select '${tenant}', ${idSql('gra', 'n')}, ${idSql('dev', 'n')}, '${applicationId}', sha256(('code ' || n)::bytea),
       '{openid,profile,email,offline_access,api}'
     from generate_series(1, ${grantsIn(population)}) n`,
    `insert into subjects (tenant_id, user_id, organization_id, id)
     select '${tenant}', ${idSql('user', 'u')}, '', ${idSql('sub', 'u * 4 + 3')} from generate_series(1, ${users}) u`,
    `insert into subjects (tenant_id, user_id, organization_id, id)
     select '${tenant}', ${idSql('user', 'u')}, ${idSql('org', 'number')}, ${idSql('sub', 'u * 4 + k')}
     from (${memberships(population)}) m
     where k < 3 -- the tenant's has this number
     order by u, k`,
    `create unlogged table entries as
     select j * ${users} + u as n, u, j,
       now() - interval '300 days' + make_interval(secs => (300 * 86400.0 / ${entries}) * (j * ${users} + u)) as occurred_at,
       case when j < 4 then 'session.started' when j < 7 then 'member.joined' when j = 7 then 'profile.updated'
         when j = 8 then 'organization.updated' else 'user.signed_up' end as action,
       case when j in (4, 8) then 0 when j in (5, 6) then j - 4 end as k, m.number
     from generate_series(0, ${entriesOfEach - 1}) j
     cross join generate_series(1, ${users}) u
     left join (${memberships(population)}) m using (u)
     where m.k = case when j in (4, 8) then 0 when j in (5, 6) then j - 4 else 0 end`,
    `insert into audit_entries (tenant_id, id, occurred_at, action, actor_type, actor_subject, target_type, target_subject, target_id,
       organization_id, request_id)
     select '${tenant}', ${idSql('aud', 'n')}, occurred_at, action, 'user', ${idSql('sub', 'u * 4 + coalesce(k, 3)')},
       case j when 8 then 'organization' else 'user' end, case when j <> 8 then ${idSql('sub', 'u * 4 + coalesce(k, 3)')} end,
       case when j = 8 then ${idSql('org', 'number')} end, case when k is not null then ${idSql('org', 'number')} end,
       'req_' || lpad(n::text, 26, '0')
     from entries order by n`,
    `insert into audit_details (tenant_id, entry_id, user_id, subject, action, occurred_at, name, ip, device, details)
     select '${tenant}', ${idSql('aud', 'n')}, ${idSql('user', 'u')}, ${idSql('sub', 'u * 4 + coalesce(k, 3)')}, action, occurred_at,
       ${name('u')}, '203.0.113.7', 'Chrome on macOS',
       case when j < 4 then jsonb_build_object('deviceId', ${idSql('dev', 'u')})
         when j < 7 then jsonb_build_object('role', 'member')
         when j < 9 then jsonb_build_object('name', jsonb_build_object('from', ${name('u + 1')}, 'to', ${name('u')})) end
     from entries order by n`,
    `drop table entries`,
    `insert into factors (tenant_id, id, user_id, type, name, credential_id, public_key, sign_count, transports, is_synced, can_sign_in, rp_id)
     select '${tenant}', ${idSql('fac', 'n')}, ${idSql('user', 'n')}, 'passkey', 'Passkey', ${credentialIdSql('n')},
       decode('${publicKey.toString('hex')}', 'hex'), 0, '{internal}', false, true, 'localhost'
     from generate_series(${owners.join(', ')}) n`,
    `insert into known_devices (tenant_id, user_id, token_hash)
     select '${tenant}', ${idSql('user', 'n')}, sha256(lpad(n::text, 43, '0')::bytea) from generate_series(${owners.join(', ')}) n`,
  ]
}

/** @param hash the hash of everybody's password, in better-auth's form */
export function otherSeedOf(population: Population, hash: string): string[] {
  const { users } = population
  const user = (n: string) => otherIdSql('user', n)
  return [
    `insert into "user" (id, name, email, "emailVerified", "createdAt", "updatedAt", role, banned)
     select ${user('n')}, ${name('n')}, ${email('n')}, true, ${made('n')}, ${made('n')}, case when n <= 8 then 'admin' else 'user' end, false
     from generate_series(1, ${users}) n`,
    `insert into account (id, "accountId", "providerId", "userId", password, "createdAt", "updatedAt")
     select ${otherIdSql('account', 'n')}, ${user('n')}, 'credential', ${user('n')}, '${hash}', ${made('n')}, ${made('n')}
     from generate_series(1, ${users}) n`,
    `insert into session (id, token, "userId", "expiresAt", "createdAt", "updatedAt", "ipAddress", "userAgent")
     select ${otherIdSql('session', 'n')}, ${otherIdSql('', 'n')}, ${user(`1 + (n - 1) % ${users}`)}, now() + interval '7 days', now(), now(),
       '203.0.113.7', 'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/537.36 Chrome/140.0.0.0 Safari/537.36'
     from generate_series(1, ${users * sessionsOfEach}) n`,
    `insert into organization (id, name, slug, "createdAt")
     select ${otherIdSql('org', 'n')}, ${organizationName('n')}, 'organization-' || n, ${made('n')}
     from generate_series(1, ${organizations(population)}) n`,
    `insert into member (id, "organizationId", "userId", role, "createdAt")
     select ${otherIdSql('mem', 'u * 4 + k')}, ${otherIdSql('org', 'number')}, ${user('u')}, role, ${made('u')}
     from (${memberships(population)}) m
     order by u, k`,
    `insert into invitation (id, "organizationId", email, role, status, "expiresAt", "createdAt", "inviterId")
     select ${otherIdSql('inv', 'n + 1')}, ${otherIdSql('org', 'number')}, ${email('u')}, 'member', 'pending', now() + interval '60 days',
       now(), ${user('owner')}
     from (${invitations(population)}) i
     order by n`,
    `insert into passkey (id, name, "publicKey", "userId", "credentialID", counter, "deviceType", "backedUp", transports, "createdAt")
     select ${otherIdSql('passkey', 'n')}, 'Passkey', '${publicKey.toString('base64')}', ${user('n')},
       translate(encode(${credentialIdSql('n')}, 'base64'), '+/=', '-_'), 0, 'singleDevice', false, 'internal', now()
     from generate_series(${owners.join(', ')}) n`,
    `insert into verification (id, identifier, value, "expiresAt", "createdAt", "updatedAt")
     select ${otherIdSql('verify', 'n')}, ${otherIdSql('challenge', 'n')},
       json_build_object('type', 'authentication', 'expectedChallenge', ${otherIdSql('challenge', 'n')}, 'userData', json_build_object('id', ''))::text,
       now() + interval '60 days', now(), now()
     from generate_series(1, ${challenges}) n`,
  ]
}

/**
 * Sets the sessions and memberships of these users to their state just after a sign-in: in use, and not due to be noted as used, however
 * long the operation takes. So are all keys and grants.
 */
export function freshen(tenant: string, from: number, to: number): string {
  const ofThem = `tenant_id = '${tenant}' and user_id between ${idSql('user', String(from))} and ${idSql('user', String(to))}`
  const later = `now() + interval '1 hour'`
  return `
    with keys as (update api_key_secrets set last_used_at = ${later} where tenant_id = '${tenant}'),
    used as (update grants set last_used_at = ${later} where tenant_id = '${tenant}'),
    members as (update memberships set last_active_at = ${later} where ${ofThem})
    update sessions set created_at = now(), last_active_at = ${later}
    where ${ofThem}`
}

/** The same at better-auth, which lists sessions only for users who signed in within a day. */
export function freshenOther(from: number, to: number): string {
  return `
    update session set "createdAt" = now(), "updatedAt" = now(), "expiresAt" = now() + interval '7 days'
    where "userId" between ${otherIdSql('user', String(from))} and ${otherIdSql('user', String(to))}`
}
