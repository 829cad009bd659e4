-- A log of a person, filtered by action, by organization (in each somebody is another subject), or both.

-- squawk-ignore ban-concurrent-index-creation-in-transaction
drop index concurrently if exists audit_details_by_user_and_action;
-- squawk-ignore ban-concurrent-index-creation-in-transaction
create index concurrently if not exists audit_details_by_user_and_action
  on audit_details (tenant_id, user_id, action, occurred_at, entry_id);
-- squawk-ignore ban-concurrent-index-creation-in-transaction
drop index concurrently if exists audit_details_by_subject_and_action;
-- squawk-ignore ban-concurrent-index-creation-in-transaction
create index concurrently if not exists audit_details_by_subject_and_action
  on audit_details (tenant_id, subject, action, occurred_at, entry_id);
-- What fillActions has to do: once it is done, no row is in it.
-- squawk-ignore ban-concurrent-index-creation-in-transaction
drop index concurrently if exists audit_details_without_action;
-- squawk-ignore ban-concurrent-index-creation-in-transaction
create index concurrently if not exists audit_details_without_action on audit_details (tenant_id) where action = '';
