-- What is stored outlives the release that wrote it, so it says in which form it was written. Rows from before are of
-- form 1.
alter table batch add column digest_version smallint not null default 1;
alter table lane_chunk add column payload_version smallint not null default 1;
