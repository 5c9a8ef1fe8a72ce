-- Refuses every statement that its trigger fires for.
create or replace function refuse_change() returns trigger language plpgsql as $$
begin
  raise restrict_violation using message = format('%s: %s is never done', tg_table_name, lower(tg_op));
end $$;
