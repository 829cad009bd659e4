-- Pictures that were uploaded: of a user, an organization, or, without either, the logo of the tenant. Each has one at most. `avatar_url` or
-- `logo_url` of its owner names it. If the release before changes that column, the row stays, and nobody sees it: it is served only while
-- the column names it.
create table pictures (
  tenant_id uuid not null references tenants (id) on delete cascade,
  id text collate "C" not null,
  user_id text collate "C",
  organization_id text collate "C",
  content bytea not null,
  created_at timestamptz(3) not null default now(),
  primary key (tenant_id, id),
  constraint pictures_user_key unique (tenant_id, user_id),
  constraint pictures_organization_key unique (tenant_id, organization_id),
  constraint pictures_owner_check check (user_id is null or organization_id is null),
  foreign key (tenant_id, user_id) references users (tenant_id, id) on delete cascade,
  foreign key (tenant_id, organization_id) references organizations (tenant_id, id) on delete cascade
);
create unique index pictures_tenant_key on pictures (tenant_id) where user_id is null and organization_id is null;
comment on column pictures.tenant_id is 'public';
comment on column pictures.id is 'personal: in the URL of the picture; nobody can guess it';
comment on column pictures.user_id is 'personal';
comment on column pictures.organization_id is 'public';
comment on column pictures.content is 'personal: WebP, made here, without metadata';
comment on column pictures.created_at is 'public';
alter table pictures enable row level security;
alter table pictures force row level security;
create policy tenant on pictures
  using (tenant_id = nullif(current_setting('guildhall.tenant', true), '')::uuid);
