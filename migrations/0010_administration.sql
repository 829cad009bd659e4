-- What tenant admins filter by: each with the order of the list, so that neither a rare nor a common value reads everybody.

-- squawk-ignore require-concurrent-index-creation -- whoever changes a user waits once, for seconds
create index users_by_status on users (tenant_id, status, created_at, id);
-- squawk-ignore require-concurrent-index-creation -- the same
create index users_by_verification on users (tenant_id, email_verified, created_at, id);
-- squawk-ignore require-concurrent-index-creation -- whoever changes anything waits once, for seconds
create index audit_entries_by_action on audit_entries (tenant_id, action, occurred_at, id);
