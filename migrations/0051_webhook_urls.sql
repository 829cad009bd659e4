-- When the URL of a webhook was last changed, so that an undone change of address finds what a thief has set. The release before notes nothing
-- here.
alter table webhooks add column url_set_at timestamptz(3);
comment on column webhooks.url_set_at is 'public: when the URL was last changed; null: it is the first one';
