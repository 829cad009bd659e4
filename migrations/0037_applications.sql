-- Applications of a tenant, into which its people sign in with Guildhall (OpenID Connect), and what they then hold: grants.

create table applications (
  tenant_id uuid not null references tenants (id),
  id text collate "C" not null,
  name text not null,
  kind text not null
    constraint applications_kind_check check (kind in ('server', 'browser', 'native')),
  logo_url text,
  start_url text,
  redirect_uris text[] not null,
  post_logout_uris text[] not null default '{}',
  back_channel_logout_uri text,
  scopes text[] not null,
  require_verified_email boolean not null default true,
  choose_organization boolean not null default false,
  is_home boolean not null default false,
  is_enabled boolean not null default true,
  version integer not null default 1,
  logout_at timestamptz(3),
  logout_outcome text,
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3) not null default now(),
  primary key (tenant_id, id)
);
create unique index applications_home_key on applications (tenant_id) where is_home;
create index applications_by_creation on applications (tenant_id, created_at, id);
comment on column applications.tenant_id is 'public';
comment on column applications.id is 'public: also the client_id';
comment on column applications.name is 'public';
comment on column applications.kind is 'public: whether it runs on a server, in a browser, or on a device of its user';
comment on column applications.logo_url is 'public';
comment on column applications.start_url is 'public: where it begins a sign-in by itself';
comment on column applications.redirect_uris is 'public: where its people may be sent with a code';
comment on column applications.post_logout_uris is 'public: where its people may be sent after a sign-out';
comment on column applications.back_channel_logout_uri is 'public: where it is told that a session has ended';
comment on column applications.scopes is 'public: what it may ask for';
comment on column applications.require_verified_email is 'public: whether only people with a verified address get in';
comment on column applications.choose_organization is 'public: whether its people choose an organization';
comment on column applications.is_home is 'public: whether pages opened from mails lead on to it';
comment on column applications.is_enabled is 'public';
comment on column applications.version is 'public';
comment on column applications.logout_at is 'public: when it was last told, or could not be told, that a session has ended';
comment on column applications.logout_outcome is 'public: how that went';
comment on column applications.created_at is 'public';
comment on column applications.updated_at is 'public';
alter table applications enable row level security;
alter table applications force row level security;
create policy tenant on applications
  using (tenant_id = nullif(current_setting('guildhall.tenant', true), '')::uuid);

create table application_secrets (
  tenant_id uuid not null,
  secret_hash bytea not null,
  application_id text collate "C" not null,
  created_at timestamptz(3) not null default now(),
  expires_at timestamptz(3),
  last_used_at timestamptz(3),
  primary key (tenant_id, secret_hash),
  foreign key (tenant_id, application_id) references applications (tenant_id, id) on delete cascade
);
create index application_secrets_by_application on application_secrets (tenant_id, application_id, created_at);
comment on column application_secrets.tenant_id is 'public';
comment on column application_secrets.secret_hash is 'secret: SHA-256 of the secret';
comment on column application_secrets.application_id is 'public';
comment on column application_secrets.created_at is 'public';
comment on column application_secrets.expires_at is 'public: when it ends after a rotation; null: no end';
comment on column application_secrets.last_used_at is 'public';
alter table application_secrets enable row level security;
alter table application_secrets force row level security;
create policy tenant on application_secrets
  using (tenant_id = nullif(current_setting('guildhall.tenant', true), '')::uuid);

-- What an application holds of a session. Nothing by which it is used is stored: codes and tokens are sealed, or authenticated.
create table grants (
  tenant_id uuid not null,
  id text collate "C" not null,
  session_id text collate "C" not null,
  application_id text collate "C" not null,
  organization_id text collate "C",
  code_hash bytea not null,
  scopes text[] not null,
  generation integer not null default 0,
  rotated_at timestamptz(3),
  last_used_at timestamptz(3) not null default now(),
  ended_at timestamptz(3),
  created_at timestamptz(3) not null default now(),
  primary key (tenant_id, id),
  constraint grants_code_key unique (tenant_id, code_hash),
  foreign key (tenant_id, session_id) references sessions (tenant_id, id) on delete cascade,
  foreign key (tenant_id, application_id) references applications (tenant_id, id) on delete cascade
);
create index grants_by_session on grants (tenant_id, session_id, application_id);
create index grants_by_application on grants (tenant_id, application_id);
create index grants_by_end on grants (tenant_id, ended_at) where ended_at is not null;
comment on column grants.tenant_id is 'public';
comment on column grants.id is 'public';
comment on column grants.session_id is 'personal';
comment on column grants.application_id is 'public';
comment on column grants.organization_id is 'personal: the organization that was named or chosen';
comment on column grants.code_hash is 'secret: SHA-256 of the code that made it; a code makes one';
comment on column grants.scopes is 'public';
comment on column grants.generation is 'public: that of the newest refresh token';
comment on column grants.rotated_at is 'public: when the newest refresh token was made';
comment on column grants.last_used_at is 'personal';
comment on column grants.ended_at is 'public';
comment on column grants.created_at is 'personal';
alter table grants enable row level security;
alter table grants force row level security;
create policy tenant on grants
  using (tenant_id = nullif(current_setting('guildhall.tenant', true), '')::uuid);

alter table audit_entries drop constraint audit_entries_target_type_check;
alter table audit_entries add constraint audit_entries_target_type_check
  check (target_type in ('user', 'organization', 'invitation', 'link', 'key', 'provider', 'application', 'tenant')) not valid;
comment on column audit_entries.target_id is
  'public: an organization, invitation, link, key, provider, application or tenant, never a person';
comment on column audit_details.via is 'personal: the key or the application by which the person acted';
