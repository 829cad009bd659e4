-- Former addresses: what somebody's address was before, so that erasing them finds what was sent there.

create table former_addresses (
  tenant_id uuid not null,
  user_id text collate "C" not null,
  email text collate "C" not null,
  primary key (tenant_id, user_id, email),
  foreign key (tenant_id, user_id) references users (tenant_id, id) on delete cascade
);

comment on column former_addresses.tenant_id is 'public';
comment on column former_addresses.user_id is 'personal';
comment on column former_addresses.email is 'personal';

alter table former_addresses enable row level security;
alter table former_addresses force row level security;
create policy tenant on former_addresses
  using (tenant_id = nullif(current_setting('guildhall.tenant', true), '')::uuid);

-- squawk-ignore require-concurrent-index-creation -- few rows are in it
create index users_by_pending_email on users (tenant_id, pending_email) where pending_email is not null;
