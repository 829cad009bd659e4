-- Long logs: an organization's row goes at once, and its log after it, a batch at a time (src/domain/record/log-erasure.ts). The release
-- before leaves the log of an organization that it deletes; retention deletes it.

alter table audit_entries drop constraint audit_entries_tenant_id_organization_id_fkey;
