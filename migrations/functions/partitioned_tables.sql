-- The tables that have a partition for each period: by which column, how many ids of it belong to a period, the sequence
-- that gives them out, and what a partition needs besides what it has from its table.
create or replace function partitioned_tables()
returns table (name text, key_column text, ids_each bigint, sequence text, made_with text) language sql immutable as $$
  values
    ('batch', 'id', 1::bigint << 30, 'batch_id', null),
    ('lane_chunk', 'batch_id', 1::bigint << 30, 'batch_id',
      'alter table %I set (autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 1000)'),
    ('license_order', 'id', 1::bigint << 43, 'batch_id', null),
    ('event', 'batch_id', 1::bigint << 30, 'batch_id', 'alter table %I add primary key (application_id, position)'),
    ('member_audit', 'id', 1::bigint << 43, 'member_audit_id_seq', null),
    ('operator_record', 'id', 1::bigint << 43, 'operator_record_id_seq', null)
$$;
