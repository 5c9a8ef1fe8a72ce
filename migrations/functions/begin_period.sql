-- Begins the next period, if `after` is still the newest, and returns its number; null if somebody else has begun one.
-- It moves the sequences on, never back: rows go by their ids, so no row depends on a clock. What skip_ids has skipped is left
-- out here too: a server that was lost, or what a backup lacks, may have begun this period and given out its first ids.
create or replace function begin_period(after integer) returns integer language plpgsql security definer
set search_path = public, pg_temp set lock_timeout = '1s' as $$
declare
  next_number integer;
  missing text;
  -- So many that half of a period is left, whatever was skipped in years.
  skipped bigint := (select last_value % (1::bigint << 29) from skipped_draws);
  each record;
begin
  -- Whoever may not store batches may not do this either, though everybody may call functions.
  if not has_table_privilege(coalesce(nullif(current_setting('role'), 'none'), session_user), 'batch', 'insert') then
    raise insufficient_privilege using message = 'begin_period is for roles that may insert into batch';
  end if;
  perform pg_advisory_xact_lock(hashtext('lockstep partitions'));
  if (select max(number) from period) is distinct from after then
    return null;
  end if;
  next_number := greatest(after + 1, current_period());
  select string_agg(partition_name(name, next_number), ', ') into missing from partitioned_tables()
  where not exists (
    select from pg_inherits
    where inhparent = name::regclass and inhrelid = to_regclass(partition_name(name, next_number)) and not inhdetachpending
  );
  if missing is not null then
    raise object_not_in_prerequisite_state using message = format('period %s cannot begin without %s', next_number, missing);
  end if;
  for each in
    select distinct on (t.sequence) t.sequence, next_number * t.ids_each - 1 + skipped as last_before, s.last_value
    from partitioned_tables() t join pg_sequences s on s.schemaname = 'public' and s.sequencename = t.sequence
    order by t.sequence, t.ids_each
  loop
    if coalesce(each.last_value, 0) < each.last_before then
      perform setval(each.sequence::regclass, each.last_before);
    end if;
  end loop;
  insert into period (number) select * from generate_series(after + 1, next_number);
  return next_number;
end $$;
