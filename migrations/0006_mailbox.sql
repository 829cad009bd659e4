-- The local mailbox, used while no SMTP server is set. A mail is kept without its link: links are made when it is read, so
-- that nobody who reads the table can take over an account.

create table mails (
  tenant_id uuid not null references tenants (id),
  id text collate "C" not null,
  user_id text collate "C",
  invitation_id text collate "C",
  generation integer not null,
  recipient text collate "C" not null,
  subject text not null,
  text text not null,
  html text not null,
  sent_at timestamptz(3) not null default now(),
  primary key (tenant_id, id),
  foreign key (tenant_id, user_id) references users (tenant_id, id) on delete cascade,
  foreign key (tenant_id, invitation_id) references invitations (tenant_id, id) on delete cascade
);

create index mails_by_sent_at on mails (tenant_id, sent_at, id);
create index mails_by_recipient on mails (tenant_id, recipient, sent_at, id);
create index mails_by_user on mails (tenant_id, user_id) where user_id is not null;
create index mails_by_invitation on mails (tenant_id, invitation_id) where invitation_id is not null;

comment on column mails.tenant_id is 'public';
comment on column mails.id is 'public';
comment on column mails.user_id is 'personal';
comment on column mails.invitation_id is 'public';
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
