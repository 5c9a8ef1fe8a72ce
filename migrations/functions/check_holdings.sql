-- Only an active asset can be assigned, lent, or lent into. The arguments are the columns that name assets.
create or replace function check_holdings() returns trigger language plpgsql set enable_seqscan = off as $$
declare
  column_name text;
  misheld boolean;
begin
  foreach column_name in array tg_argv loop
    execute format('select exists (
      select from changed left join lateral (
        select a.id from asset a where a.id = changed.%I and a.revoked_time is null offset 0
      ) as active on true where active.id is null
    )', column_name) into misheld;
    if misheld then
      raise foreign_key_violation using message = tg_table_name || ': its asset is not active';
    end if;
  end loop;
  return null;
end $$;
