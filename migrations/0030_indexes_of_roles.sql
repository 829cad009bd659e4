-- Lists of members and users by their last activity; memberships that end; and by whom, for the erasure of a person.

-- squawk-ignore ban-concurrent-index-creation-in-transaction
drop index concurrently if exists memberships_by_last_activity;
-- squawk-ignore ban-concurrent-index-creation-in-transaction
create index concurrently if not exists memberships_by_last_activity
  on memberships (tenant_id, organization_id, last_active_at, id);
-- squawk-ignore ban-concurrent-index-creation-in-transaction
drop index concurrently if exists memberships_by_expiry;
-- squawk-ignore ban-concurrent-index-creation-in-transaction
create index concurrently if not exists memberships_by_expiry
  on memberships (tenant_id, expires_at) where expires_at is not null;
-- squawk-ignore ban-concurrent-index-creation-in-transaction
drop index concurrently if exists users_by_last_activity;
-- squawk-ignore ban-concurrent-index-creation-in-transaction
create index concurrently if not exists users_by_last_activity on users (tenant_id, last_active_at, id);
-- squawk-ignore ban-concurrent-index-creation-in-transaction
drop index concurrently if exists memberships_by_suspended_by;
-- squawk-ignore ban-concurrent-index-creation-in-transaction
create index concurrently if not exists memberships_by_suspended_by
  on memberships (tenant_id, suspended_by) where suspended_by is not null;
-- squawk-ignore ban-concurrent-index-creation-in-transaction
drop index concurrently if exists memberships_by_expiry_set_by;
-- squawk-ignore ban-concurrent-index-creation-in-transaction
create index concurrently if not exists memberships_by_expiry_set_by
  on memberships (tenant_id, expiry_set_by) where expiry_set_by is not null;
