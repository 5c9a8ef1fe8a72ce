drop table webhook_attempt;
drop table webhook_delivery;
drop table webhook;
