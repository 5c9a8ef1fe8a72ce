drop table batch_key_fill;
drop trigger keep_batch_key on batch;
drop function keep_batch_key();
drop table batch_key;
