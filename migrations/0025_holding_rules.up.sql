-- Triggers check once a statement, as those of 0021 do, who holds an asset and what it is lent into. An asset is held
-- by an employee of its enterprise who is not deleted, and is no borrowed lock.
create function check_assignments() returns trigger language plpgsql set enable_seqscan = off as $$
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

create trigger check_assignments after insert on asset_assignment
  referencing new table as changed for each statement execute function check_assignments();

-- A lent asset is held. It is lent into a borrowed lock of the same enterprise, which has assets of one holder at a
-- time.
create function check_lendings() returns trigger language plpgsql set enable_seqscan = off as $$
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

create trigger check_lendings after insert on asset_lending
  referencing new table as changed for each statement execute function check_lendings();

-- An asset that is taken from its holder is no longer lent. Holdings are added and removed, and never change.
create function check_released() returns trigger language plpgsql set enable_seqscan = off as $$
begin
  if exists (
    select from before cross join lateral (
      select from asset_lending l where l.asset_id = before.asset_id offset 0
    ) as lent
  ) then
    raise check_violation using message = 'asset_assignment: ended while the asset is lent';
  end if;
  return null;
end $$;

create trigger check_released after delete on asset_assignment
  referencing old table as before for each statement execute function check_released();
create trigger refuse_change before update or truncate on asset_assignment
  for each statement execute function refuse_change();
create trigger refuse_change before update or truncate on asset_lending
  for each statement execute function refuse_change();

-- An employee who is deleted holds nothing.
create function check_members_updated() returns trigger language plpgsql set enable_seqscan = off as $$
begin
  if exists (
    select from changed cross join lateral (
      select from asset_assignment h where h.member_id = changed.id offset 0
    ) as held
    where changed.deleted_time is not null
  ) then
    raise check_violation using message = 'member: deleted while it holds assets';
  end if;
  return null;
end $$;

create trigger check_updated after update on member
  referencing new table as changed for each statement execute function check_members_updated();

-- An asset that becomes a borrowed lock, or stops being one, is no longer held or lent, as one that is transferred.
create or replace function check_assets_updated() returns trigger language plpgsql set enable_seqscan = off as $$
begin
  if exists (
    select from changed cross join lateral (
      select from asset_grant g where g.asset_id = changed.id and g.revoked_time is null offset 0
    ) as granted
    where changed.revoked_time is not null
  ) then
    raise check_violation using message = 'asset: revoked with something active on it';
  end if;
  if exists (
    select from (
      select id from changed where revoked_time is not null
      union all
      select id from (
        select id, customer_id, borrowed_usb_key from changed except select id, customer_id, borrowed_usb_key from before
      ) as moved
    ) as gone
    cross join lateral (
      select from asset_assignment a where a.asset_id = gone.id
      union all
      select from asset_lending l where l.asset_id = gone.id
      union all
      select from asset_lending l where l.lock_asset_id = gone.id
      offset 0
    ) as held
  ) then
    raise check_violation using message = 'asset: revoked or moved while it is assigned or lent';
  end if;
  return null;
end $$;
