-- An order moved an asset from one customer to another. One transaction may create an asset and move it, and writes its
-- rows in any order, so the foreign key is checked at its end.
create table asset_transfer (
  asset_id bigint not null references asset deferrable initially deferred,
  license_order_id bigint not null references license_order,
  from_customer_id bigint not null references customer,
  to_customer_id bigint not null references customer,
  transferred_time timestamptz not null default statement_timestamp(),
  primary key (asset_id, license_order_id),
  check (from_customer_id <> to_customer_id)
);

-- Every order that bought onto an asset has a grant to it. If its customer is another than that of the grant before, it
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

-- For the foreign key: PostgreSQL looks here when the outcome of a failed order is removed.
create index asset_transfer_order on asset_transfer (license_order_id);

create trigger refuse_change before update or delete or truncate on asset_transfer
  for each statement execute function refuse_change();
