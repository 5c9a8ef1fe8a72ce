-- Some columns never change: the number and license type of an asset, and what was bought by which order onto which
-- asset and into which merchandise. The argument lists these columns.
create or replace function check_stays() returns trigger language plpgsql as $$
declare
  moved boolean;
begin
  execute format('select exists (select %1$s from before except select %1$s from changed)', tg_argv[0]) into moved;
  if moved then
    raise check_violation using message = format('%s: changed one of %s', tg_table_name, tg_argv[0]);
  end if;
  return null;
end $$;
