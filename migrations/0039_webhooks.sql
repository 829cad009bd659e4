-- Webhooks: readers of the feed, whose place is kept. What was sent, or could not be sent, is a row of the log.

alter table tenants add column organization_webhooks boolean not null default false;
comment on column tenants.organization_webhooks is 'public: whether organizations may have webhooks; while they may not, theirs are paused';

create table webhooks (
  tenant_id uuid not null references tenants (id),
  id text collate "C" not null,
  organization_id text collate "C",
  name text not null,
  url text not null,
  url_set_by text collate "C",
  setter_left boolean not null default false,
  types text[] not null default '{}',
  place bigint not null,
  moves integer not null default 0,
  status text not null default 'active'
    constraint webhooks_status_check check (status in ('active', 'failing', 'disabled')),
  disabled_because text
    constraint webhooks_disabled_because_check check (disabled_because in ('person', 'failures', 'gone')),
  failures integer not null default 0,
  failing_since timestamptz(3),
  failing_told boolean not null default false,
  recovered_at timestamptz(3),
  trials integer not null default 0,
  next_at timestamptz(3),
  slow_until timestamptz(3),
  missed_until timestamptz(3),
  missed_told boolean not null default true,
  last_test jsonb,
  version integer not null default 1,
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3) not null default now(),
  primary key (tenant_id, id),
  foreign key (tenant_id, organization_id) references organizations (tenant_id, id) on delete cascade
);
create index webhooks_by_organization on webhooks (tenant_id, organization_id, created_at, id);
create index webhooks_by_setter on webhooks (tenant_id, url_set_by) where url_set_by is not null;
comment on column webhooks.tenant_id is 'public';
comment on column webhooks.id is 'public';
comment on column webhooks.organization_id is 'public: whose it is; null: the tenant’s';
comment on column webhooks.name is 'public';
comment on column webhooks.url is 'public: where events are sent';
comment on column webhooks.url_set_by is 'personal: who set the URL; cleared when their account is deleted';
comment on column webhooks.setter_left is 'public: whether who set the URL was found to have lost the right to it';
comment on column webhooks.types is 'public: types and families of events that it wants; empty: all';
comment on column webhooks.place is 'public: the sequence up to which the feed was sent';
comment on column webhooks.moves is 'public: how often a person has changed where or what is sent; a run that began before ends';
comment on column webhooks.status is 'public';
comment on column webhooks.disabled_because is 'public: a person, failures for days, or an answer 410';
comment on column webhooks.failures is 'public: how many different events in a row have failed';
comment on column webhooks.failing_since is 'public';
comment on column webhooks.failing_told is 'public: whether the mail about a day of failures was queued';
comment on column webhooks.recovered_at is 'public: when it last recovered; failing again soon is not recorded again';
comment on column webhooks.trials is 'public: how often a failing one was tried';
comment on column webhooks.next_at is 'public: when a failing one is tried next';
comment on column webhooks.slow_until is 'public: until when it counts as slow, after an answer that took long';
comment on column webhooks.missed_until is 'public: up to when events were removed by age before they were sent';
comment on column webhooks.missed_told is 'public: whether the mail about them was queued';
comment on column webhooks.last_test is 'public: the outcome of the last test';
comment on column webhooks.version is 'public';
comment on column webhooks.created_at is 'public';
comment on column webhooks.updated_at is 'public';
alter table webhooks enable row level security;
alter table webhooks force row level security;
create policy tenant on webhooks
  using (tenant_id = nullif(current_setting('guildhall.tenant', true), '')::uuid);

create table webhook_secrets (
  tenant_id uuid not null,
  webhook_id text collate "C" not null,
  id text collate "C" not null,
  secret text not null,
  sealed_under text not null,
  created_at timestamptz(3) not null default now(),
  expires_at timestamptz(3),
  primary key (tenant_id, webhook_id, id),
  foreign key (tenant_id, webhook_id) references webhooks (tenant_id, id) on delete cascade
);
create index webhook_secrets_by_sealing on webhook_secrets (tenant_id, sealed_under);
comment on column webhook_secrets.tenant_id is 'public';
comment on column webhook_secrets.webhook_id is 'public';
comment on column webhook_secrets.id is 'public';
comment on column webhook_secrets.secret is 'secret: sealed';
comment on column webhook_secrets.sealed_under is 'public: the name of the secret that opens it';
comment on column webhook_secrets.created_at is 'public';
comment on column webhook_secrets.expires_at is 'public: when it ends after a rotation; null: no end';
alter table webhook_secrets enable row level security;
alter table webhook_secrets force row level security;
create policy tenant on webhook_secrets
  using (tenant_id = nullif(current_setting('guildhall.tenant', true), '')::uuid);

-- No foreign key to webhooks: a webhook may have very many rows here, which retention deletes after it.
create table webhook_deliveries (
  tenant_id uuid not null references tenants (id) on delete cascade,
  webhook_id text collate "C" not null,
  sequence bigint not null,
  entry_id text collate "C" not null,
  action text collate "C" not null,
  status text not null
    constraint webhook_deliveries_status_check check (status in ('delivered', 'retrying', 'failed')),
  attempts integer not null,
  attempted_at timestamptz(3) not null,
  response_status integer,
  error text,
  milliseconds integer not null,
  next_at timestamptz(3),
  primary key (tenant_id, webhook_id, sequence)
) with (autovacuum_vacuum_scale_factor = 0.02);
create index webhook_deliveries_by_next on webhook_deliveries (tenant_id, webhook_id, next_at) where next_at is not null;
create index webhook_deliveries_by_status on webhook_deliveries (tenant_id, webhook_id, status, sequence)
  where status <> 'delivered';
create index webhook_deliveries_by_action on webhook_deliveries (tenant_id, webhook_id, action, sequence);
create index webhook_deliveries_by_age on webhook_deliveries (tenant_id, sequence);
comment on column webhook_deliveries.tenant_id is 'public';
comment on column webhook_deliveries.webhook_id is 'public';
comment on column webhook_deliveries.sequence is 'public: the place of the event in the feed';
comment on column webhook_deliveries.entry_id is 'public: the event';
comment on column webhook_deliveries.action is 'public: its type';
comment on column webhook_deliveries.status is 'public';
comment on column webhook_deliveries.attempts is 'public';
comment on column webhook_deliveries.attempted_at is 'public: of the last attempt, as the other columns';
comment on column webhook_deliveries.response_status is 'public: null: there was no answer';
comment on column webhook_deliveries.error is 'public: one of a closed list; null: it was delivered';
comment on column webhook_deliveries.milliseconds is 'public';
comment on column webhook_deliveries.next_at is 'public: when it is tried again';
alter table webhook_deliveries enable row level security;
alter table webhook_deliveries force row level security;
create policy tenant on webhook_deliveries
  using (tenant_id = nullif(current_setting('guildhall.tenant', true), '')::uuid);

alter table audit_entries drop constraint audit_entries_target_type_check;
alter table audit_entries add constraint audit_entries_target_type_check
  check (target_type in
    ('user', 'organization', 'invitation', 'link', 'key', 'provider', 'application', 'webhook', 'tenant')) not valid;
comment on column audit_entries.target_id is
  'public: an organization, invitation, link, key, provider, application, webhook or tenant, never a person';
