-- That an order moved an asset from one customer to another. An asset may be made and moved in one transaction, whose
-- rows come in any order, so it is looked for at the end.
create table asset_transfer (
  asset_id bigint not null references asset deferrable initially deferred,
  license_order_id bigint not null references license_order,
  from_customer_id bigint not null references customer,
  to_customer_id bigint not null references customer,
  transferred_time timestamptz not null default statement_timestamp(),
  primary key (asset_id, license_order_id),
  check (from_customer_id <> to_customer_id)
);

-- Every order that bought onto an asset has a grant to it. Where the customer is another than that of the grant before, it
-- was a transfer. Grants of one statement have one time: their orders took effect by batch and sequence.
insert into asset_transfer (asset_id, license_order_id, from_customer_id, to_customer_id, transferred_time)
select asset_id, license_order_id, former_customer_id, customer_id, created_time
from (
  select asset_id, license_order_id, g.created_time, o.customer_id::bigint,
    lag(o.customer_id::bigint) over effect as former_customer_id
  from asset_grant g
  join license_order o on o.id = license_order_id
  left join batch b on b.id = license_order_id / 8192
  window effect as (
    partition by asset_id
    order by g.created_time, license_order_id / 8192, b.sequences[license_order_id % 8192 + 1], license_order_id
  )
) as granted
where customer_id <> former_customer_id;
set constraints all immediate;

-- For what takes back the outcome of an order that failed: it looks whether a transfer names the order.
create index asset_transfer_order on asset_transfer (license_order_id);

create trigger refuse_change before update or delete or truncate on asset_transfer
  for each statement execute function refuse_change();
