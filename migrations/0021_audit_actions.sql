-- Actions of details: that of the entry, so that an index has somebody's entries of one action in order. Rows that were there, or that
-- the release before writes, have none until retention fills it in (fillActions); for these, readers ask the entry.

alter table audit_details add column action text collate "C" not null default '';

comment on column audit_details.action is 'public: that of the entry, or empty until it is filled in';
