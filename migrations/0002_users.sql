-- Users: the people of a tenant, each with one email address that is stored in normalised form alone.

create table users (
  tenant_id uuid not null references tenants (id),
  id text collate "C" not null,
  email text collate "C" not null,
  email_verified boolean not null default false,
  pending_email text collate "C",
  name text,
  name_key text collate "C",
  avatar_url text,
  locale text,
  time_zone text,
  metadata jsonb not null default '{}',
  app_metadata jsonb not null default '{}',
  role text not null default 'user' constraint users_role_check check (role in ('admin', 'user')),
  status text not null default 'active' constraint users_status_check check (status in ('active', 'suspended')),
  password_hash text,
  version integer not null default 1,
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3) not null default now(),
  last_active_at timestamptz(3),
  primary key (tenant_id, id),
  constraint users_email_key unique (tenant_id, email)
);

create index users_by_created_at on users (tenant_id, created_at, id);
create index users_by_name on users (tenant_id, name_key, id);
create index users_admins on users (tenant_id, id) where role = 'admin';

comment on column users.tenant_id is 'public';
comment on column users.id is 'personal';
comment on column users.email is 'personal';
comment on column users.email_verified is 'public';
comment on column users.pending_email is 'personal';
comment on column users.name is 'personal';
comment on column users.name_key is 'personal: the name in lower case, for search and order';
comment on column users.avatar_url is 'personal';
comment on column users.locale is 'personal';
comment on column users.time_zone is 'personal';
comment on column users.metadata is 'personal';
comment on column users.app_metadata is 'personal';
comment on column users.role is 'public';
comment on column users.status is 'public';
comment on column users.password_hash is 'secret';
comment on column users.version is 'public: counts changes of the editable fields';
comment on column users.created_at is 'public';
comment on column users.updated_at is 'public';
comment on column users.last_active_at is 'personal';

alter table users enable row level security;
alter table users force row level security;
create policy tenant on users
  using (tenant_id = nullif(current_setting('guildhall.tenant', true), '')::uuid);

-- Mailed tokens: one row for each kind a user has outstanding. The token itself is derived (src/access/tokens.ts); a higher
-- generation spends every older token of its kind.
create table mailed_tokens (
  tenant_id uuid not null,
  user_id text collate "C" not null,
  purpose text not null constraint mailed_tokens_purpose_check check (purpose in ('verify_email')),
  generation integer not null default 1,
  email text collate "C" not null,
  expires_at timestamptz(3) not null,
  spent_at timestamptz(3),
  primary key (tenant_id, user_id, purpose),
  foreign key (tenant_id, user_id) references users (tenant_id, id) on delete cascade
);

comment on column mailed_tokens.tenant_id is 'public';
comment on column mailed_tokens.user_id is 'personal';
comment on column mailed_tokens.purpose is 'public';
comment on column mailed_tokens.generation is 'public';
comment on column mailed_tokens.email is 'personal: the address that the token proves';
comment on column mailed_tokens.expires_at is 'public';
comment on column mailed_tokens.spent_at is 'public';

alter table mailed_tokens enable row level security;
alter table mailed_tokens force row level security;
create policy tenant on mailed_tokens
  using (tenant_id = nullif(current_setting('guildhall.tenant', true), '')::uuid);
