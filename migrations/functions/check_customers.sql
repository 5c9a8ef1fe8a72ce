-- An asset belongs to a customer that exists.
create or replace function check_customers() returns trigger language plpgsql set enable_seqscan = off as $$
begin
  if exists (
    select from changed
    left join lateral (select c.id from customer c where c.id = changed.customer_id offset 0) as owner on true
    where owner.id is null
  ) then
    raise foreign_key_violation using message = 'asset: its customer does not exist';
  end if;
  return null;
end $$;
