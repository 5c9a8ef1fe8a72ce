-- Who changed what in the member center, one row a change (rules 8). Rows are added and never changed. The actor is
-- an administrator, or 0 for the operator of the service.
create table member_audit (
  id bigint generated always as identity primary key,
  enterprise_id bigint not null references enterprise,
  actor_id bigint not null,
  action text not null,
  target_id bigint references member,
  -- Not jsonb, which does not keep the order of the fields.
  detail json not null check (detail::jsonb ?& array['before', 'after']),
  request_id text not null,
  recorded_time timestamptz not null default statement_timestamp()
);
create index member_audit_newest on member_audit (enterprise_id, id);
create trigger refuse_change before update or delete or truncate on member_audit
  for each statement execute function refuse_change();
