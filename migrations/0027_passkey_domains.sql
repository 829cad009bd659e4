-- Passkey domains: which domain browsers have bound a passkey to. If PUBLIC_URL leads elsewhere, the operator is told.

alter table factors add column rp_id text;
comment on column factors.rp_id is 'public: the domain of a passkey; null if it is from before this column';
