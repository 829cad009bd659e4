-- Expired sessions: which of them are over for good, whatever the lifetimes are set to later.

alter table tenants add column sessions_created_after timestamptz(3) not null default '-infinity';
alter table tenants add column sessions_active_after timestamptz(3) not null default '-infinity';

comment on column tenants.sessions_created_after is 'public: a session that was created by then has expired';
comment on column tenants.sessions_active_after is 'public: a session that was last active by then has expired';
