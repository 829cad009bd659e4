-- Idempotency keys: what came of a request that its sender may send again, kept for a day in the transaction of its change.

create table idempotency_keys (
  tenant_id uuid not null,
  user_id text collate "C" not null,
  digest bytea not null,
  fingerprint bytea not null,
  organization_id text collate "C" not null default '',
  result json not null default 'null',
  created_at timestamptz(3) not null default now(),
  primary key (tenant_id, user_id, digest),
  foreign key (tenant_id, user_id) references users (tenant_id, id) on delete cascade
    deferrable initially deferred -- the user is locked after the organization, as everywhere
);

create index idempotency_keys_by_time on idempotency_keys (tenant_id, created_at);

comment on column idempotency_keys.tenant_id is 'public';
comment on column idempotency_keys.user_id is 'personal: who sent the request';
comment on column idempotency_keys.digest is 'personal: SHA-256 of method, path and key';
comment on column idempotency_keys.fingerprint is 'secret: HMAC of the body';
comment on column idempotency_keys.organization_id is 'public: the one that the path named then, by its id or its slug';
comment on column idempotency_keys.result is 'personal: what was answered; null while the request runs';
comment on column idempotency_keys.created_at is 'public';

alter table idempotency_keys enable row level security;
alter table idempotency_keys force row level security;
create policy tenant on idempotency_keys
  using (tenant_id = nullif(current_setting('guildhall.tenant', true), '')::uuid);

-- Whom and what a result names, by their ids: it goes when they go.
create table idempotency_names (
  tenant_id uuid not null,
  name text collate "C" not null,
  user_id text collate "C" not null,
  digest bytea not null,
  primary key (tenant_id, name, user_id, digest),
  foreign key (tenant_id, user_id, digest) references idempotency_keys (tenant_id, user_id, digest) on delete cascade
);

create index idempotency_names_by_key on idempotency_names (tenant_id, user_id, digest);

comment on column idempotency_names.tenant_id is 'public';
comment on column idempotency_names.name is 'personal: an id that the result names';
comment on column idempotency_names.user_id is 'personal';
comment on column idempotency_names.digest is 'personal';

alter table idempotency_names enable row level security;
alter table idempotency_names force row level security;
create policy tenant on idempotency_names
  using (tenant_id = nullif(current_setting('guildhall.tenant', true), '')::uuid);
