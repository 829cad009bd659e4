-- Sort keys: a search finds and sorts by the index of words alone. The rows of words have the columns by which lists are sorted, as the row
-- itself has them. Older code writes words without them: `keys_version` then stays behind the row's version, and a task fills them in.

alter table users add column keys_version integer;
comment on column users.keys_version is 'public: the version of the row that its words and their sort keys are of; another one: they may be out of date';

alter table user_words add column name_key text collate "C";
alter table user_words add column email text collate "C";
alter table user_words add column created_at timestamptz(3);
comment on column user_words.name_key is 'personal: that of the user';
comment on column user_words.email is 'personal: that of the user';
comment on column user_words.created_at is 'personal: that of the user; null: older code has written the row';
alter table user_words drop constraint user_words_pkey;
-- squawk-ignore constraint-missing-not-valid, adding-serial-primary-key-field -- no release has this table yet, and Citus takes no index for a key
alter table user_words add constraint user_words_pkey primary key (tenant_id, word, user_id) include (name_key, email, created_at);

alter table organizations add column keys_version integer;
comment on column organizations.keys_version is 'public: the version of the row that its words and their sort keys are of; another one: they may be out of date';

alter table organization_words add column name_key text collate "C";
alter table organization_words add column created_at timestamptz(3);
comment on column organization_words.name_key is 'public: that of the organization';
comment on column organization_words.created_at is 'public: that of the organization; null: older code has written the row';
alter table organization_words drop constraint organization_words_pkey;
-- squawk-ignore constraint-missing-not-valid, adding-serial-primary-key-field -- the same
alter table organization_words add constraint organization_words_pkey
  primary key (tenant_id, word, organization_id) include (name_key, created_at);
