alter table batch drop column request_id;
