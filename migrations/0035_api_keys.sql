-- Keys, with which programs send requests: of people, of organizations, and of the tenant.

alter table tenants add column personal_keys boolean not null default false;
alter table tenants add column organization_keys boolean not null default false;
alter table tenants add column key_grace_seconds integer not null default 604800;
comment on column tenants.personal_keys is 'public: whether people may have keys';
comment on column tenants.organization_keys is 'public: whether organizations may have keys';
comment on column tenants.key_grace_seconds is 'public: how long a key lives on after its holder has lost the right to it';

create table api_keys (
  tenant_id uuid not null references tenants (id),
  id text collate "C" not null,
  owner_type text not null
    constraint api_keys_owner_type_check check (owner_type in ('user', 'organization', 'tenant')),
  user_id text collate "C",
  organization_id text collate "C",
  name text not null,
  scopes text[] not null,
  assurance integer not null default 1,
  holder_id text collate "C",
  holder_left_at timestamptz(3),
  chosen_end timestamptz(3),
  expires_at timestamptz(3),
  ended_at timestamptz(3),
  ended_because text
    constraint api_keys_ended_because_check
    check (ended_because in ('revoked', 'expired', 'holder_left', 'reset', 'suspended', 'left', 'removed')),
  ending_told boolean not null default false,
  version integer not null default 1,
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3) not null default now(),
  primary key (tenant_id, id),
  constraint api_keys_owner_check check (
    (owner_type = 'user') = (user_id is not null) and (owner_type <> 'organization' or organization_id is not null)
    and (owner_type <> 'tenant' or organization_id is null)),
  foreign key (tenant_id, user_id) references users (tenant_id, id) on delete cascade,
  foreign key (tenant_id, organization_id) references organizations (tenant_id, id) on delete cascade
);
create index api_keys_by_user on api_keys (tenant_id, user_id, created_at, id) where user_id is not null;
create index api_keys_by_organization on api_keys (tenant_id, organization_id, created_at, id) where organization_id is not null;
create index api_keys_of_tenant on api_keys (tenant_id, created_at, id) where owner_type = 'tenant';
create index api_keys_by_holder on api_keys (tenant_id, holder_id) where holder_id is not null;
create index api_keys_by_expiry on api_keys (tenant_id, expires_at) where ended_at is null and expires_at is not null;
create index api_keys_by_end on api_keys (tenant_id, ended_at) where ended_at is not null;
comment on column api_keys.tenant_id is 'public';
comment on column api_keys.id is 'public';
comment on column api_keys.owner_type is 'public: whose key it is';
comment on column api_keys.user_id is 'personal: the owner, if it is a person';
comment on column api_keys.organization_id is 'public: the owner, or the one organization that a person’s key is limited to';
comment on column api_keys.name is 'personal';
comment on column api_keys.scopes is 'public: the permissions that it has';
comment on column api_keys.assurance is 'public: that of the session that made or last rotated it';
comment on column api_keys.holder_id is 'personal: who has seen the secret, for keys of organizations and of the tenant';
comment on column api_keys.holder_left_at is 'public: when the holder lost the right to it';
comment on column api_keys.chosen_end is 'public: the end that was chosen, for the time after the holder left';
comment on column api_keys.expires_at is 'public: null: no end';
comment on column api_keys.ended_at is 'public';
comment on column api_keys.ended_because is 'public: what ended it';
comment on column api_keys.ending_told is 'public: whether the mail before the end went out';
comment on column api_keys.version is 'public';
comment on column api_keys.created_at is 'public';
comment on column api_keys.updated_at is 'public';
alter table api_keys enable row level security;
alter table api_keys force row level security;
create policy tenant on api_keys
  using (tenant_id = nullif(current_setting('guildhall.tenant', true), '')::uuid);

create table api_key_secrets (
  tenant_id uuid not null,
  token_hash bytea not null,
  key_id text collate "C" not null,
  hint text not null,
  created_at timestamptz(3) not null default now(),
  expires_at timestamptz(3),
  last_used_at timestamptz(3),
  primary key (tenant_id, token_hash),
  foreign key (tenant_id, key_id) references api_keys (tenant_id, id) on delete cascade
);
create index api_key_secrets_by_key on api_key_secrets (tenant_id, key_id, created_at);
comment on column api_key_secrets.tenant_id is 'public';
comment on column api_key_secrets.token_hash is 'secret: SHA-256 of the secret';
comment on column api_key_secrets.key_id is 'public';
comment on column api_key_secrets.hint is 'public: its last four characters';
comment on column api_key_secrets.created_at is 'public';
comment on column api_key_secrets.expires_at is 'public: when it ends after a rotation; null: with the key';
comment on column api_key_secrets.last_used_at is 'personal';
alter table api_key_secrets enable row level security;
alter table api_key_secrets force row level security;
create policy tenant on api_key_secrets
  using (tenant_id = nullif(current_setting('guildhall.tenant', true), '')::uuid);

-- What a key does. The key of an organization or of the tenant is the actor of an entry; that of a person is told with the person.
alter table audit_entries add column actor_key_id text collate "C";
comment on column audit_entries.actor_key_id is 'public: the key that acted, of an organization or of the tenant';
alter table audit_details add column via text collate "C";
comment on column audit_details.via is 'personal: the key by which the person acted';
alter table audit_entries drop constraint audit_entries_actor_type_check;
alter table audit_entries add constraint audit_entries_actor_type_check
  check (actor_type in ('user', 'operator', 'system', 'anonymous', 'key')) not valid;
alter table audit_entries drop constraint audit_entries_target_type_check;
alter table audit_entries add constraint audit_entries_target_type_check
  check (target_type in ('user', 'organization', 'invitation', 'link', 'key', 'provider', 'tenant')) not valid;
comment on column audit_entries.target_id is 'public: an organization, invitation, link, key, provider or tenant, never a person';

-- Answers are kept for keys, too, under their ids. Erasure deletes those of a person.
alter table idempotency_keys drop constraint idempotency_keys_tenant_id_user_id_fkey;
comment on column idempotency_keys.user_id is 'personal: who sent the request: a person, or a key';
