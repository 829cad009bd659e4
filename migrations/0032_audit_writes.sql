-- What writing an entry of the audit log costs: no foreign keys to tenants, whose check locks one row for all writers of a tenant, and no
-- indexes whose filters another one answers (ARCHITECTURE.md lists those that stay).

-- Details from before migration 0021 that retention has not filled in: none, unless the service was never running in between.
do $$
declare
  tenant uuid;
begin
  for tenant in select id from tenants loop
    perform set_config('guildhall.tenant', tenant::text, true);
    update audit_details d set action = e.action
    from audit_entries e
    where d.tenant_id = tenant and d.action = '' and e.tenant_id = tenant and e.id = d.entry_id;
  end loop;
end
$$;

-- First, as in requests, so that none holds this table and waits for another one.
lock table tenants in access exclusive mode;

-- The deletion of a tenant deletes the rows of both tables (src/features/tenants/deletion.ts).
alter table audit_entries drop constraint audit_entries_tenant_id_fkey;
alter table subjects drop constraint subjects_tenant_id_fkey;

-- squawk-ignore require-concurrent-index-deletion -- takes a moment, in which the lock of tenants keeps requests waiting anyway
drop index audit_details_without_action;
-- A user's entries of an action: a page of each of the user's subjects, by audit_details_by_subject_and_action.
-- squawk-ignore require-concurrent-index-deletion -- the same
drop index audit_details_by_user_and_action;
-- An organization's entries: a page of each action, by audit_entries_by_organization_and_action.
-- squawk-ignore require-concurrent-index-deletion -- the same
drop index audit_entries_by_organization;

comment on column audit_details.action is 'public: that of the entry';
