-- Words: a search finds users and organizations by the beginnings of words. The service writes them with the row that they are of, and fills
-- in what older code has written. The last statements build indexes concurrently: if that fails, everything here runs again.

-- squawk-ignore transaction-nesting -- the file runs outside of a transaction
begin;
set local lock_timeout = '500ms';

alter table users add column if not exists words text collate "C";
alter table users add column if not exists words_version integer;
comment on column users.words is 'personal: the words by which a search finds the user, each after a space; null: not filled in yet';
comment on column users.words_version is 'public: the version of the row that the words are of; another one: they may be out of date';

-- One row for each word. The index by user is for the end of an account.
create table if not exists user_words (
  tenant_id uuid not null,
  word text collate "C" not null,
  user_id text collate "C" not null,
  primary key (tenant_id, word, user_id),
  foreign key (tenant_id, user_id) references users (tenant_id, id) on delete cascade
);
create index if not exists user_words_by_user on user_words (tenant_id, user_id);
comment on column user_words.tenant_id is 'public';
comment on column user_words.word is 'personal';
comment on column user_words.user_id is 'personal';
alter table user_words enable row level security;
alter table user_words force row level security;
drop policy if exists tenant on user_words;
create policy tenant on user_words
  using (tenant_id = nullif(current_setting('guildhall.tenant', true), '')::uuid);

alter table organizations add column if not exists words text collate "C";
alter table organizations add column if not exists words_version integer;
comment on column organizations.words is 'public: the words by which a search finds the organization, each after a space; null: not filled in yet';
comment on column organizations.words_version is 'public: the version of the row that the words are of; another one: they may be out of date';

create table if not exists organization_words (
  tenant_id uuid not null,
  word text collate "C" not null,
  organization_id text collate "C" not null,
  primary key (tenant_id, word, organization_id),
  foreign key (tenant_id, organization_id) references organizations (tenant_id, id) on delete cascade
);
create index if not exists organization_words_by_organization on organization_words (tenant_id, organization_id);
comment on column organization_words.tenant_id is 'public';
comment on column organization_words.word is 'public';
comment on column organization_words.organization_id is 'public';
alter table organization_words enable row level security;
alter table organization_words force row level security;
drop policy if exists tenant on organization_words;
create policy tenant on organization_words
  using (tenant_id = nullif(current_setting('guildhall.tenant', true), '')::uuid);

-- squawk-ignore transaction-nesting -- the same
commit;

-- What fillWords has to do: once it is done, no row is in them.
-- squawk-ignore ban-concurrent-index-creation-in-transaction
drop index concurrently if exists users_without_words;
-- squawk-ignore ban-concurrent-index-creation-in-transaction
create index concurrently if not exists users_without_words on users (tenant_id, id) where words_version is distinct from version;
-- squawk-ignore ban-concurrent-index-creation-in-transaction
drop index concurrently if exists organizations_without_words;
-- squawk-ignore ban-concurrent-index-creation-in-transaction
create index concurrently if not exists organizations_without_words on organizations (tenant_id, id) where words_version is distinct from version;
