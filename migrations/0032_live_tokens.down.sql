create index access_token_member on access_token (member_id) where member_id is not null;
drop index access_token_login;
drop index access_token_application;
