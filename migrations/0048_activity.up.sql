-- What the service did, in periods of time: for the console, which shows it for hours without reading orders. Whoever
-- accepts orders or gives them their outcome notes how many it were, one row a transaction, in that very transaction; a
-- worker adds what was noted up. The tables are new, so this takes no time and waits for nobody. What was done before is
-- not in them.

-- What one transaction did, as long as it is not added up. causes: how many orders failed of each cause. It has no CHECK
-- constraints: they would cost an accepted batch more than all else about its row; the tables below have them.
create table uncounted_activity (
  id bigint generated always as identity primary key,
  noted_time timestamptz not null default statement_timestamp(),
  accepted integer not null,
  succeeded integer not null,
  failed integer not null,
  causes jsonb not null
);

-- The orders of ten seconds. The primary key begins with the time, for the clean-up.
create table order_activity (
  period_start timestamptz primary key,
  accepted bigint not null,
  succeeded bigint not null,
  failed bigint not null,
  constraint order_activity_counts check (accepted >= 0 and succeeded >= 0 and failed >= 0)
);

-- The orders that failed of a cause in a minute.
create table failure_activity (
  minute_start timestamptz not null,
  cause text not null,
  failed bigint not null,
  primary key (minute_start, cause),
  constraint failure_activity_counts check (failed > 0)
);
