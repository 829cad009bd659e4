-- Sessions: one for each device on which somebody is signed in. Only the SHA-256 of the token is kept.

create table sessions (
  tenant_id uuid not null,
  id text collate "C" not null,
  user_id text collate "C" not null,
  token_hash bytea not null,
  name text not null,
  browser text,
  os text,
  type text not null constraint sessions_type_check check (type in ('desktop', 'mobile', 'tablet', 'tv', 'bot', 'other')),
  ip text,
  created_at timestamptz(3) not null default now(),
  last_active_at timestamptz(3) not null default now(),
  ended_at timestamptz(3),
  primary key (tenant_id, id),
  constraint sessions_token_hash_key unique (tenant_id, token_hash),
  foreign key (tenant_id, user_id) references users (tenant_id, id) on delete cascade
);

create index sessions_live on sessions (tenant_id, user_id, last_active_at) where ended_at is null;
create index sessions_by_user on sessions (tenant_id, user_id);

comment on column sessions.tenant_id is 'public';
comment on column sessions.id is 'personal';
comment on column sessions.user_id is 'personal';
comment on column sessions.token_hash is 'secret';
comment on column sessions.name is 'personal';
comment on column sessions.browser is 'personal';
comment on column sessions.os is 'personal';
comment on column sessions.type is 'personal';
comment on column sessions.ip is 'personal';
comment on column sessions.created_at is 'personal';
comment on column sessions.last_active_at is 'personal';
comment on column sessions.ended_at is 'personal';

alter table sessions enable row level security;
alter table sessions force row level security;
create policy tenant on sessions
  using (tenant_id = nullif(current_setting('guildhall.tenant', true), '')::uuid);

-- Attempts at a password, by account and network, both only as HMACs under GUILDHALL_SECRET.
create table password_attempts (
  tenant_id uuid not null references tenants (id),
  account bytea not null,
  network bytea not null,
  failures integer not null default 1,
  next_at timestamptz(3) not null default now(),
  primary key (tenant_id, account, network)
);

comment on column password_attempts.tenant_id is 'public';
comment on column password_attempts.account is 'secret: HMAC of the address';
comment on column password_attempts.network is 'secret: HMAC of the network';
comment on column password_attempts.failures is 'public: failures in a row';
comment on column password_attempts.next_at is 'public: no attempt is looked at before';

alter table password_attempts enable row level security;
alter table password_attempts force row level security;
create policy tenant on password_attempts
  using (tenant_id = nullif(current_setting('guildhall.tenant', true), '')::uuid);
