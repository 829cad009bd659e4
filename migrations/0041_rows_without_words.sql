-- What fillWords has to do: once it is done, no row is in them.

-- squawk-ignore ban-concurrent-index-creation-in-transaction
drop index concurrently if exists users_without_words;
-- squawk-ignore ban-concurrent-index-creation-in-transaction
create index concurrently if not exists users_without_words on users (tenant_id, id) where words_version is distinct from version;
-- squawk-ignore ban-concurrent-index-creation-in-transaction
drop index concurrently if exists organizations_without_words;
-- squawk-ignore ban-concurrent-index-creation-in-transaction
create index concurrently if not exists organizations_without_words on organizations (tenant_id, id) where words_version is distinct from version;
