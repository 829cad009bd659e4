-- What fillWords has to do: once it is done, no row is in it. Each search looks whether there is one. No other index begins with the
-- generation, so that PostgreSQL reads this one for the first row, whatever it knows of the table.

-- squawk-ignore ban-concurrent-index-creation-in-transaction
drop index concurrently if exists invitations_without_words;
-- squawk-ignore ban-concurrent-index-creation-in-transaction
create index concurrently if not exists invitations_without_words on invitations (tenant_id, generation, id)
  where (words is null) <> (email is null);
