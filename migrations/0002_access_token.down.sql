drop table access_token;
