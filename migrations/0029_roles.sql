-- The product's own permissions and roles, grants with an end, memberships that are suspended or end, share links, caps.
-- Who gave or made something has no foreign key: the erasure of a person clears these columns after it has locked the person.

create table permissions (
  tenant_id uuid not null references tenants (id),
  key text collate "C" not null,
  name text not null,
  description text,
  minimum_role text not null constraint permissions_minimum_role_check check (minimum_role in ('member', 'admin', 'owner')),
  primary key (tenant_id, key)
);
comment on column permissions.tenant_id is 'public';
comment on column permissions.key is 'public';
comment on column permissions.name is 'public';
comment on column permissions.description is 'public';
comment on column permissions.minimum_role is 'public: this role and those above have it without a grant';
alter table permissions enable row level security;
alter table permissions force row level security;
create policy tenant on permissions
  using (tenant_id = nullif(current_setting('guildhall.tenant', true), '')::uuid);

create table roles (
  tenant_id uuid not null references tenants (id),
  id text collate "C" not null,
  key text collate "C" not null,
  name text not null,
  description text,
  permissions text[] not null,
  primary key (tenant_id, id),
  constraint roles_key_key unique (tenant_id, key)
);
comment on column roles.tenant_id is 'public';
comment on column roles.id is 'public';
comment on column roles.key is 'public';
comment on column roles.name is 'public';
comment on column roles.description is 'public';
comment on column roles.permissions is 'public: keys of built-in and of the product’s permissions';
alter table roles enable row level security;
alter table roles force row level security;
create policy tenant on roles
  using (tenant_id = nullif(current_setting('guildhall.tenant', true), '')::uuid);

alter table tenants add column access_version integer not null default 1;
alter table tenants add column share_links boolean not null default true;
alter table tenants add column member_limit integer;
comment on column tenants.access_version is 'public: counts changes of permissions and roles';
comment on column tenants.share_links is 'public: whether organizations may have links to join';
comment on column tenants.member_limit is 'public: how many members an organization may have; null: any number';

alter table organizations add column member_limit integer;
comment on column organizations.member_limit is 'public: in place of the tenant’s; null: the tenant’s';

alter table memberships add column status text not null default 'active';
alter table memberships add column suspended_at timestamptz(3);
alter table memberships add column suspended_by text collate "C";
alter table memberships add column expires_at timestamptz(3);
alter table memberships add column expiry_set_by text collate "C";
alter table memberships add column ending_told boolean not null default false;
alter table memberships add column last_active_at timestamptz(3);
alter table memberships add column has_grants boolean not null default false;
comment on column memberships.status is 'personal';
comment on column memberships.suspended_at is 'personal';
comment on column memberships.suspended_by is 'personal';
comment on column memberships.expires_at is 'personal';
comment on column memberships.expiry_set_by is 'personal: who is mailed before the end as well';
comment on column memberships.ending_told is 'personal: whether the mail before the end went out';
comment on column memberships.last_active_at is 'personal: to the hour';
comment on column memberships.has_grants is 'personal: may be true without grants, is never false with one';
-- Older rows have the defaults of the new columns.
alter table memberships add constraint memberships_status_check check (status in ('active', 'suspended')) not valid;
-- Keeps owner_count the number of owners who can act.
alter table memberships add constraint memberships_owner_stays
  check (role <> 'owner' or (status = 'active' and expires_at is null)) not valid;

create table role_grants (
  tenant_id uuid not null,
  membership_id text collate "C" not null,
  role_id text collate "C" not null,
  expires_at timestamptz(3),
  granted_by text collate "C",
  granted_at timestamptz(3) not null default now(),
  primary key (tenant_id, membership_id, role_id),
  foreign key (tenant_id, membership_id) references memberships (tenant_id, id) on delete cascade,
  foreign key (tenant_id, role_id) references roles (tenant_id, id) on delete cascade
);
create index role_grants_by_role on role_grants (tenant_id, role_id);
create index role_grants_by_expiry on role_grants (tenant_id, expires_at) where expires_at is not null;
create index role_grants_by_giver on role_grants (tenant_id, granted_by) where granted_by is not null;
comment on column role_grants.tenant_id is 'public';
comment on column role_grants.membership_id is 'personal';
comment on column role_grants.role_id is 'personal';
comment on column role_grants.expires_at is 'personal';
comment on column role_grants.granted_by is 'personal';
comment on column role_grants.granted_at is 'personal';
alter table role_grants enable row level security;
alter table role_grants force row level security;
create policy tenant on role_grants
  using (tenant_id = nullif(current_setting('guildhall.tenant', true), '')::uuid);

alter table invitations add column grants jsonb not null default '[]';
alter table invitations add column member_expires_at timestamptz(3);
alter table invitations add column locale text;
alter table invitations add column mailed boolean not null default true;
alter table invitations add column key_id text collate "C";
comment on column invitations.grants is 'public: ids of roles and ends; a role that is gone gives nothing';
comment on column invitations.member_expires_at is 'public: when the membership ends';
comment on column invitations.locale is 'public: the language of the mail';
comment on column invitations.mailed is 'public: whether a mail tells of it';
comment on column invitations.key_id is 'public: the key that made it';

create table links (
  tenant_id uuid not null,
  id text collate "C" not null,
  organization_id text collate "C" not null,
  grants jsonb not null default '[]',
  email_domains text[] not null default '{}',
  max_uses integer not null,
  uses integer not null default 0,
  member_expires_at timestamptz(3),
  created_by text collate "C",
  key_id text collate "C",
  created_at timestamptz(3) not null default now(),
  expires_at timestamptz(3) not null,
  ended_at timestamptz(3),
  reason text constraint links_reason_check check (reason in ('revoked', 'expired', 'used', 'maker')),
  primary key (tenant_id, id),
  constraint links_uses_check check (uses <= max_uses),
  foreign key (tenant_id, organization_id) references organizations (tenant_id, id) on delete cascade
);
create index links_by_organization on links (tenant_id, organization_id, created_at, id);
create index links_by_maker on links (tenant_id, created_by) where created_by is not null;
create index links_by_expiry on links (tenant_id, expires_at);
comment on column links.tenant_id is 'public';
comment on column links.id is 'public';
comment on column links.organization_id is 'public';
comment on column links.grants is 'public: ids of roles and ends; a role that is gone gives nothing';
comment on column links.email_domains is 'public';
comment on column links.max_uses is 'public';
comment on column links.uses is 'public';
comment on column links.member_expires_at is 'public: when the memberships end that it makes';
comment on column links.created_by is 'personal';
comment on column links.key_id is 'public: the key that made it';
comment on column links.created_at is 'public';
comment on column links.expires_at is 'public';
comment on column links.ended_at is 'public';
comment on column links.reason is 'public: what ended it';
alter table links enable row level security;
alter table links force row level security;
create policy tenant on links
  using (tenant_id = nullif(current_setting('guildhall.tenant', true), '')::uuid);

create table exclusions (
  tenant_id uuid not null,
  organization_id text collate "C" not null,
  user_id text collate "C" not null,
  excluded_by text collate "C",
  excluded_at timestamptz(3) not null default now(),
  primary key (tenant_id, organization_id, user_id),
  foreign key (tenant_id, organization_id) references organizations (tenant_id, id) on delete cascade,
  foreign key (tenant_id, user_id) references users (tenant_id, id) on delete cascade
);
create index exclusions_by_user on exclusions (tenant_id, user_id);
create index exclusions_by_excluder on exclusions (tenant_id, excluded_by) where excluded_by is not null;
comment on column exclusions.tenant_id is 'public';
comment on column exclusions.organization_id is 'public';
comment on column exclusions.user_id is 'personal: somebody who was removed, whom no link lets in again';
comment on column exclusions.excluded_by is 'personal';
comment on column exclusions.excluded_at is 'personal';
alter table exclusions enable row level security;
alter table exclusions force row level security;
create policy tenant on exclusions
  using (tenant_id = nullif(current_setting('guildhall.tenant', true), '')::uuid);

-- Older rows have passed a narrower check.
alter table audit_entries drop constraint audit_entries_target_type_check;
alter table audit_entries add constraint audit_entries_target_type_check
  check (target_type in ('user', 'organization', 'invitation', 'link', 'provider', 'tenant')) not valid;
comment on column audit_entries.target_id is 'public: an organization, invitation, link, provider or tenant, never a person';
