-- A row for each process that reads from standbys. It writes its own row each second and looks for it on the standbys: one that
-- shows it follows this primary.
create table replica_mark (
  reader uuid primary key,
  timeline text not null,
  written_ms double precision not null,
  written_time timestamptz not null
);
