-- Addresses: until when a former one was somebody's, and which ones others wanted, so that erasing a person takes what was theirs and
-- no more.

alter table former_addresses add column until timestamptz(3) not null default now();

comment on column former_addresses.until is 'personal: when somebody changed from it';

alter table audit_details add column wanted_email text collate "C"
  -- squawk-ignore adding-field-with-default -- computed for each row, once; whoever changes anything waits for it
  generated always as (coalesce(details #>> '{email,to}', details #>> '{pendingEmail,from}')) stored;

comment on column audit_details.wanted_email is 'personal: the address that somebody changed to, or wanted to; it may be another''s';

-- squawk-ignore require-concurrent-index-creation -- few rows are in it
create index audit_details_by_wanted_email on audit_details (tenant_id, wanted_email) where wanted_email is not null;
-- squawk-ignore require-concurrent-index-creation -- the same
create index mailed_tokens_by_wanted_email on mailed_tokens (tenant_id, email) where purpose = 'change_email' and email <> '';
