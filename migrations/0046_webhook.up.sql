-- Webhooks: where events are pushed (rules 6.8), and every message to them with its attempts. The tables are new, so this
-- takes no time and waits for nobody.
--
-- after_position: the events up to it have their deliveries. A worker moves it on and inserts deliveries of the next
-- events, while few are pending; nothing is written where events are. The secrets are kept as they are, because they sign
-- messages; a deleted webhook has none. last_attempt_prompt: whether it was delivered soon. failing_since: when the first attempt began of those that failed in a row; null
-- unless the last one failed.
create table webhook (
  id bigint generated always as identity primary key,
  application_id bigint not null references application,
  url text not null,
  description text,
  secret bytea,
  old_secret bytea,
  old_secret_end_time timestamptz,
  after_position bigint not null check (after_position >= 0),
  last_attempt_prompt boolean,
  failing_since timestamptz,
  created_time timestamptz not null default statement_timestamp(),
  disabled_time timestamptz,
  disabled_cause text check (disabled_cause in ('endpoint_gone', 'attempts_exhausted')),
  deleted_time timestamptz,
  constraint webhook_secret_kept check ((secret is null) = (deleted_time is not null)),
  constraint webhook_old_secret_whole check (num_nonnulls(old_secret, old_secret_end_time) in (0, 2)),
  constraint webhook_disabled_whole check (num_nonnulls(disabled_time, disabled_cause) in (0, 2))
);
create index webhook_application on webhook (application_id, id) where deleted_time is null;
-- For workers, which look each second for what is to be sent.
create index webhook_active on webhook (id) where deleted_time is null and disabled_time is null;
-- For the clean-up.
create index webhook_deleted on webhook (deleted_time) where deleted_time is not null;

-- A message to a webhook: of an event, by its position, or a test. A worker that sends it claims it until claimed_until,
-- and counts the claims: who records an attempt names its claim, so what an earlier claim brings late is not recorded.
create table webhook_delivery (
  id bigint generated always as identity primary key,
  webhook_id bigint not null references webhook on delete cascade,
  position bigint,
  type text not null,
  created_time timestamptz not null default statement_timestamp(),
  state text not null default 'pending',
  due_time timestamptz default statement_timestamp(),
  attempts integer not null default 0,
  claims integer not null default 0,
  claimed_until timestamptz,
  check (state in ('pending', 'delivered', 'failed')),
  check (attempts >= 0 and claims >= 0),
  constraint webhook_delivery_test check ((position is null) = (type = 'webhook.test')),
  constraint webhook_delivery_due check ((state = 'pending') = (due_time is not null))
);
create index webhook_delivery_listed on webhook_delivery (webhook_id, id);
create index webhook_delivery_pending on webhook_delivery (webhook_id, due_time, id) where state = 'pending';
-- For the clean-up.
create index webhook_delivery_created on webhook_delivery (created_time);

create table webhook_attempt (
  delivery_id bigint not null references webhook_delivery on delete cascade,
  number integer not null,
  time timestamptz not null,
  status integer,
  duration_ms integer not null check (duration_ms >= 0),
  fault text,
  primary key (delivery_id, number),
  constraint webhook_attempt_outcome check ((fault is null) = (status is not null and status between 200 and 299))
);
