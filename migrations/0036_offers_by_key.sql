-- What a key has offered, which ends with it.

-- squawk-ignore ban-concurrent-index-creation-in-transaction
drop index concurrently if exists invitations_by_key;
-- squawk-ignore ban-concurrent-index-creation-in-transaction
create index concurrently if not exists invitations_by_key on invitations (tenant_id, key_id) where key_id is not null;
-- squawk-ignore ban-concurrent-index-creation-in-transaction
drop index concurrently if exists links_by_key;
-- squawk-ignore ban-concurrent-index-creation-in-transaction
create index concurrently if not exists links_by_key on links (tenant_id, key_id) where key_id is not null;
