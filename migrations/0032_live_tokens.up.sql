-- The live tokens of an application, and of a user through an application, by age: of too many, the oldest end.
create index access_token_application on access_token (application_id, expires_time) where member_id is null;
create index access_token_login on access_token (member_id, application_id, expires_time) where member_id is not null;
drop index access_token_member;
