-- Who disabled or enabled a lock, one row a change (rules 7). Rows are added and never changed.
create table lock_audit (
  id bigint generated always as identity primary key,
  asset_id bigint not null references asset,
  locked boolean not null,
  operator_identity text not null,
  application_id bigint not null references application,
  request_id text not null,
  recorded_time timestamptz not null default statement_timestamp()
);
create index lock_audit_asset on lock_audit (asset_id);

create function refuse_change() returns trigger language plpgsql as $$
begin
  raise restrict_violation using message = format('%s: %s is never done', tg_table_name, lower(tg_op));
end $$;
create trigger refuse_change before update or delete or truncate on lock_audit
  for each statement execute function refuse_change();
