-- Words of invitations: a search in an organization's invitations finds them by the beginnings of words, in their order. The service writes
-- them with the invitation that they are of, and fills in what older code has written. Older code erases an address without its words,
-- which are then erased by the same task.

alter table invitations add column words text collate "C";
comment on column invitations.words is 'personal: the words by which a search finds the invitation, each after a space; null with an address: not filled in yet';

-- One row for each word, with the time by which the list is sorted. The index by invitation is for its end.
create table invitation_words (
  tenant_id uuid not null,
  organization_id text collate "C" not null,
  word text collate "C" not null,
  invitation_id text collate "C" not null,
  created_at timestamptz(3) not null,
  primary key (tenant_id, organization_id, word, invitation_id) include (created_at),
  foreign key (tenant_id, invitation_id) references invitations (tenant_id, id) on delete cascade
);
create index invitation_words_by_invitation on invitation_words (tenant_id, invitation_id);
comment on column invitation_words.tenant_id is 'public';
comment on column invitation_words.organization_id is 'public';
comment on column invitation_words.word is 'personal';
comment on column invitation_words.invitation_id is 'public';
comment on column invitation_words.created_at is 'public: that of the invitation';
alter table invitation_words enable row level security;
alter table invitation_words force row level security;
create policy tenant on invitation_words
  using (tenant_id = nullif(current_setting('guildhall.tenant', true), '')::uuid);
