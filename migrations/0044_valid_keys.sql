-- The rows from before 0043 have passed the same keys.
alter table memberships validate constraint memberships_tenant_id_invited_by_fkey;
alter table invitations validate constraint invitations_tenant_id_invited_by_fkey;
alter table invitations validate constraint invitations_tenant_id_membership_id_fkey;
