-- Names that were stored with spaces around them, which are taken off since: a search compares the beginning of a name.

do $$
declare
  -- What normalizeName takes off (platform/http/schemas.ts), and what NFKC makes of it in a key.
  spaces constant text := E' \t\n\x0b\f\r\u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u200b\u2028\u2029\u202f\u205f\u2060\u3000\ufeff';
  tenant uuid;
begin
  for tenant in select id from tenants loop
    perform set_config('guildhall.tenant', tenant::text, true);
    update users set name = btrim(name, spaces), name_key = btrim(name_key, spaces), version = version + 1
    where tenant_id = tenant and name <> btrim(name, spaces);
    update organizations set name = btrim(name, spaces), name_key = btrim(name_key, spaces), version = version + 1
    where tenant_id = tenant and name <> btrim(name, spaces);
  end loop;
end
$$;
