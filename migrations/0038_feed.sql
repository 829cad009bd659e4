-- The feed: each audit entry is also an event. It gets its place in the feed of its tenant after its commit, through the outbox.

alter table outbox alter column jobs set default '[]';
alter table outbox add column entry_id text collate "C";
alter table outbox add column action text collate "C";
alter table outbox add column organization_id text collate "C";
alter table outbox add column tombstone text;
comment on column outbox.entry_id is 'public: the audit entry that becomes an event; null: jobs alone';
comment on column outbox.action is 'public: of the entry';
comment on column outbox.organization_id is 'public: whose log the entry is in, beside the tenant’s';
comment on column outbox.tombstone is 'secret: the id of the person whom the event erases, sealed';

alter table feeds add column head bigint not null default 0;
alter table feeds add column trimmed bigint not null default 0;
comment on column feeds.head is 'public: the last sequence that was given';
comment on column feeds.trimmed is 'public: up to this sequence, events have been removed because of their age';

-- No foreign key to entries: who deletes these deletes the events, too.
create table feed (
  tenant_id uuid not null references tenants (id) on delete cascade,
  sequence bigint not null,
  entry_id text collate "C" not null,
  action text collate "C" not null,
  organization_id text collate "C",
  tombstone text,
  primary key (tenant_id, sequence)
);
create index feed_by_organization on feed (tenant_id, organization_id, sequence) where organization_id is not null;
create index feed_by_tombstone on feed (tenant_id, sequence) where tombstone is not null;
comment on column feed.tenant_id is 'public';
comment on column feed.sequence is 'public: the place of the event, in microseconds of the clock';
comment on column feed.entry_id is 'public: the audit entry that the event tells of';
comment on column feed.action is 'public: of the entry';
comment on column feed.organization_id is 'public: whose log the entry is in, beside the tenant’s';
comment on column feed.tombstone is 'secret: the id of the person whom the event erases, sealed; for 30 days at most';
alter table feed enable row level security;
alter table feed force row level security;
create policy tenant on feed
  using (tenant_id = nullif(current_setting('guildhall.tenant', true), '')::uuid);

alter table tenants add column event_retention_seconds integer not null default 2592000;
alter table tenants add column has_webhooks boolean not null default false;
comment on column tenants.event_retention_seconds is 'public: how long events are kept; never longer than the audit log';
comment on column tenants.has_webhooks is 'public: whether the tenant or one of its organizations has a webhook: events are then relayed at once';

-- Entries of one transaction follow each other.
alter table audit_entries alter column occurred_at set default statement_timestamp();
