-- Every g_nonce of the last ten minutes (rules 3). Its primary key makes a second use fail, in whatever process.
create table nonce (
  application_id bigint not null,
  nonce text not null,
  used_time timestamptz not null,
  primary key (application_id, nonce)
);
create index nonce_used_time on nonce (used_time);
