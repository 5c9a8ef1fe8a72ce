-- A transfer names an order that has its outcome.
create or replace function check_transfers_inserted() returns trigger language plpgsql set enable_seqscan = off as $$
begin
  if exists (
    select from changed
    left join lateral (
      select o.id from license_order o where o.id = changed.license_order_id offset 0
    ) as finished on true
    where finished.id is null
  ) then
    raise foreign_key_violation using message = 'asset_transfer: by no order';
  end if;
  return null;
end $$;
