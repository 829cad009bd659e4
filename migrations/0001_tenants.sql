-- Tenants: isolated populations of users and organizations.
-- `tenants` and `tenant_domains` are the small global tables: every request may read them, so they hold nothing personal.

create table tenants (
  id uuid primary key,
  slug text collate "C" not null constraint tenants_slug_key unique,
  name text not null,
  logo_url text,
  color text,
  sign_up text not null default 'open' constraint tenants_sign_up_check check (sign_up in ('open', 'invited_only', 'closed')),
  allowed_email_domains text[] not null default '{}',
  password_minimum integer not null default 8 constraint tenants_password_minimum_check check (password_minimum between 8 and 64),
  session_idle_seconds integer not null default 1209600 constraint tenants_session_idle_check check (session_idle_seconds > 0),
  session_absolute_seconds integer not null default 2592000 constraint tenants_session_absolute_check check (session_absolute_seconds > 0),
  mail_from text,
  base_url text,
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3) not null default now()
);

comment on column tenants.id is 'public';
comment on column tenants.slug is 'public';
comment on column tenants.name is 'public';
comment on column tenants.logo_url is 'public';
comment on column tenants.color is 'public';
comment on column tenants.sign_up is 'public';
comment on column tenants.allowed_email_domains is 'public';
comment on column tenants.password_minimum is 'public';
comment on column tenants.session_idle_seconds is 'public';
comment on column tenants.session_absolute_seconds is 'public';
comment on column tenants.mail_from is 'public';
comment on column tenants.base_url is 'public';
comment on column tenants.created_at is 'public';
comment on column tenants.updated_at is 'public';

-- Host names that select a tenant; the primary key keeps each unique over all tenants.
create table tenant_domains (
  domain text collate "C" primary key,
  tenant_id uuid not null references tenants (id) on delete cascade
);

create index tenant_domains_tenant on tenant_domains (tenant_id);

comment on column tenant_domains.domain is 'public';
comment on column tenant_domains.tenant_id is 'public';

-- The one-time link that makes a tenant's first admin. Only its hash is kept.
create table set_up_links (
  tenant_id uuid primary key references tenants (id) on delete cascade,
  token_hash bytea not null,
  expires_at timestamptz(3) not null
);

comment on column set_up_links.tenant_id is 'public';
comment on column set_up_links.token_hash is 'secret';
comment on column set_up_links.expires_at is 'public';

alter table set_up_links enable row level security;
alter table set_up_links force row level security;
create policy tenant on set_up_links
  using (tenant_id = nullif(current_setting('guildhall.tenant', true), '')::uuid);
