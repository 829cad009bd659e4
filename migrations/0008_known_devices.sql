-- Known devices: where an account was signed in before. A stranger's guesses are counted apart from theirs.

create table known_devices (
  tenant_id uuid not null,
  user_id text collate "C" not null,
  token_hash bytea not null,
  last_used_at timestamptz(3) not null default now(),
  primary key (tenant_id, user_id, token_hash),
  foreign key (tenant_id, user_id) references users (tenant_id, id) on delete cascade
);

create index known_devices_by_last_use on known_devices (tenant_id, last_used_at);

comment on column known_devices.tenant_id is 'public';
comment on column known_devices.user_id is 'personal';
comment on column known_devices.token_hash is 'secret: SHA-256 of the device cookie';
comment on column known_devices.last_used_at is 'personal';

alter table known_devices enable row level security;
alter table known_devices force row level security;
create policy tenant on known_devices
  using (tenant_id = nullif(current_setting('guildhall.tenant', true), '')::uuid);

alter table sessions add column network text;
alter table sessions add column device_hash bytea;
comment on column sessions.network is 'personal: the IPv4 address or IPv6 /64 that it was started from; null once disowned';
comment on column sessions.device_hash is 'secret: the known device that it was started on';
-- squawk-ignore require-concurrent-index-creation -- whoever signs in waits once, for seconds
create index sessions_by_network on sessions (tenant_id, user_id, network, last_active_at);

-- Counters live for days at most, so the old ones are not carried over.
-- squawk-ignore ban-drop-table
drop table password_attempts;

create table password_attempts (
  tenant_id uuid not null references tenants (id),
  account bytea not null,
  source bytea not null,
  failures integer not null default 1,
  next_at timestamptz(3) not null default now(),
  told_at timestamptz(3),
  updated_at timestamptz(3) not null default now(),
  primary key (tenant_id, account, source)
);

create index password_attempts_by_update on password_attempts (tenant_id, updated_at);

comment on column password_attempts.tenant_id is 'public';
comment on column password_attempts.account is 'secret: HMAC of the address';
comment on column password_attempts.source is 'secret: HMAC of the network or the known device; empty for all unknown ones together';
comment on column password_attempts.failures is 'public: failures in a row; of all unknown ones together, since the last reset';
comment on column password_attempts.next_at is 'public: no attempt is looked at before';
comment on column password_attempts.told_at is 'public: when the account was told that unknown devices do not get in';
comment on column password_attempts.updated_at is 'public';

alter table password_attempts enable row level security;
alter table password_attempts force row level security;
create policy tenant on password_attempts
  using (tenant_id = nullif(current_setting('guildhall.tenant', true), '')::uuid);
