-- Which role a member was last told of, so that one mail after a pause tells what has changed since, and none where nothing has.

alter table memberships add column told_role text collate "C";

comment on column memberships.told_role is 'public: the role that the member was last told of, while a mail about another one waits; null: theirs';
