-- The content of orders that failed with internal_error, as it was stored while they were pending, to try them again.
create table failed_order (
  license_order_id bigint primary key,
  batch_id bigint not null,
  lane smallint not null,
  payload_version smallint not null,
  content text not null,
  failed_time timestamptz not null default statement_timestamp(),
  foreign key (batch_id, lane) references lane_chunk
);
alter table failed_order alter column content set storage external;

-- An order that had failed with internal_error was made pending again; this was its outcome.
create table order_retry (
  id bigint generated always as identity primary key,
  license_order_id bigint not null,
  cause text not null,
  message text not null,
  finished_time timestamptz not null,
  retried_time timestamptz not null default statement_timestamp()
);
create index order_retry_order on order_retry (license_order_id, finished_time);
create trigger refuse_change before update or delete or truncate on order_retry
  for each statement execute function refuse_change();

-- For the command that makes such orders pending again. There are few.
create index license_order_internal_error on license_order (id) where cause = 'internal_error';

-- An outcome never changes, with one exception: internal_error is removed, once order_retry has recorded it.
create function check_taken_back() returns trigger language plpgsql set enable_seqscan = off as $$
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
drop trigger refuse_change on license_order;
create trigger refuse_change before update or truncate on license_order
  for each statement execute function refuse_change();
create trigger check_taken_back after delete on license_order
  referencing old table as removed for each statement execute function check_taken_back();
