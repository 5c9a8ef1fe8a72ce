alter table lane_chunk drop column payload_version;
alter table batch drop column digest_version;
