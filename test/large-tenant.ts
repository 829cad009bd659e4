/** A large tenant: its rows, as statements that insert them. */
import { fillWords } from '../src/domain/search/writing.ts'
import type { World } from './world.ts'

/** The TypeID of the nth row; `n` is an expression. */
const id = (prefix: string, n: string) => `'${prefix}_' || lpad((${n})::text, 26, '0')`
/** The first organization, and one of the others. */
export const [acme, small] = ['org_00000000000000000000000001', 'org_00000000000000000000000077']

/**
 * Fills the tenant of a world: 40,000 users, of whom a seventh each have the words `anna` and `smith`, but nobody both; 10,000 organizations
 * and 120,000 memberships, two thousand of them in the first organization. Half of the log is of what Ann did in that organization.
 */
export async function fillTenant(
  { postgres: { query }, database, tenantId }: World,
  ann: { readonly id: string },
): Promise<void> {
  await query(`set session_replication_role = 'replica'`) // skips the check of foreign keys for each row
  for (const seed of seedsOf(tenantId, ann)) await query(seed)
  await query(`set session_replication_role = 'origin'`)
  await query('analyze')
  await fillWords(database, tenantId)
  await query('vacuum analyze')
}

function seedsOf(tenant: string, ann: { readonly id: string }): string[] {
  return [
    `insert into tenants (id, slug, name)
   select gen_random_uuid(), 'tenant-' || n, 'Tenant' from generate_series(1, 5000) n`,
    `insert into tenant_domains select slug || '.example.com', id from tenants`,
    `insert into users (tenant_id, id, email, email_verified, name, name_key, role, status, password_hash,
     created_at)
   select '${tenant}', ${id('user', 'n')}, substr(md5(n::text), 1, 8) || n || '@example.com', n % 20 <> 0,
     case when n % 7 > 0 then initcap(substr(md5('name' || n), 1, 6)) || case n % 7 when 1 then ' Anna' when 2 then ' Smith' else '' end end,
     case when n % 7 > 0 then substr(md5('name' || n), 1, 6) || case n % 7 when 1 then ' anna' when 2 then ' smith' else '' end end,
     case when n % 1000 = 0 then 'admin' else 'user' end, case when n % 100 = 3 then 'suspended' else 'active' end,
     case when n % 20 <> 0 then '' end, '2025-01-01'::timestamptz + make_interval(mins => n)
   from generate_series(1, 40000) n`,
    `insert into organizations (tenant_id, id, slug, name, name_key, owner_count, member_count, created_at)
   select '${tenant}', ${id('org', 'n')}, 'slug-' || n, key, key, 1, 30, '2025-01-01'::timestamptz + make_interval(mins => n)
   from generate_series(1, 10000) n, substr(md5('organization' || n), 1, 8) key`,
    `insert into memberships (tenant_id, id, organization_id, user_id, role, joined_at)
   select '${tenant}', ${id('mem', 'u * 4 + k')}, ${id('org', 'case when k = 3 then 1 else 2 + (u * 7 + k * 3331) % 9999 end')},
     ${id('user', 'u')}, case (u + k) % 30 when 0 then 'owner' when 1 then 'admin' else 'member' end,
     '2025-01-01'::timestamptz + make_interval(mins => u)
   from generate_series(1, 40000) u, generate_series(0, 3) k
   where k < 3 or u % 20 = 0`,
    `insert into invitations (tenant_id, id, organization_id, email, role, status, invited_by, created_at, expires_at)
   select '${tenant}', ${id('inv', 'n')}, ${id('org', '1 + n % 10000')}, 'invited-' || n || '@example.com', 'member',
     case n % 5 when 0 then 'pending' else 'accepted' end, ${id('user', 'n')}, now(), now() + interval '7 days'
   from generate_series(1, 20000) n`,
    `insert into api_keys (tenant_id, id, owner_type, user_id, organization_id, name, scopes, expires_at)
   select '${tenant}', ${id('key', '60000 + n')}, case n % 2 when 0 then 'organization' else 'user' end,
     case when n % 2 = 1 then ${id('user', 'n')} end, case when n % 2 = 0 then ${id('org', '1 + n % 10000')} end, 'Key', '{me:read}',
     now() + make_interval(days => n % 300)
   from generate_series(1, 20000) n`,
    `insert into sessions (tenant_id, id, user_id, token_hash, name, type, network, last_active_at, ended_at)
   select '${tenant}', ${id('dev', 'n')}, ${id('user', 'n')}, sha256(n::text::bytea), 'Chrome', 'desktop', '203.0.113.7',
     now() - make_interval(mins => n), case when n % 3 = 0 then now() end
   from generate_series(1, 20000) n`,
    `insert into applications (tenant_id, id, name, kind, redirect_uris, scopes)
   select t.id, ${id('app', 'n')}, 'Application ' || n, 'server', '{https://app.example.com/callback}', '{openid}'
   from tenants t, generate_series(1, 50) n where n <= 3 or t.id = '${tenant}'`,
    `insert into application_secrets (tenant_id, secret_hash, application_id)
   select tenant_id, sha256(id::bytea), id from applications`,
    `insert into grants (tenant_id, id, session_id, application_id, code_hash, scopes, ended_at)
   select '${tenant}', ${id('gra', 'n')}, ${id('dev', 'n')}, ${id('app', '1 + n % 50')}, sha256(n::text::bytea), '{openid}',
     case when n % 3 = 0 then now() end
   from generate_series(1, 20000) n`,
    `insert into mailed_tokens (tenant_id, user_id, purpose, email, expires_at)
   select '${tenant}', ${id('user', 'n')}, purpose, 'old-' || n || '@example.com', now() + interval '1 day'
   from generate_series(1, 20000) n, unnest(array['verify_email', 'undo_email_change', 'change_email']) purpose`,
    `insert into former_addresses (tenant_id, user_id, email)
   select '${tenant}', ${id('user', 'n')}, 'former-' || n || '@example.com' from generate_series(1, 20000) n`,
    `insert into known_devices (tenant_id, user_id, token_hash)
   select '${tenant}', ${id('user', 'n')}, sha256(n::text::bytea) from generate_series(1, 20000) n`,
    `insert into password_attempts (tenant_id, account, source)
   select '${tenant}', sha256(n::text::bytea), sha256(n::text::bytea) from generate_series(1, 20000) n`,
    `insert into providers (tenant_id, id, type, name, client_id)
   select t.id, ${id('idp', 'n')}, 'github', 'Provider ' || n, 'x' from tenants t, generate_series(1, 3) n`,
    `insert into providers (tenant_id, id, type, name, client_id)
   select '${tenant}', ${id('idp', 'n')}, 'github', 'Provider ' || n, 'x' from generate_series(4, 20) n`,
    `insert into signing_keys (tenant_id, id, public_key, private_key, sealed_under, signs_from)
   select t.id, 'key-' || n, '{}', '', '', now() - make_interval(days => n) from tenants t, generate_series(1, 3) n
   where t.id <> '${tenant}'`,
    `insert into identities (tenant_id, id, user_id, provider_id, issuer, subject)
   select '${tenant}', ${id('idn', 'n')}, ${id('user', 'n')}, ${id('idp', '1 + n % 20')}, 'https://github.com', n::text
   from generate_series(1, 20000) n`,
    `insert into factors (tenant_id, id, user_id, type, name, credential_id, public_key, sign_count, is_synced)
   select '${tenant}', ${id('fac', 'n')}, ${id('user', 'n')}, 'passkey', 'Passkey', sha256(n::text::bytea), '', 0, false
   from generate_series(1, 20000) n`,
    `insert into recovery_codes (tenant_id, user_id, code_hash)
   select '${tenant}', ${id('user', 'n')}, sha256(n::text::bytea) from generate_series(1, 20000) n`,
    `insert into attempts (tenant_id, id, token_hash, purpose, next, methods, user_id, expires_at, details)
   select '${tenant}', ${id('att', 'n')}, sha256(n::text::bytea), 'sign_in', 'second_factor', '{totp}', ${id('user', 'n')},
     now() + interval '10 minutes', ''
   from generate_series(1, 20000) n`,
    `insert into spent_challenges
   select '${tenant}', sha256(n::text::bytea), now() + interval '10 minutes' from generate_series(1, 20000) n`,
    `insert into audit_entries (tenant_id, id, occurred_at, action, actor_type, actor_subject, target_type, target_subject,
     organization_id)
   select '${tenant}', ${id('aud', 'n')}, '2025-01-01'::timestamptz + make_interval(mins => n),
     case when n % 1000 = 0 then 'user.suspended' when n % 3 = 0 then 'member.joined' else 'session.started' end,
     'user', ${id('sub', 'n')}, 'user', ${id('sub', 'n')}, case when n % 3 = 0 then ${id('org', '1 + n % 10000')} end
   from generate_series(1, 40000) n`,
    `insert into subjects (tenant_id, user_id, organization_id, id)
   select '${tenant}', ${id('user', 'n')}, '', ${id('sub', 'n')} from generate_series(1, 20000) n`,
    `insert into audit_entries (tenant_id, id, occurred_at, action, actor_type, actor_subject, target_type, target_id, organization_id)
   select '${tenant}', ${id('aud', '100000 + n')}, '2025-01-02'::timestamptz + make_interval(mins => n), 'organization.updated',
     'user', 'sub_ann', 'organization', '${acme}', '${acme}'
   from generate_series(1, 20000) n`,
    `insert into audit_entries (tenant_id, id, occurred_at, action, actor_type, actor_key_id, target_type, target_id, organization_id)
   select '${tenant}', ${id('aud', '200000 + n')}, '2025-01-02'::timestamptz + make_interval(mins => n), 'key.narrowed',
     'key', ${id('key', 'n * 2')}, 'key', ${id('key', 'n * 2')}, '${acme}'
   from generate_series(1, 10000) n`,
    `insert into subjects (tenant_id, user_id, organization_id, id) values ('${tenant}', '${ann.id}', '${acme}', 'sub_ann')`,
    `insert into audit_details (tenant_id, entry_id, user_id, subject, action, occurred_at)
   select '${tenant}', ${id('aud', '100000 + n')}, '${ann.id}', 'sub_ann', 'organization.updated',
     '2025-01-02'::timestamptz + make_interval(mins => n)
   from generate_series(1, 20000) n`,
    `insert into audit_details (tenant_id, entry_id, user_id, subject, action, occurred_at, details)
   select '${tenant}', ${id('aud', 'n')}, ${id('user', '1 + n % 20000')}, ${id('sub', 'n')},
     case when n % 1000 = 0 then 'user.suspended' when n % 3 = 0 then 'member.joined' else 'session.started' end,
     '2025-01-01'::timestamptz + make_interval(mins => n),
     case when n % 5 = 0 then jsonb_build_object('email', jsonb_build_object('to', n || '@example.com')) end
   from generate_series(1, 40000) n`,
    // Half a million events: a bad day.
    `insert into feed (tenant_id, sequence, entry_id, action, organization_id)
   select '${tenant}', n, ${id('aud', '1 + n % 40000')},
     case when n % 1000 = 0 then 'user.suspended' when n % 3 = 0 then 'member.joined' else 'session.started' end,
     case when n % 3 = 0 then ${id('org', '1 + n % 10000')} end
   from generate_series(1, 500000) n`,
    `insert into feeds (tenant_id, head) values ('${tenant}', 500000)
   on conflict (tenant_id) do update set head = 500000`,
    `insert into mails (tenant_id, id, kind, user_id, recipient, subject, text, html)
   select '${tenant}', ${id('mail', 'n')}, 'new_device', ${id('user', 'n')}, n || '@example.com', '', '', ''
   from generate_series(1, 20000) n`,
    `insert into idempotency_keys (tenant_id, user_id, digest, fingerprint)
   select '${tenant}', ${id('user', '1 + n % 1000')}, int4send(n), '' from generate_series(1, 20000) n`,
    `insert into idempotency_names (tenant_id, name, user_id, digest)
   select '${tenant}', ${id('user', 'n')}, ${id('user', '1 + n % 1000')}, int4send(n) from generate_series(1, 20000) n`,
    `insert into memberships (tenant_id, id, organization_id, user_id, role)
   select '${tenant}', ${id('mem', 'n')}, ${id('org', 'n')}, '${ann.id}', 'owner' from generate_series(1, 2) n`,
    `insert into feeds (tenant_id) select id from tenants on conflict do nothing`,
    `insert into feed (tenant_id, sequence, entry_id, action, organization_id)
   select tenant_id, (extract(epoch from occurred_at) * 1000000)::bigint + row_number() over (order by id), id, action, organization_id
   from audit_entries`,
    `insert into outbox (tenant_id, written_at, id, jobs)
   select id, now(), gen_random_uuid(), '[]' from tenants, generate_series(1, 4) where id <> '${tenant}'`,
    ...seedsOfAccess(tenant),
    ...seedsOfWebhooks(tenant),
  ]
}

/** Webhooks: 20 of the tenant, five of the first organization and one of each other; what the first two have sent for a month. */
function seedsOfWebhooks(tenant: string): string[] {
  const events = statusesOfDeliveries('n')
  return [
    `insert into webhooks (tenant_id, id, organization_id, name, url, url_set_by, place)
   select '${tenant}', ${id('whk', 'n')}, case when n > 20 then ${id('org', 'greatest(1, n - 24)')} end, 'Webhook', 'https://a.example.com/',
     ${id('user', 'n')}, 500000 - n % 7
   from generate_series(1, 10024) n`,
    `insert into webhook_secrets (tenant_id, webhook_id, id, secret, sealed_under)
   select tenant_id, id, gen_random_uuid()::text, '', '' from webhooks where tenant_id = '${tenant}'`,
    `insert into webhook_deliveries (tenant_id, webhook_id, sequence, entry_id, action, status, attempts, attempted_at, error, milliseconds,
     next_at)
   select '${tenant}', w.id, n, ${id('aud', '1 + n % 40000')}, 'member.joined', ${events}, 1, now(), 'timeout', 1,
     case when ${events} = 'retrying' then now() + make_interval(secs => n) end
   from generate_series(1, 100000) n, unnest(array[${id('whk', '1')}, ${id('whk', '21')}]) w (id)`,
    `update tenants set organization_webhooks = true where id = '${tenant}'`,
  ]
}

/** Of a thousand events one is tried again and three have failed. */
function statusesOfDeliveries(n: string): string {
  return `case when ${n} % 1000 = 0 then 'retrying' when ${n} % 1000 < 4 then 'failed' else 'delivered' end`
}

/** Permissions, roles and grants, links and exclusions, and external ids. A twentieth of the members have a grant, an end and a last activity. */
function seedsOfAccess(tenant: string): string[] {
  return [
    `insert into permissions (tenant_id, key, name, minimum_role)
   select t.id, 'noun-' || n || ':write', 'Write', 'admin' from tenants t, generate_series(1, 3) n`,
    `insert into roles (tenant_id, id, key, name, permissions)
   select t.id, ${id('rol', 'n')}, 'role-' || n, 'Role', '{noun-1:write}' from tenants t, generate_series(1, 3) n`,
    `insert into role_grants (tenant_id, membership_id, role_id, granted_by, expires_at)
   select '${tenant}', ${id('mem', 'n * 4')}, ${id('rol', '1 + n % 3')}, ${id('user', 'n')},
     case when n % 3 = 0 then now() + make_interval(days => n % 300) end
   from generate_series(1, 20000) n`,
    `update memberships set has_grants = true, last_active_at = joined_at, suspended_by = user_id, expiry_set_by = user_id,
     expires_at = case when role <> 'owner' then now() + interval '300 days' end
   where tenant_id = '${tenant}' and right(id, 5)::integer % 20 = 4`,
    `insert into links (tenant_id, id, organization_id, max_uses, created_by, expires_at)
   select '${tenant}', ${id('lnk', 'n')}, ${id('org', '1 + n % 10000')}, 25, ${id('user', 'n')}, now() + interval '7 days'
   from generate_series(1, 20000) n`,
    `insert into api_keys (tenant_id, id, owner_type, holder_id, name, scopes)
   select '${tenant}', ${id('key', '20000 + n')}, 'tenant', ${id('user', 'n')}, 'Back end', '{users:read}' from generate_series(1, 20) n`,
    `insert into api_key_secrets (tenant_id, token_hash, key_id, hint)
   select tenant_id, sha256(id::bytea), id, '1234' from api_keys where tenant_id = '${tenant}'`,
    `insert into exclusions (tenant_id, organization_id, user_id, excluded_by)
   select '${tenant}', ${id('org', '1 + n % 10000')}, ${id('user', 'n')}, ${id('user', '1 + n')} from generate_series(1, 20000) n`,
    `insert into external_users (tenant_id, external_id, user_id)
   select '${tenant}', 'person-' || n, ${id('user', 'n')} from generate_series(1, 20000) n`,
    `insert into external_organizations (tenant_id, external_id, organization_id)
   select '${tenant}', 'customer-' || n, ${id('org', 'n')} from generate_series(1, 10000) n`,
    `update users set last_active_at = created_at where tenant_id = '${tenant}'`,
  ]
}
