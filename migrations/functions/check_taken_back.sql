-- An outcome is removed only when it is internal_error and order_retry has recorded it.
create or replace function check_taken_back() returns trigger language plpgsql set enable_seqscan = off as $$
begin
  if exists (
    select from removed
    left join lateral (
      select r.id from order_retry r
      where r.license_order_id = removed.id and r.finished_time = removed.finished_time
        and r.cause = removed.cause and r.message = removed.message offset 0
    ) as record on true
    where removed.cause is distinct from 'internal_error' or record.id is null
  ) then
    raise restrict_violation using message = 'license_order: delete is never done';
  end if;
  return null;
end $$;
