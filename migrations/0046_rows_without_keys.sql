-- What fillWords has to do: once it is done, no row is in them. Each search in an order that the words have looks here, too.

-- squawk-ignore ban-concurrent-index-creation-in-transaction
drop index concurrently if exists users_without_keys;
-- squawk-ignore ban-concurrent-index-creation-in-transaction
create index concurrently if not exists users_without_keys on users (tenant_id, id) where keys_version is distinct from version;
-- squawk-ignore ban-concurrent-index-creation-in-transaction
drop index concurrently if exists organizations_without_keys;
-- squawk-ignore ban-concurrent-index-creation-in-transaction
create index concurrently if not exists organizations_without_keys on organizations (tenant_id, id) where keys_version is distinct from version;
