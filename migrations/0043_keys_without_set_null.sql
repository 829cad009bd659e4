-- A Citus cluster takes no `on delete set null` in a key with tenant_id. The code takes people and memberships out of these columns before
-- it deletes their rows (eraseInviter, eraseGiver, forgetMembership).
-- needs 0042

-- First, as in requests, so that none holds one of these tables and waits for another one.
lock table users, memberships, invitations in access exclusive mode;

alter table memberships drop constraint memberships_tenant_id_invited_by_fkey;
alter table memberships add constraint memberships_tenant_id_invited_by_fkey
  foreign key (tenant_id, invited_by) references users (tenant_id, id) not valid;
alter table invitations drop constraint invitations_tenant_id_invited_by_fkey;
alter table invitations add constraint invitations_tenant_id_invited_by_fkey
  foreign key (tenant_id, invited_by) references users (tenant_id, id) not valid;
alter table invitations drop constraint invitations_tenant_id_membership_id_fkey;
alter table invitations add constraint invitations_tenant_id_membership_id_fkey
  foreign key (tenant_id, membership_id) references memberships (tenant_id, id) not valid;
