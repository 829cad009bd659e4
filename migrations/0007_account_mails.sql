-- What mails about an account need: links of more purposes, and mails about sessions and organizations in the local mailbox.

alter table mailed_tokens drop constraint mailed_tokens_purpose_check;
alter table mailed_tokens add constraint mailed_tokens_purpose_check
  check (purpose in ('verify_email', 'change_email', 'undo_email_change', 'reset_password', 'set_password')) not valid; -- older rows have passed a narrower check

-- Each address that somebody changed from has a way back of its own: a later change must not take an earlier one's away.
alter table mailed_tokens add column slot text collate "C" not null default '';
comment on column mailed_tokens.slot is 'personal: the address, where there is a link for each; else empty';
alter table mailed_tokens drop constraint mailed_tokens_pkey;
-- squawk-ignore adding-serial-primary-key-field, constraint-missing-not-valid -- the table is small
alter table mailed_tokens add constraint mailed_tokens_pkey primary key (tenant_id, user_id, purpose, slot);

-- The address that somebody changed from stays theirs while they may undo it.
-- squawk-ignore require-concurrent-index-creation -- the index is empty, and the table is small
create index mailed_tokens_reserved on mailed_tokens (tenant_id, email) where purpose = 'undo_email_change' and spent_at is null;

-- The local mailbox holds nothing that must be kept.
-- squawk-ignore ban-drop-table
drop table mails;

create table mails (
  tenant_id uuid not null references tenants (id),
  id text collate "C" not null,
  kind text not null,
  user_id text collate "C",
  organization_id text collate "C",
  invitation_id text collate "C",
  session_id text collate "C",
  generation integer,
  recipient text collate "C" not null,
  subject text not null,
  text text not null,
  html text not null,
  sent_at timestamptz(3) not null default now(),
  primary key (tenant_id, id),
  foreign key (tenant_id, user_id) references users (tenant_id, id) on delete cascade,
  foreign key (tenant_id, organization_id) references organizations (tenant_id, id) on delete cascade,
  foreign key (tenant_id, invitation_id) references invitations (tenant_id, id) on delete cascade,
  foreign key (tenant_id, session_id) references sessions (tenant_id, id) on delete cascade
);

create index mails_by_sent_at on mails (tenant_id, sent_at, id);
create index mails_by_recipient on mails (tenant_id, recipient, sent_at, id);
create index mails_by_user on mails (tenant_id, user_id) where user_id is not null;
create index mails_by_organization on mails (tenant_id, organization_id) where organization_id is not null;
create index mails_by_invitation on mails (tenant_id, invitation_id) where invitation_id is not null;
create index mails_by_session on mails (tenant_id, session_id) where session_id is not null;

comment on column mails.tenant_id is 'public';
comment on column mails.id is 'public';
comment on column mails.kind is 'public';
comment on column mails.user_id is 'personal';
comment on column mails.organization_id is 'public';
comment on column mails.invitation_id is 'public';
comment on column mails.session_id is 'personal';
comment on column mails.generation is 'public';
comment on column mails.recipient is 'personal';
comment on column mails.subject is 'personal';
comment on column mails.text is 'personal: without its link';
comment on column mails.html is 'personal: without its link';
comment on column mails.sent_at is 'public';

alter table mails enable row level security;
alter table mails force row level security;
create policy tenant on mails
  using (tenant_id = nullif(current_setting('guildhall.tenant', true), '')::uuid);
