-- From this release on, every order that fails in a drain or is cancelled keeps what it held in failed_order, not only
-- those that failed with internal_error. So it can be given back to the application that sent it, is found by its asset
-- numbers, and is deleted when it is too old. All of this is paid for by orders that fail, and by no other.
--
-- Until now the table has held the few orders that failed with internal_error: filling the column and building the
-- indexes takes no time worth a thought.

alter table failed_order add column asset_nums text[];

update failed_order set asset_nums = array(
  select distinct asset_num
  from json_array_elements(content::json -> 0 -> 1 -> 'assets') as asset,
    json_array_elements_text(asset -> 'assetNos') as asset_num
);

-- The table is small, and the statement before has rewritten it in this transaction.
-- squawk-ignore adding-not-nullable-field
alter table failed_order alter column asset_nums set not null;

-- The failed orders of an asset number. The table is small.
-- squawk-ignore require-concurrent-index-creation
create index failed_order_asset_nums on failed_order using gin (asset_nums);

-- The oldest first, for the clean-up. The table is small.
-- squawk-ignore require-concurrent-index-creation
create index failed_order_failed_time on failed_order (failed_time);
