-- What tenant admins set for themselves, and the origins that the operator allows.

alter table tenants add column audit_retention_seconds integer not null default 34560000
  constraint tenants_audit_retention_check check (audit_retention_seconds > 0);
alter table tenants add column remote_pictures boolean not null default false;
alter table tenants add column allowed_origins text[] not null default '{}';
alter table tenants add column version integer not null default 1;

comment on column tenants.audit_retention_seconds is 'public';
comment on column tenants.remote_pictures is 'public';
comment on column tenants.allowed_origins is 'public';
comment on column tenants.version is 'public: counts changes of the editable fields';
