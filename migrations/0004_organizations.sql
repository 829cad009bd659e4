-- Organizations, their members and their invitations.
-- owner_count and member_count change in the transaction that changes a membership, under the organization's row lock.

create table organizations (
  tenant_id uuid not null references tenants (id),
  id text collate "C" not null,
  slug text collate "C" not null,
  name text not null,
  name_key text collate "C" not null,
  logo_url text,
  metadata jsonb not null default '{}',
  owner_count integer not null constraint organizations_keep_an_owner check (owner_count >= 1),
  member_count integer not null,
  version integer not null default 1,
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3) not null default now(),
  primary key (tenant_id, id),
  constraint organizations_slug_key unique (tenant_id, slug)
);

create index organizations_by_name on organizations (tenant_id, name_key, id);
create index organizations_by_created_at on organizations (tenant_id, created_at, id);

comment on column organizations.tenant_id is 'public';
comment on column organizations.id is 'public';
comment on column organizations.slug is 'public';
comment on column organizations.name is 'public';
comment on column organizations.name_key is 'public: the name in lower case, for search and order';
comment on column organizations.logo_url is 'public';
comment on column organizations.metadata is 'public';
comment on column organizations.owner_count is 'public';
comment on column organizations.member_count is 'public';
comment on column organizations.version is 'public: counts changes of the editable fields';
comment on column organizations.created_at is 'public';
comment on column organizations.updated_at is 'public';

alter table organizations enable row level security;
alter table organizations force row level security;
create policy tenant on organizations
  using (tenant_id = nullif(current_setting('guildhall.tenant', true), '')::uuid);

create table memberships (
  tenant_id uuid not null,
  id text collate "C" not null,
  organization_id text collate "C" not null,
  user_id text collate "C" not null,
  role text not null constraint memberships_role_check check (role in ('owner', 'admin', 'member')),
  invited_by text collate "C",
  joined_at timestamptz(3) not null default now(),
  primary key (tenant_id, id),
  constraint memberships_user_key unique (tenant_id, organization_id, user_id),
  foreign key (tenant_id, organization_id) references organizations (tenant_id, id) on delete cascade,
  foreign key (tenant_id, user_id) references users (tenant_id, id),
  foreign key (tenant_id, invited_by) references users (tenant_id, id) on delete set null (invited_by)
);

create index memberships_by_joined_at on memberships (tenant_id, organization_id, joined_at, id);
create index memberships_by_user on memberships (tenant_id, user_id, role);
create index memberships_by_inviter on memberships (tenant_id, invited_by) where invited_by is not null;

comment on column memberships.tenant_id is 'public';
comment on column memberships.id is 'personal';
comment on column memberships.organization_id is 'public';
comment on column memberships.user_id is 'personal';
comment on column memberships.role is 'public';
comment on column memberships.invited_by is 'personal';
comment on column memberships.joined_at is 'personal';

alter table memberships enable row level security;
alter table memberships force row level security;
create policy tenant on memberships
  using (tenant_id = nullif(current_setting('guildhall.tenant', true), '')::uuid);

create table invitations (
  tenant_id uuid not null,
  id text collate "C" not null,
  organization_id text collate "C" not null,
  email text collate "C",
  role text not null constraint invitations_role_check check (role in ('owner', 'admin', 'member')),
  status text not null default 'pending'
    constraint invitations_status_check check (status in ('pending', 'accepted', 'declined', 'revoked', 'expired')),
  invited_by text collate "C",
  membership_id text collate "C",
  generation integer not null default 1,
  token_spent_at timestamptz(3),
  created_at timestamptz(3) not null default now(),
  expires_at timestamptz(3) not null,
  primary key (tenant_id, id),
  foreign key (tenant_id, organization_id) references organizations (tenant_id, id) on delete cascade,
  foreign key (tenant_id, invited_by) references users (tenant_id, id) on delete set null (invited_by),
  foreign key (tenant_id, membership_id) references memberships (tenant_id, id) on delete set null (membership_id)
);

create unique index invitations_pending_key on invitations (tenant_id, organization_id, email) where status = 'pending';
create index invitations_by_created_at on invitations (tenant_id, organization_id, created_at, id);
create index invitations_by_email on invitations (tenant_id, email);
create index invitations_by_inviter on invitations (tenant_id, invited_by);
create index invitations_by_membership on invitations (tenant_id, membership_id) where membership_id is not null;

comment on column invitations.tenant_id is 'public';
comment on column invitations.id is 'public';
comment on column invitations.organization_id is 'public';
comment on column invitations.email is 'personal: cleared when its owner is erased';
comment on column invitations.role is 'public';
comment on column invitations.status is 'public';
comment on column invitations.invited_by is 'personal';
comment on column invitations.membership_id is 'personal';
comment on column invitations.generation is 'public: a higher one spends every older link';
comment on column invitations.token_spent_at is 'public';
comment on column invitations.created_at is 'public';
comment on column invitations.expires_at is 'public';

alter table invitations enable row level security;
alter table invitations force row level security;
create policy tenant on invitations
  using (tenant_id = nullif(current_setting('guildhall.tenant', true), '')::uuid);
