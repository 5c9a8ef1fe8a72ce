-- An asset gets another customer only by a transfer, which names the order.
create or replace function check_transferred() returns trigger language plpgsql set enable_seqscan = off as $$
begin
  if exists (
    select from (select id, customer_id from changed except select id, customer_id from before) as moved
    left join lateral (
      select t.asset_id from asset_transfer t
      where t.asset_id = moved.id and t.to_customer_id = moved.customer_id offset 0
    ) as transfer on true
    where transfer.asset_id is null
  ) then
    raise check_violation using message = 'asset: another customer without a transfer';
  end if;
  return null;
end $$;
