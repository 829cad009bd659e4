-- People without a password: how many of them have no other way in is counted before one is turned off.

-- squawk-ignore ban-concurrent-index-creation-in-transaction
drop index concurrently if exists users_without_password;
-- squawk-ignore ban-concurrent-index-creation-in-transaction
create index concurrently if not exists users_without_password on users (tenant_id, id) where password_hash is null;
