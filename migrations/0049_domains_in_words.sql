-- What fillWords has to do, in place of 0046 and 0048, whose indexes older code reads: also the words of addresses whose domain has a
-- hyphen, if older code has written them. It left some of these out, and wrote the domain at the end; it is now at the beginning.

-- squawk-ignore ban-concurrent-index-creation-in-transaction
drop index concurrently if exists users_to_fill;
-- squawk-ignore ban-concurrent-index-creation-in-transaction
create index concurrently if not exists users_to_fill on users (tenant_id, version, id)
  where keys_version is distinct from version or email like '%@%-%' and words not like ' @%';
-- squawk-ignore ban-concurrent-index-creation-in-transaction
drop index concurrently if exists invitations_to_fill;
-- squawk-ignore ban-concurrent-index-creation-in-transaction
create index concurrently if not exists invitations_to_fill on invitations (tenant_id, generation, id)
  where (words is null) <> (email is null) or email like '%@%-%' and words not like ' @%';
