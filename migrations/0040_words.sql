-- Words: a search finds users and organizations by the beginnings of words. The service writes them with the row that they are of, and fills
-- in what older code has written.

alter table users add column words text collate "C";
alter table users add column words_version integer;
comment on column users.words is 'personal: the words by which a search finds the user, each after a space; null: not filled in yet';
comment on column users.words_version is 'public: the version of the row that the words are of; another one: they may be out of date';

-- One row for each word. The index by user is for the end of an account.
create table user_words (
  tenant_id uuid not null,
  word text collate "C" not null,
  user_id text collate "C" not null,
  primary key (tenant_id, word, user_id),
  foreign key (tenant_id, user_id) references users (tenant_id, id) on delete cascade
);
create index user_words_by_user on user_words (tenant_id, user_id);
comment on column user_words.tenant_id is 'public';
comment on column user_words.word is 'personal';
comment on column user_words.user_id is 'personal';
alter table user_words enable row level security;
alter table user_words force row level security;
create policy tenant on user_words
  using (tenant_id = nullif(current_setting('guildhall.tenant', true), '')::uuid);

alter table organizations add column words text collate "C";
alter table organizations add column words_version integer;
comment on column organizations.words is 'public: the words by which a search finds the organization, each after a space; null: not filled in yet';
comment on column organizations.words_version is 'public: the version of the row that the words are of; another one: they may be out of date';

create table organization_words (
  tenant_id uuid not null,
  word text collate "C" not null,
  organization_id text collate "C" not null,
  primary key (tenant_id, word, organization_id),
  foreign key (tenant_id, organization_id) references organizations (tenant_id, id) on delete cascade
);
create index organization_words_by_organization on organization_words (tenant_id, organization_id);
comment on column organization_words.tenant_id is 'public';
comment on column organization_words.word is 'public';
comment on column organization_words.organization_id is 'public';
alter table organization_words enable row level security;
alter table organization_words force row level security;
create policy tenant on organization_words
  using (tenant_id = nullif(current_setting('guildhall.tenant', true), '')::uuid);
