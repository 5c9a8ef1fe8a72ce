-- For operators, who search enterprises and customers by the beginning of a name, in any case.
-- Names are folded and compared by their characters, so that what begins with a text lies together, however the database
-- sorts. Orders write to neither table. An index cannot be built concurrently in the transaction of the migrations.
-- squawk-ignore require-concurrent-index-creation
create index enterprise_folded_name on enterprise ((casefold(name collate pg_unicode_fast) collate "C"), id);
-- squawk-ignore require-concurrent-index-creation
create index customer_folded_name on customer ((casefold(name collate pg_unicode_fast) collate "C"), id);
