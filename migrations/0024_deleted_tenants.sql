-- Deleted tenants: from the first moment nobody finds a tenant that is being deleted, while its rows go in batches
-- (src/features/tenants/deletion.ts). The release before still finds it until its row is gone.

alter table tenants add column deleted_at timestamptz(3);

comment on column tenants.deleted_at is 'public: when its deletion began, which deletes the row at its end';
