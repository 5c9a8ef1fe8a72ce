-- The channels that an application is bound to (rules 2); null if it is bound to none and may name any.
alter table application add column channels text[]
  check (cardinality(channels) > 0 and array_position(channels, null) is null and array_position(channels, '') is null);
