drop function note_promotion();
drop function skip_ids(bigint, bigint, bigint);
drop sequence skipped_draws;
drop table promotion;
