-- When a key was last used, by secrets of it that are gone: a rotation takes them away, and so does the end of the key. The use of those that
-- are there is noted with them. The release before notes nothing here.
alter table api_keys add column last_used_at timestamptz(3);
comment on column api_keys.last_used_at is 'personal: the last use of secrets that are gone';
