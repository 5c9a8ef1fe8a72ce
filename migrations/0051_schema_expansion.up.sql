-- The expansions that have run: migrations beside which processes of the release before go on working. They look into
-- kysely_migration alone, which has the others.
create table schema_expansion (
  name text primary key,
  applied_time timestamptz not null default statement_timestamp()
);
