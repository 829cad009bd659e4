-- Attempts at passwords and codes, by how long they are kept: each purge reads only rows that it deletes. Rows that stay for good are in none of
-- these indexes. The index of all rows only helped the purge of the release before, which is right without it.

-- squawk-ignore ban-concurrent-index-creation-in-transaction
drop index concurrently if exists password_attempts_of_sources;
-- squawk-ignore ban-concurrent-index-creation-in-transaction
create index concurrently if not exists password_attempts_of_sources
  on password_attempts (tenant_id, updated_at) where source <> '';
-- squawk-ignore ban-concurrent-index-creation-in-transaction
drop index concurrently if exists password_attempts_of_strangers;
-- squawk-ignore ban-concurrent-index-creation-in-transaction
create index concurrently if not exists password_attempts_of_strangers
  on password_attempts (tenant_id, updated_at) where source = '' and failures < 6;
-- squawk-ignore ban-concurrent-index-creation-in-transaction
drop index concurrently if exists password_attempts_of_many_strangers;
-- squawk-ignore ban-concurrent-index-creation-in-transaction
create index concurrently if not exists password_attempts_of_many_strangers
  on password_attempts (tenant_id, updated_at) where source = '' and failures >= 6 and failures < 100;
-- squawk-ignore ban-concurrent-index-creation-in-transaction
drop index concurrently if exists password_attempts_by_update;
