-- Keys that sign tokens, which services check by themselves.

alter table tenants add column token_seconds integer not null default 300;
alter table tenants add column token_audiences text[] not null default '{}';
comment on column tenants.token_seconds is 'public: how long a signed token lives at most';
comment on column tenants.token_audiences is 'public: for whom tokens may be signed, the default first; empty: for the tenant’s id';

create table signing_keys (
  tenant_id uuid not null references tenants (id),
  id text collate "C" not null,
  public_key jsonb not null,
  private_key text not null,
  sealed_under text not null,
  signs_from timestamptz(3) not null,
  created_at timestamptz(3) not null default now(),
  primary key (tenant_id, id),
  constraint signing_keys_signs_from_key unique (tenant_id, signs_from)
);
comment on column signing_keys.tenant_id is 'public';
comment on column signing_keys.id is 'public: the thumbprint of the public key (RFC 7638)';
comment on column signing_keys.public_key is 'public: as JWK';
comment on column signing_keys.private_key is 'secret: as PKCS #8, sealed';
comment on column signing_keys.sealed_under is 'public: names the secret that the private key is sealed under';
comment on column signing_keys.signs_from is 'public: until another key signs';
comment on column signing_keys.created_at is 'public';
alter table signing_keys enable row level security;
alter table signing_keys force row level security;
create policy tenant on signing_keys
  using (tenant_id = nullif(current_setting('guildhall.tenant', true), '')::uuid);
