-- Every g_nonce of the last ten minutes (decisions 3): its key is what makes a second use fail in any process.
create table nonce (
  application_id bigint not null,
  nonce text not null,
  used_time timestamptz not null,
  primary key (application_id, nonce)
);
create index nonce_used_time on nonce (used_time);
