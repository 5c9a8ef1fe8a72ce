-- An employee holds assets of their own enterprise only, no borrowed locks, and none once deleted.
create or replace function check_assignments() returns trigger language plpgsql set enable_seqscan = off as $$
begin
  if exists (
    select from changed
    cross join lateral (
      select a.customer_id, a.borrowed_usb_key from asset a where a.id = changed.asset_id offset 0
    ) as held
    cross join lateral (select c.enterprise_id from customer c where c.id = held.customer_id offset 0) as owner
    cross join lateral (
      select m.enterprise_id, m.deleted_time from member m where m.id = changed.member_id offset 0
    ) as holder
    where held.borrowed_usb_key or holder.deleted_time is not null or holder.enterprise_id <> owner.enterprise_id
  ) then
    raise check_violation using message = 'asset_assignment: not an asset that this employee can hold';
  end if;
  return null;
end $$;
