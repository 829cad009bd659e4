-- What fillWords has to do: once it is done, no row is in them. Each search looks whether there is one. No other index begins with the
-- version, so that PostgreSQL reads this one for the first row, whatever it knows of the table.

-- squawk-ignore ban-concurrent-index-creation-in-transaction
drop index concurrently if exists users_without_keys;
-- squawk-ignore ban-concurrent-index-creation-in-transaction
create index concurrently if not exists users_without_keys on users (tenant_id, version, id) where keys_version is distinct from version;
-- squawk-ignore ban-concurrent-index-creation-in-transaction
drop index concurrently if exists organizations_without_keys;
-- squawk-ignore ban-concurrent-index-creation-in-transaction
create index concurrently if not exists organizations_without_keys on organizations (tenant_id, version, id) where keys_version is distinct from version;
