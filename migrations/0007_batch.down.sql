drop table batch; drop sequence batch_id;
