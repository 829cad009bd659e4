-- The audit log. Entries are insert-only and speak of people by a random subject id, one for each person and organization.
-- What is personal stands in audit_details, a row for each person spoken of, and goes with that person together with the
-- link from user to subject: the entry stays, and reads "a deleted user".

create table subjects (
  tenant_id uuid not null references tenants (id),
  user_id text collate "C" not null,
  organization_id text collate "C" not null,
  id text collate "C" not null,
  primary key (tenant_id, user_id, organization_id),
  foreign key (tenant_id, user_id) references users (tenant_id, id) on delete cascade
);

create index subjects_by_organization on subjects (tenant_id, organization_id) where organization_id <> '';

comment on column subjects.tenant_id is 'public';
comment on column subjects.user_id is 'personal';
comment on column subjects.organization_id is 'public: empty for the tenant''s own log';
comment on column subjects.id is 'public: random, means nobody without this row';

alter table subjects enable row level security;
alter table subjects force row level security;
create policy tenant on subjects
  using (tenant_id = nullif(current_setting('guildhall.tenant', true), '')::uuid);

create table audit_entries (
  tenant_id uuid not null references tenants (id),
  id text collate "C" not null,
  occurred_at timestamptz(3) not null default now(),
  action text collate "C" not null,
  actor_type text not null
    constraint audit_entries_actor_type_check check (actor_type in ('user', 'operator', 'system', 'anonymous')),
  actor_subject text collate "C",
  target_type text not null
    constraint audit_entries_target_type_check check (target_type in ('user', 'organization', 'invitation', 'tenant')),
  target_subject text collate "C",
  target_id text collate "C",
  organization_id text collate "C",
  request_id text,
  details jsonb,
  once_key bytea,
  primary key (tenant_id, id),
  constraint audit_entries_once_key unique (tenant_id, once_key),
  foreign key (tenant_id, organization_id) references organizations (tenant_id, id) on delete cascade
);

create index audit_entries_by_occurred_at on audit_entries (tenant_id, occurred_at, id);
create index audit_entries_by_organization on audit_entries (tenant_id, organization_id, occurred_at, id)
  where organization_id is not null;

comment on column audit_entries.tenant_id is 'public';
comment on column audit_entries.id is 'public';
comment on column audit_entries.occurred_at is 'public';
comment on column audit_entries.action is 'public';
comment on column audit_entries.actor_type is 'public';
comment on column audit_entries.actor_subject is 'public';
comment on column audit_entries.target_type is 'public';
comment on column audit_entries.target_subject is 'public';
comment on column audit_entries.target_id is 'public: an organization, invitation or tenant, never a person';
comment on column audit_entries.organization_id is 'public';
comment on column audit_entries.request_id is 'public';
comment on column audit_entries.details is 'public: old and new values, of events that speak of nobody';
comment on column audit_entries.once_key is 'secret: HMAC that keeps an entry from being written twice';

alter table audit_entries enable row level security;
alter table audit_entries force row level security;
create policy tenant on audit_entries
  using (tenant_id = nullif(current_setting('guildhall.tenant', true), '')::uuid);

create table audit_details (
  tenant_id uuid not null,
  entry_id text collate "C" not null,
  user_id text collate "C" not null,
  subject text collate "C" not null,
  occurred_at timestamptz(3) not null default now(),
  name text,
  ip text,
  device text,
  details jsonb,
  primary key (tenant_id, entry_id, user_id),
  foreign key (tenant_id, entry_id) references audit_entries (tenant_id, id) on delete cascade,
  foreign key (tenant_id, user_id) references users (tenant_id, id) on delete cascade
);

create index audit_details_by_user on audit_details (tenant_id, user_id, occurred_at, entry_id);

comment on column audit_details.tenant_id is 'public';
comment on column audit_details.entry_id is 'public';
comment on column audit_details.user_id is 'personal';
comment on column audit_details.subject is 'public';
comment on column audit_details.occurred_at is 'public';
comment on column audit_details.name is 'personal';
comment on column audit_details.ip is 'personal';
comment on column audit_details.device is 'personal';
comment on column audit_details.details is 'personal: old and new values';

alter table audit_details enable row level security;
alter table audit_details force row level security;
create policy tenant on audit_details
  using (tenant_id = nullif(current_setting('guildhall.tenant', true), '')::uuid);
