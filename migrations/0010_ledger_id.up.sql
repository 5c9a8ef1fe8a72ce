-- Ids of assets, merchandise and product instances. A draw takes a block of 1000, so that a drain of thousands of
-- orders asks once; gaps are fine.
create sequence ledger_id increment by 1000 start with 1000000;
