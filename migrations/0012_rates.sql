-- Rates: how often something was done lately, in the form that rate-limiter-flexible keeps. A small global table: its keys are HMACs
-- of what is counted, tenant and all, so that it says nothing of anybody.

create table rates (
  key text collate "C" primary key,
  points integer not null default 0,
  expire bigint
);

create index rates_by_expiry on rates (expire);

comment on column rates.key is 'secret: policy, and HMAC of tenant and who or what is counted';
comment on column rates.points is 'public';
comment on column rates.expire is 'public: milliseconds since 1970';
