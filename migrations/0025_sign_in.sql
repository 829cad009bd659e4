-- Sign-in beyond passwords: second factors, passkeys, mailed codes, providers and half-done sign-ins.

alter table tenants add column second_factor text not null default 'optional'
  constraint tenants_second_factor_is_known check (second_factor in ('optional', 'admins', 'required'));
alter table tenants add column mail_codes boolean not null default false;
alter table tenants add column sign_in_domain text;
alter table tenants add column passkey_domain text;
comment on column tenants.second_factor is 'public: who must sign in with a second factor';
comment on column tenants.mail_codes is 'public: whether a mailed code signs in';
comment on column tenants.sign_in_domain is 'public: the host of the sign-in pages, if it is not the default';
comment on column tenants.passkey_domain is 'public: the WebAuthn RP id, if it is not the sign-in domain';

alter table organizations add column second_factor text not null default 'optional'
  constraint organizations_second_factor_is_known check (second_factor in ('optional', 'required'));
comment on column organizations.second_factor is 'public: whether members need a second factor for its routes';

-- Sessions from before have proven a password when they began.
alter table sessions add column methods text[] not null default '{password}';
alter table sessions add column assurance integer not null default 1;
alter table sessions add column authenticated_at timestamptz(3);
alter table sessions add column identity_id text collate "C";
comment on column sessions.methods is 'personal: how its user has signed in, and confirmed it last';
comment on column sessions.assurance is 'public: 2 if two factors were proven';
comment on column sessions.authenticated_at is 'personal: its last sign-in or confirmation; null for its beginning';
comment on column sessions.identity_id is 'personal: the identity that began it; it ends with that';

create table factors (
  tenant_id uuid not null,
  id text collate "C" not null,
  user_id text collate "C" not null,
  type text not null check (type in ('totp', 'passkey')),
  name text not null,
  seed text,
  sealed_under text,
  last_step bigint,
  credential_id bytea,
  public_key bytea,
  sign_count bigint,
  transports text[],
  is_synced boolean,
  can_sign_in boolean not null default false,
  created_at timestamptz(3) not null default now(),
  last_used_at timestamptz(3),
  primary key (tenant_id, id),
  constraint factors_credential_key unique (tenant_id, credential_id),
  foreign key (tenant_id, user_id) references users (tenant_id, id) on delete cascade,
  check ((type = 'totp') = (seed is not null) and (type = 'totp') = (sealed_under is not null)
    and (type = 'totp') = (last_step is not null)),
  check ((type = 'passkey') = (credential_id is not null) and (type = 'passkey') = (public_key is not null)
    and (type = 'passkey') = (sign_count is not null) and (type = 'passkey') = (is_synced is not null))
);
create index factors_by_user on factors (tenant_id, user_id, created_at, id);
create unique index factors_totp_key on factors (tenant_id, user_id) where type = 'totp';
create index factors_by_secret on factors (tenant_id, sealed_under) where sealed_under is not null;
comment on column factors.tenant_id is 'public';
comment on column factors.id is 'personal';
comment on column factors.user_id is 'personal';
comment on column factors.type is 'personal';
comment on column factors.name is 'personal';
comment on column factors.seed is 'secret: of TOTP, sealed';
comment on column factors.sealed_under is 'public: names the secret that the seed is sealed under';
comment on column factors.last_step is 'personal: the last time step whose code was used';
comment on column factors.credential_id is 'personal: of a passkey';
comment on column factors.public_key is 'personal: of a passkey, as COSE';
comment on column factors.sign_count is 'personal';
comment on column factors.transports is 'personal';
comment on column factors.is_synced is 'personal: whether the passkey may be backed up';
comment on column factors.can_sign_in is 'personal: a passkey that verified its user and is discoverable';
comment on column factors.created_at is 'personal';
comment on column factors.last_used_at is 'personal';
alter table factors enable row level security;
alter table factors force row level security;
create policy tenant on factors
  using (tenant_id = nullif(current_setting('guildhall.tenant', true), '')::uuid);

create table recovery_codes (
  tenant_id uuid not null,
  user_id text collate "C" not null,
  code_hash bytea not null,
  created_at timestamptz(3) not null default now(),
  primary key (tenant_id, user_id, code_hash),
  foreign key (tenant_id, user_id) references users (tenant_id, id) on delete cascade
);
comment on column recovery_codes.tenant_id is 'public';
comment on column recovery_codes.user_id is 'personal';
comment on column recovery_codes.code_hash is 'secret: SHA-256 of the code';
comment on column recovery_codes.created_at is 'personal';
alter table recovery_codes enable row level security;
alter table recovery_codes force row level security;
create policy tenant on recovery_codes
  using (tenant_id = nullif(current_setting('guildhall.tenant', true), '')::uuid);

create table providers (
  tenant_id uuid not null references tenants (id),
  id text collate "C" not null,
  type text not null check (type in ('google', 'microsoft', 'github', 'oidc')),
  name text not null,
  is_enabled boolean not null default true,
  client_id text not null,
  issuer text,
  microsoft_tenant text,
  trusts_email boolean not null default false,
  secret text,
  sealed_under text,
  redirect_uris text[] not null default '{}',
  failed_at timestamptz(3),
  failure text,
  version integer not null default 1,
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3) not null default now(),
  primary key (tenant_id, id),
  constraint providers_name_key unique (tenant_id, name)
);
create index providers_by_secret on providers (tenant_id, sealed_under) where sealed_under is not null;
comment on column providers.tenant_id is 'public';
comment on column providers.id is 'public';
comment on column providers.type is 'public';
comment on column providers.name is 'public';
comment on column providers.is_enabled is 'public';
comment on column providers.client_id is 'public';
comment on column providers.issuer is 'public';
comment on column providers.microsoft_tenant is 'public';
comment on column providers.trusts_email is 'public: whether its email_verified is believed';
comment on column providers.secret is 'secret: the client secret, sealed';
comment on column providers.sealed_under is 'public: names the secret that the client secret is sealed under';
comment on column providers.redirect_uris is 'public: beside the page of the console';
comment on column providers.failed_at is 'public: its last failure';
comment on column providers.failure is 'public: one word of a closed list';
comment on column providers.version is 'public';
comment on column providers.created_at is 'public';
comment on column providers.updated_at is 'public';
alter table providers enable row level security;
alter table providers force row level security;
create policy tenant on providers
  using (tenant_id = nullif(current_setting('guildhall.tenant', true), '')::uuid);

create table identities (
  tenant_id uuid not null,
  id text collate "C" not null,
  user_id text collate "C" not null,
  provider_id text collate "C" not null,
  issuer text not null,
  subject text not null,
  email text,
  created_at timestamptz(3) not null default now(),
  last_used_at timestamptz(3),
  primary key (tenant_id, id),
  constraint identities_subject_key unique (tenant_id, provider_id, issuer, subject),
  foreign key (tenant_id, user_id) references users (tenant_id, id) on delete cascade,
  foreign key (tenant_id, provider_id) references providers (tenant_id, id) on delete cascade
);
create index identities_by_user on identities (tenant_id, user_id, created_at, id);
comment on column identities.tenant_id is 'public';
comment on column identities.id is 'personal';
comment on column identities.user_id is 'personal';
comment on column identities.provider_id is 'personal';
comment on column identities.issuer is 'personal';
comment on column identities.subject is 'personal: the provider’s own id of the person';
comment on column identities.email is 'personal: as the provider told it last';
comment on column identities.created_at is 'personal';
comment on column identities.last_used_at is 'personal';
alter table identities enable row level security;
alter table identities force row level security;
create policy tenant on identities
  using (tenant_id = nullif(current_setting('guildhall.tenant', true), '')::uuid);

create table attempts (
  tenant_id uuid not null references tenants (id),
  id text collate "C" not null,
  token_hash bytea not null,
  purpose text not null check (purpose in ('sign_in', 'confirm', 'link')),
  next text not null check (next in ('first_factor', 'second_factor')),
  methods text[] not null,
  proven text[] not null default '{}',
  wanted_assurance integer not null default 1,
  user_id text collate "C",
  session_id text collate "C",
  provider_id text collate "C",
  address bytea,
  is_exchanging boolean not null default false,
  failures integer not null default 0,
  generation integer not null default 1,
  expires_at timestamptz(3) not null,
  details text not null,
  primary key (tenant_id, id),
  constraint attempts_token_key unique (tenant_id, token_hash),
  foreign key (tenant_id, user_id) references users (tenant_id, id) on delete cascade,
  foreign key (tenant_id, session_id) references sessions (tenant_id, id) on delete cascade,
  foreign key (tenant_id, provider_id) references providers (tenant_id, id) on delete cascade
);
create index attempts_by_user on attempts (tenant_id, user_id);
create index attempts_by_address on attempts (tenant_id, address) where address is not null;
create index attempts_by_session on attempts (tenant_id, session_id);
create index attempts_by_provider on attempts (tenant_id, provider_id);
create index attempts_by_expiry on attempts (tenant_id, expires_at);
comment on column attempts.tenant_id is 'public';
comment on column attempts.id is 'public';
comment on column attempts.token_hash is 'secret: SHA-256 of the token';
comment on column attempts.purpose is 'public';
comment on column attempts.next is 'public';
comment on column attempts.methods is 'personal: what it accepts';
comment on column attempts.proven is 'personal: what was proven before it';
comment on column attempts.wanted_assurance is 'public';
comment on column attempts.user_id is 'personal';
comment on column attempts.session_id is 'personal: the session that began it, for confirming and linking';
comment on column attempts.provider_id is 'personal';
comment on column attempts.address is 'personal: HMAC of the address, by which it ends if nobody has looked up the account';
comment on column attempts.is_exchanging is 'public: the answer of the provider is being looked at, which happens once';
comment on column attempts.failures is 'public: wrong proofs';
comment on column attempts.generation is 'public: of its mailed code';
comment on column attempts.expires_at is 'public';
comment on column attempts.details is 'secret: what it rests on and what it must remember, sealed';
alter table attempts enable row level security;
alter table attempts force row level security;
create policy tenant on attempts
  using (tenant_id = nullif(current_setting('guildhall.tenant', true), '')::uuid);

create table spent_challenges (
  tenant_id uuid not null references tenants (id),
  hash bytea not null,
  expires_at timestamptz(3) not null,
  constraint spent_challenges_key primary key (tenant_id, hash)
);
create index spent_challenges_by_expiry on spent_challenges (tenant_id, expires_at);
comment on column spent_challenges.tenant_id is 'public';
comment on column spent_challenges.hash is 'secret: SHA-256 of the challenge';
comment on column spent_challenges.expires_at is 'public';
alter table spent_challenges enable row level security;
alter table spent_challenges force row level security;
create policy tenant on spent_challenges
  using (tenant_id = nullif(current_setting('guildhall.tenant', true), '')::uuid);

alter table mails add column attempt_id text collate "C";
comment on column mails.attempt_id is 'public: the half-done sign-in whose code it tells';

-- squawk-ignore require-concurrent-index-creation -- whoever signs in waits once, for seconds
create index sessions_by_identity on sessions (tenant_id, identity_id) where identity_id is not null;

-- Older rows have passed a narrower check.
alter table audit_entries drop constraint audit_entries_target_type_check;
alter table audit_entries add constraint audit_entries_target_type_check
  check (target_type in ('user', 'organization', 'invitation', 'provider', 'tenant')) not valid;
comment on column audit_entries.target_id is 'public: an organization, invitation, provider or tenant, never a person';

alter table mailed_tokens add column asked_at timestamptz(3);
comment on column mailed_tokens.asked_at is 'public: when the first of its links that live was asked for; null in older rows';
