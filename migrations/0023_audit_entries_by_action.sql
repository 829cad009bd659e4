-- A log of an organization, filtered by action.

-- squawk-ignore ban-concurrent-index-creation-in-transaction
drop index concurrently if exists audit_entries_by_organization_and_action;
-- squawk-ignore ban-concurrent-index-creation-in-transaction
create index concurrently if not exists audit_entries_by_organization_and_action
  on audit_entries (tenant_id, organization_id, action, occurred_at, id) where organization_id is not null;
