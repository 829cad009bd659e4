-- Retention: what finds the rows whose time is over.

-- squawk-ignore require-concurrent-index-creation -- whoever signs in waits once, for seconds
create index sessions_by_last_activity on sessions (tenant_id, last_active_at);
-- squawk-ignore require-concurrent-index-creation -- the table is small
create index mailed_tokens_by_expiry on mailed_tokens (tenant_id, expires_at) where email <> '';
