-- The outbox: jobs wait here until they are in the queue, so that no change waits for the queue. A change writes one narrow row. Like the
-- audit log, it has no foreign key to tenants: the deletion of a tenant deletes its rows.

create table outbox (
  tenant_id uuid not null,
  written_at timestamptz not null,
  id uuid not null,
  jobs jsonb not null,
  primary key (tenant_id, written_at, id)
) with (autovacuum_vacuum_scale_factor = 0.02);

comment on column outbox.tenant_id is 'public';
comment on column outbox.written_at is 'public: the moment of the statement, in microseconds: rows leave in this order';
comment on column outbox.id is 'public';
comment on column outbox.jobs is 'secret: what the queue is to do: ids of people, and sealed text';

alter table outbox enable row level security;
alter table outbox force row level security;
create policy tenant on outbox
  using (tenant_id = nullif(current_setting('guildhall.tenant', true), '')::uuid);

-- One row a tenant, made by its first relay. The process that has locked it is the only one that takes rows out of the tenant's outbox.
create table feeds (
  tenant_id uuid primary key references tenants (id) on delete cascade
);

comment on column feeds.tenant_id is 'public';

alter table feeds enable row level security;
alter table feeds force row level security;
create policy tenant on feeds
  using (tenant_id = nullif(current_setting('guildhall.tenant', true), '')::uuid);
