-- When the user of a grant was authenticated, so that its refreshed ID tokens go on saying so after the session was confirmed. The release
-- before notes nothing here.
alter table grants add column authenticated_at timestamptz(3);
comment on column grants.authenticated_at is 'personal: when the user had last been authenticated as it was made; null: it is not known';
