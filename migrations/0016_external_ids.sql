-- External ids: what people and organizations that were imported were called where they come from, so that importing them again finds
-- them. An import makes both rows in one transaction.

create table external_users (
  tenant_id uuid not null,
  external_id text collate "C" not null,
  user_id text collate "C" not null,
  primary key (tenant_id, external_id),
  constraint external_users_user_key unique (tenant_id, user_id),
  foreign key (tenant_id, user_id) references users (tenant_id, id) on delete cascade
);

comment on column external_users.tenant_id is 'public';
comment on column external_users.external_id is 'personal';
comment on column external_users.user_id is 'personal';

alter table external_users enable row level security;
alter table external_users force row level security;
create policy tenant on external_users
  using (tenant_id = nullif(current_setting('guildhall.tenant', true), '')::uuid);

create table external_organizations (
  tenant_id uuid not null,
  external_id text collate "C" not null,
  organization_id text collate "C" not null,
  primary key (tenant_id, external_id),
  constraint external_organizations_organization_key unique (tenant_id, organization_id),
  foreign key (tenant_id, organization_id) references organizations (tenant_id, id) on delete cascade
);

comment on column external_organizations.tenant_id is 'public';
comment on column external_organizations.external_id is 'public';
comment on column external_organizations.organization_id is 'public';

alter table external_organizations enable row level security;
alter table external_organizations force row level security;
create policy tenant on external_organizations
  using (tenant_id = nullif(current_setting('guildhall.tenant', true), '')::uuid);
