-- Only an asset that somebody holds can be lent, into a borrowed lock of the same enterprise that holds assets of one
-- employee at a time.
create or replace function check_lendings() returns trigger language plpgsql set enable_seqscan = off as $$
begin
  if exists (
    select from changed
    left join lateral (
      select h.member_id from asset_assignment h where h.asset_id = changed.asset_id offset 0
    ) as holder on true
    left join lateral (
      select m.enterprise_id from member m where m.id = holder.member_id offset 0
    ) as lender on true
    left join lateral (
      select a.customer_id, a.borrowed_usb_key from asset a where a.id = changed.lock_asset_id offset 0
    ) as lock on true
    left join lateral (select c.enterprise_id from customer c where c.id = lock.customer_id offset 0) as owner on true
    where lock.borrowed_usb_key is not true or lender.enterprise_id is distinct from owner.enterprise_id
  ) then
    raise check_violation using message = 'asset_lending: not an asset that can be lent into this lock';
  end if;
  if exists (
    select from (select distinct lock_asset_id from changed) as lock
    cross join lateral (
      select count(distinct h.member_id) as holders from asset_lending l
      join asset_assignment h on h.asset_id = l.asset_id
      where l.lock_asset_id = lock.lock_asset_id offset 0
    ) as lent
    where lent.holders > 1
  ) then
    raise check_violation using message = 'asset_lending: the lock is lent to another employee';
  end if;
  return null;
end $$;
