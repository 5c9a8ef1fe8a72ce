-- The schema. Until 1.0.0 is released, changes edit this file, and the service refuses a database that an earlier
-- version of it created. After the release it stays as it is: each change is a migration of its own beside it
-- (docs/deployment.md).
--
-- A unique index whose keys callers choose has a name that ends in _chosen. A statement inserts there only after a read
-- found the key absent, so a violation proves that another transaction came first, and the transaction runs again. A
-- violation of an index that ends in _taken is an answer to the caller. A violation of any other unique index would
-- recur, so nothing retries it.
--
-- Triggers check the ledger once per statement, over all the rows it changed. Foreign keys check row by row: in
-- measurements they took more than half the time of a bulk insert, and they can express less.
--
-- PostgreSQL keeps the plans of a function's first calls until its tables are analyzed again, and those plans may come
-- from small tables. So these functions leave the planner no choice. They compare old and new rows with EXCEPT, and
-- look up everything else row by row (a lateral subquery with OFFSET never becomes another kind of join) through an
-- index (enable_seqscan is off inside them). Where a lookup finds one or two rows for each of many assets,
-- enable_bitmapscan is off too, because a bitmap for each doubles the cost.

-- Folds a text for searches: it ignores case and widths of characters.
create function fold_text(text) returns text language sql immutable strict parallel safe
  return casefold(normalize($1, nfkc) collate pg_unicode_fast) collate "C";

-- What a search compares of a row, in its column `searched`: texts folded, each between the characters 2 and 3, which no
-- text contains. So a search can ask for a whole text or for its beginning.
create function searched_text(variadic text[]) returns text language sql immutable parallel safe
  return fold_text(e'\x02' || array_to_string($1, e'\x03\x02') || e'\x03');

-- The two-character pieces of a text. An index on them finds parts of texts in any script: trigrams of Chinese are empty
-- in some locales, and its words often have two characters.
create function pieces(text) returns text[] language sql immutable strict parallel safe
  return array(select substr($1, n, 2) from generate_series(1, char_length($1) - 1) as n);

-- Refuses every statement that fires its trigger.
create function refuse_change() returns trigger language plpgsql as $$
begin
  raise restrict_violation using constraint = format('%s_no_%s', tg_table_name, lower(tg_op)),
    message = format('%s: %s is not allowed', tg_table_name, lower(tg_op));
end $$;

---------------------------------------------------------------------------------------------------------------------------
-- Applications (rules 2, 3)
---------------------------------------------------------------------------------------------------------------------------

-- Software that calls the API: a channel's system, or the client program of the member center.
create table application (
  id bigint generated always as identity primary key,
  app_key text not null unique,
  name text not null,
  secret_hash bytea not null,
  scopes text[] not null check (scopes <@ array['auth_order', 'auth_me']),
  status text not null default 'pending' check (status in ('pending', 'approved', 'suspended')),
  -- Tokens of earlier generations are revoked.
  token_generation integer not null default 0,
  created_time timestamptz not null default now(),
  -- The channels that the application is bound to; null if it is not bound and may name any.
  channels text[]
    check (cardinality(channels) > 0 and array_position(channels, null) is null and array_position(channels, '') is null),
  -- The secret before the last rotation, valid until old_secret_end_time; null if there is none.
  old_secret_hash bytea,
  old_secret_end_time timestamptz,
  -- Whether it hears of licenses without being bound to their channels, and how many days before their end.
  hears_licenses boolean not null default false,
  lead_days integer[] not null default '{30,7}'
    check (cardinality(lead_days) <= 5 and 1 <= all (lead_days) and 365 >= all (lead_days)),
  check ((old_secret_hash is null) = (old_secret_end_time is null)),
  searched text not null generated always as (searched_text(name, app_key)) stored
);

-- Every g_nonce of the last ten minutes. The primary key makes a second use fail in any process.
create table nonce (
  application_id bigint not null,
  nonce text not null,
  used_time timestamptz not null,
  primary key (application_id, nonce)
);
create index nonce_used_time on nonce (used_time);

-- The answer to each call with an Idempotency-Key of the last 24 hours. The transaction of the call inserts the row, so
-- that a concurrent repeat waits for it, makes the change, and stores the answer.
create table kept_answer (
  application_id bigint not null,
  -- The SHA-256 of the enterprise, in the member center, and the key.
  key_hash bytea not null check (octet_length(key_hash) = 32),
  -- The body of the answer, encrypted with the key and bound to the call. Null only inside the transaction of the call.
  sealed bytea,
  kept_time timestamptz not null default statement_timestamp(),
  primary key (application_id, key_hash)
);
create index kept_answer_kept_time on kept_answer (kept_time);

-- Refused calls (rules 1.3). API processes insert them a moment after the answer, many at once: of many alike only some.
-- `time` is by the database's clock. A row has what the answer said, never the body; `faults` are the cause and the values
-- of each. Later releases may lack an operation or a cause.
create table refused_call (
  id bigint generated always as identity primary key,
  application_id bigint not null,
  time timestamptz not null,
  operation text not null,
  code text not null,
  cause text not null,
  args text[] not null,
  faults jsonb not null,
  request_id text not null,
  channel_order_id text,
  asset_nums text[] not null,
  size integer not null check (size >= 0)
);
create index refused_call_application on refused_call (application_id, time, id);
-- For the lists of operators and the cleanup, and for searches.
create index refused_call_time on refused_call (time, id);
create index refused_call_request on refused_call (request_id, time, id);

-- All refused calls, counted by minute.
create table refusal_count (
  application_id bigint not null,
  minute timestamptz not null,
  operation text not null,
  cause text not null,
  count bigint not null check (count > 0),
  primary key (application_id, minute, operation, cause)
);
-- For the counts of operators and the cleanup.
create index refusal_count_minute on refusal_count (minute);

---------------------------------------------------------------------------------------------------------------------------
-- Enterprises, customers, employees (rules 4, 8)
---------------------------------------------------------------------------------------------------------------------------

-- An enterprise main account. Its id is the enterpriseGlobalId; ids below 100000 are demo data.
create table enterprise (
  id bigint generated by default as identity (start with 100001) primary key,
  name text not null constraint enterprise_name_chosen unique,
  code text not null constraint enterprise_code_chosen unique check (code ~ '^[a-z0-9]{6,10}$'),
  crm_customer_id text constraint enterprise_crm_customer_id_chosen unique,
  security_mobile text,
  created_time timestamptz not null default now(),
  -- The application that called O2; null if O1 or the demo created the enterprise.
  created_by_application_id bigint references application,
  searched text not null generated always as (searched_text(name, id::text, code, crm_customer_id)) stored
);
create index enterprise_searched on enterprise using gin (pieces(searched)) with (gin_pending_list_limit = 64);

-- A channel that has customers. Its id determines the lanes of their orders. Ids start at 1, because 0 means no
-- channel.
create table channel (
  id integer generated always as identity primary key check (id between 1 and 134217726),
  code text not null unique,
  -- When an operator paused the channel; null if it is not paused.
  paused_time timestamptz,
  searched text not null generated always as (searched_text(code)) stored
);
create trigger refuse_change before delete or truncate or update of id, code on channel
  for each statement execute function refuse_change();

-- A channel has four lanes: its id times 4, plus a slot. Orders of a customer take effect in the order of acceptance: the
-- transaction that decides on orders of a lane locks its row. It sets when it is the lane's turn again: later than now by
-- 20 or 100 times what it used. If it fails, next_try delays the lane. Rows are updated often, so pages have room for the next
-- version, and no index names the turn.
create table lane (
  lane integer primary key,
  turn timestamptz not null default statement_timestamp(),
  next_try timestamptz not null default '-infinity',
  -- How often in a row its drains have failed, since when, and the last error.
  failures integer not null default 0 check (failures >= 0),
  failing_since timestamptz,
  last_error text,
  constraint lane_failing check (
    (failures = 0 and num_nulls(failing_since, last_error) = 2)
    or (failures > 0 and num_nulls(failing_since, last_error) = 0)
  )
)
with (fillfactor = 50);
create index lane_failing on lane (failing_since) where failures > 0;

-- Creates the lanes of new channels.
create function make_lanes() returns trigger language plpgsql as $$
begin
  insert into lane (lane) select id * 4 + slot from created cross join generate_series(0, 3) as slot;
  return null;
end $$;
create trigger make_lanes after insert on channel
  referencing new table as created for each statement execute function make_lanes();

-- An authorized customer. It never changes its enterprise or channel. Ids below 100000 are demo data.
create table customer (
  id bigint generated by default as identity (start with 100001) primary key,
  enterprise_id bigint not null references enterprise,
  channel_code text not null references channel (code),
  channel_customer_id text not null,
  name text not null,
  branch_name text not null,
  address text,
  is_default boolean not null,
  created_time timestamptz not null default now(),
  searched text not null generated always as (searched_text(name, id::text, channel_customer_id)) stored,
  constraint customer_key_chosen unique (channel_code, channel_customer_id)
);
create trigger refuse_change before delete or truncate or update of id, enterprise_id, channel_code on customer
  for each statement execute function refuse_change();
create index customer_enterprise on customer (enterprise_id);
create index customer_channel on customer (channel_code, id);
create unique index customer_default_chosen on customer (enterprise_id) where is_default;
create index customer_searched on customer using gin (pieces(searched)) with (gin_pending_list_limit = 64);

-- Who buys for a customer, as its newest order that took effect says: at most one row each, which an operator can erase.
-- Written only when an order says something else than the one before.
create table customer_contact (
  customer_id bigint primary key references customer,
  -- The order that first said so, and when it took effect.
  license_order_id bigint not null,
  updated_time timestamptz not null default statement_timestamp(),
  fields jsonb not null check (jsonb_typeof(fields) = 'object')
);

-- An employee of an enterprise. Its id is the memberGlobalId. The row of a deleted employee stays; the account name
-- becomes available again.
create table member (
  id bigint generated by default as identity (start with 100001) primary key,
  enterprise_id bigint not null references enterprise,
  user_name text not null check (user_name ~ '^[A-Za-z0-9]+$'),
  is_administrator boolean not null,
  created_time timestamptz not null default statement_timestamp(),
  name text not null constraint member_name check (char_length(name) between 1 and 30),
  department_id bigint check (department_id >= 0),
  remark text check (char_length(remark) <= 200),
  password_mobile text,
  -- argon2id in PHC string format; null if the employee cannot log in yet.
  password_hash text check (password_hash like '$argon2id$%'),
  -- True if O2 or an operator created the account, false if an administrator did.
  is_provisioned boolean not null,
  updated_time timestamptz not null default statement_timestamp(),
  deleted_time timestamptz,
  -- An account ends with @ and the enterprise's code.
  searched text not null generated always as (searched_text(name, id::text, user_name || '@')) stored,
  constraint member_times check (updated_time >= created_time and deleted_time >= created_time)
);
create unique index member_account_chosen on member (enterprise_id, user_name) where deleted_time is null;
create index member_newest on member (enterprise_id, id) where deleted_time is null;
create index member_searched on member using gin (pieces(searched)) with (gin_pending_list_limit = 64);
-- For the answer to a resubmitted O2, which also names deleted employees.
create index member_provisioned on member (enterprise_id, user_name, id) where is_provisioned;

-- A deleted employee holds no assets.
create function check_members_updated() returns trigger language plpgsql set enable_seqscan = off as $$
begin
  if exists (
    select from changed cross join lateral (
      select from asset_assignment h where h.member_id = changed.id offset 0
    ) as held
    where changed.deleted_time is not null
  ) then
    raise check_violation using constraint = 'member_deleted_unassigned',
      message = 'member: deleted while assets are assigned';
  end if;
  return null;
end $$;
create trigger check_updated after update on member
  referencing new table as changed for each statement execute function check_members_updated();

-- The audit log of an enterprise: one row for each change in the member center. The actor is an administrator, or 0 for
-- an operator.
create table member_audit (
  id bigint generated always as identity primary key,
  enterprise_id bigint not null references enterprise,
  actor_id bigint not null,
  action text not null,
  target_id bigint references member,
  -- json, because jsonb does not keep the order of fields.
  detail json not null check (detail::jsonb ?& array['before', 'after']),
  request_id text not null,
  recorded_time timestamptz not null default statement_timestamp()
);
create index member_audit_newest on member_audit (enterprise_id, id);
create trigger refuse_change before update or delete or truncate on member_audit
  for each statement execute function refuse_change();

-- A bearer token; only its hash is stored. A token with a member_id is a user token, which ends when the employee is
-- deleted or the password changes. A worker deletes tokens, revoked ones included, when they expire.
create table access_token (
  token_hash bytea primary key,
  application_id bigint not null references application,
  -- The application's token_generation when the token was issued.
  generation integer not null,
  scopes text[] not null,
  expires_time timestamptz not null,
  member_id bigint references member
);
create index access_token_expires_time on access_token (expires_time);
-- The live tokens of an application, and of one user through one application, by age. Above the limit, the oldest end.
create index access_token_application on access_token (application_id, expires_time) where member_id is null;
create index access_token_login on access_token (member_id, application_id, expires_time) where member_id is not null;

-- Failed logins within the last 15 minutes, for names that exist or not. `party` is the application for a user account,
-- the address for an operator's name, and the empty string for the total over all parties. A worker deletes expired
-- rows.
create table login_failure (
  kind text not null check (kind in ('user', 'operator', 'confirmation', 'provider')),
  name_hash bytea not null,
  party text not null,
  failed_times timestamptz[] not null,
  -- When the latest series of failures within 15 minutes began. The operators' audit log has an entry for it.
  first_time timestamptz not null default statement_timestamp(),
  locked_until timestamptz,
  expires_time timestamptz not null,
  primary key (kind, name_hash, party)
);
create index login_failure_expires_time on login_failure (expires_time);

---------------------------------------------------------------------------------------------------------------------------
-- Batches and orders (rules 6)
---------------------------------------------------------------------------------------------------------------------------

-- The accepting statement draws the id, so ids follow the order of acceptance: a call that begins after another was
-- answered gets a higher id. licenseOrderId = id * 8192 + index in orderList.
create sequence batch_id;

-- An accepted O5 call. Only the columns about its completion change.
create table batch (
  id bigint primary key check (id between 1 and 1099511627775),
  application_id bigint not null references application,
  channel_code text not null,
  channel_order_id text not null,
  sync_mode text not null check (sync_mode in ('sync', 'async')),
  digest bytea not null,
  -- The version of the digest's format, because a batch outlives the release that stored it.
  digest_version smallint not null,
  sequences integer[] not null check (cardinality(sequences) between 1 and 8192),
  customer_ids text[] not null,
  order_types text[] not null,
  accepted_time timestamptz not null default now(),
  -- The x-request-id of the call, as in its log lines.
  request_id text not null,
  -- Written once, when the last order gets its outcome: the time, and how many orders succeeded and failed.
  completed_time timestamptz,
  succeeded integer,
  failed integer,
  -- When an operator's retry made the completed batch pending again; null if that never happened. Its next completion
  -- is another event.
  reopened_time timestamptz,
  -- True if orders were retried. The chunks still count the earlier failures of these orders, so only the outcomes say
  -- what is finished.
  has_retries boolean not null default false,
  constraint batch_key_chosen unique (application_id, channel_code, channel_order_id),
  check (cardinality(sequences) = cardinality(customer_ids) and cardinality(sequences) = cardinality(order_types)),
  constraint batch_end_whole check (num_nonnulls(completed_time, succeeded, failed) in (0, 3)),
  constraint batch_end_counts check (succeeded >= 0 and failed >= 0 and succeeded + failed = cardinality(sequences))
);
-- For the sweep, which completes the batches that a crash left open.
create index batch_open on batch (id) where completed_time is null;
-- For the lists of batches. Each index covers one filter, newest first, so every page costs the same. When a batch
-- completes, it leaves the index of open batches, and enters that of failed ones if an order failed.
create index batch_accepted on batch (application_id, accepted_time, id);
create index batch_channel_accepted on batch (application_id, channel_code, accepted_time, id);
create index batch_open_accepted on batch (application_id, accepted_time, id) where completed_time is null;
create index batch_failed_accepted on batch (application_id, accepted_time, id) where failed > 0;
-- A statement that updates none of these columns does not fire the trigger.
create trigger refuse_change before delete or truncate or update of id, application_id, channel_code, channel_order_id,
  sync_mode, digest, digest_version, sequences, customer_ids, order_types, accepted_time, request_id on batch
  for each statement execute function refuse_change();

-- The trace context (W3C, version 00) of the call that sent a batch, for drains and webhooks. Only batches that have one
-- have a row. No column of batch: a wider row makes PostgreSQL expect fewer rows in the empty table, and read all of it
-- instead of its index.
create table batch_trace (
  batch_id bigint primary key,
  traceparent text not null check (length(traceparent) = 55),
  created_time timestamptz not null default now()
);
-- For the cleanup.
create index batch_trace_created on batch_trace (created_time);
create trigger refuse_change before truncate or update on batch_trace
  for each statement execute function refuse_change();

-- The orders of an open batch that belong to one lane. The row exists until the batch completes. While finished_time is
-- null, the payload (JSON, an array of [index in orderList, order]) holds the orders without an outcome; succeeded and
-- failed count the others.
-- The lane is the id of the customers' channel times 4, plus the customer's slot. Lane 0 has the orders that failed at
-- acceptance, because their customers did not exist for the application, in a chunk that is finished from the beginning.
-- The weight limits what one drain takes. Compression cuts the payload's WAL to a quarter.
create table lane_chunk (
  batch_id bigint not null,
  lane integer not null,
  -- The customers that have pending orders in this chunk.
  customer_ids text[] not null,
  order_count integer not null check (order_count > 0),
  weight integer not null check (weight >= order_count),
  payload text,
  payload_version smallint not null,
  accepted_time timestamptz not null default now(),
  finished_time timestamptz,
  succeeded integer not null default 0,
  failed integer not null default 0,
  -- True if all remaining orders are in held_order.
  is_held boolean not null default false,
  primary key (batch_id, lane),
  constraint lane_chunk_times check (finished_time >= accepted_time),
  constraint lane_chunk_pending_content check ((payload is null) = (finished_time is not null)),
  constraint lane_chunk_finished check ((succeeded + failed = order_count) = (finished_time is not null)),
  constraint lane_chunk_counts check (succeeded >= 0 and failed >= 0 and succeeded + failed <= order_count)
)
-- Every row is changed and deleted soon, so vacuum runs early; otherwise a search for pending chunks would read dead
-- rows. The file keeps its size, because a plan that was made while it was empty would read the whole table until the
-- next vacuum.
with (autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 1000, vacuum_truncate = false);
-- The pending chunks, in the order in which they take effect.
create index lane_chunk_pending on lane_chunk (lane, batch_id) where finished_time is null and not is_held;

-- A chunk belongs to an open batch.
create function check_chunks_inserted() returns trigger language plpgsql set enable_seqscan = off as $$
begin
  if exists (
    select from (select distinct batch_id from changed) as chunk
    left join lateral (select b.id, b.completed_time from batch b where b.id = chunk.batch_id offset 0) as sent on true
    where sent.id is null or sent.completed_time is not null
  ) then
    raise foreign_key_violation using constraint = 'lane_chunk_batch_open',
      message = 'lane_chunk: the batch does not exist or is completed';
  end if;
  return null;
end $$;
create trigger check_inserted after insert on lane_chunk
  referencing new table as changed for each statement execute function check_chunks_inserted();

-- Only the statement that completes a batch deletes its chunks, and it counts all their orders.
create function check_chunks_deleted() returns trigger language plpgsql set enable_seqscan = off as $$
begin
  if exists (
    select from removed
    left join lateral (select b.completed_time from batch b where b.id = removed.batch_id offset 0) as sent on true
    where sent.completed_time is null
  ) then
    raise restrict_violation using constraint = 'lane_chunk_batch_completed',
      message = 'lane_chunk: deleted before the batch was completed';
  end if;
  return null;
end $$;
create trigger check_deleted after delete on lane_chunk
  referencing old table as removed for each statement execute function check_chunks_deleted();
create trigger refuse_change before truncate on lane_chunk for each statement execute function refuse_change();

-- A batch completes together with its chunks. It stays completed unless a chunk becomes pending again because of a
-- retry. The first error is a serialization failure: the transaction did not see the retry that another one committed,
-- and succeeds when it runs again.
create function check_batch_ends() returns trigger language plpgsql set enable_seqscan = off as $$
begin
  if exists (
    select from (
      select id, completed_time, succeeded, failed from changed where completed_time is not null
      except select id, completed_time, succeeded, failed from before
    ) as ended
    cross join lateral (select from lane_chunk c where c.batch_id = ended.id offset 0) as chunk
  ) then
    raise serialization_failure using constraint = 'batch_chunks_finished',
      message = 'batch: completed before its chunks';
  end if;
  if exists (
    select from (
      select id, completed_time, succeeded, failed from before where completed_time is not null
      except select id, completed_time, succeeded, failed from changed
    ) as reopened
    left join lateral (
      select c.batch_id from lane_chunk c where c.batch_id = reopened.id and c.finished_time is null limit 1
    ) as pending on true
    where pending.batch_id is null
  ) then
    raise restrict_violation using constraint = 'batch_completion_final',
      message = 'batch: a completion changed without a retry';
  end if;
  return null;
end $$;
create trigger check_ends after update on batch
  referencing old table as before new table as changed for each statement execute function check_batch_ends();

-- A customer whose oldest pending order cannot be applied, and that order. held_order has all the customer's pending
-- orders from chunks that drains have reached.
create table order_hold (
  customer_id text primary key,
  lane integer not null,
  license_order_id bigint not null,
  since timestamptz not null default statement_timestamp(),
  -- Consecutive failed attempts to apply the order.
  tries integer not null default 1 check (tries > 0),
  next_try timestamptz not null,
  last_error text not null
);
create index order_hold_lane on order_hold (lane, next_try);
create index order_hold_due on order_hold (next_try);

-- A pending order of a held customer, moved out of its chunk, which still counts it. `content` is a list with this one
-- order; null while the order is still in its chunk, because the chunk cannot be read.
create table held_order (
  license_order_id bigint primary key,
  customer_id text not null references order_hold,
  batch_id bigint not null,
  lane integer not null,
  sequence integer not null,
  payload_version smallint not null,
  -- A list with this order, as in a payload. An unknown version can't be read.
  content text not null,
  -- The order in which they take effect.
  unique (customer_id, batch_id, sequence)
);
create index held_order_batch on held_order (batch_id, lane);

-- An order with an outcome: it succeeded if cause is null. A pending order has no row yet.
create table license_order (
  id bigint primary key,
  order_type text not null check (order_type in ('new_buy', 'delete_asset', 'delete_product')),
  customer_id text not null,
  cause text,
  -- The values in the message of the cause, whose template is in the code.
  args jsonb check (jsonb_typeof(args) = 'array'),
  assets integer not null check (assets >= 0),
  products integer not null check (products >= 0),
  finished_time timestamptz not null default statement_timestamp(),
  -- The srcLicenseOrderId of an order that succeeded.
  src_license_order_id bigint,
  check ((cause is null) = (args is null)),
  check (cause is null or (assets = 0 and products = 0))
);
-- The orders of a customer that have an outcome. Costs every order an index entry of about 30 bytes.
create index license_order_customer on license_order (customer_id, id);
-- The failed orders of a batch. Costs only failed orders an index entry.
create index license_order_failed on license_order (id) where cause is not null;
-- For the list of orders that failed with internal_error. There are few.
create index license_order_internal_error on license_order (id) where cause = 'internal_error';
create trigger refuse_change before update or truncate on license_order
  for each statement execute function refuse_change();

-- The former outcome of an order that failed with internal_error and was made pending again.
create table order_retry (
  id bigint generated always as identity primary key,
  license_order_id bigint not null,
  cause text not null,
  args jsonb not null,
  finished_time timestamptz not null,
  retried_time timestamptz not null default statement_timestamp()
);
create index order_retry_order on order_retry (license_order_id, finished_time);
create trigger refuse_change before update or delete or truncate on order_retry
  for each statement execute function refuse_change();

-- An outcome can be deleted only if it is internal_error and order_retry has a copy.
create function check_taken_back() returns trigger language plpgsql set enable_seqscan = off as $$
begin
  if exists (
    select from removed
    left join lateral (
      select r.id from order_retry r
      where r.license_order_id = removed.id and r.finished_time = removed.finished_time
        and r.cause = removed.cause and r.args = removed.args offset 0
    ) as record on true
    where removed.cause is distinct from 'internal_error' or record.id is null
  ) then
    raise restrict_violation using constraint = 'license_order_no_delete',
      message = 'license_order: an outcome deleted without a retry';
  end if;
  return null;
end $$;
create trigger check_taken_back after delete on license_order
  referencing old table as removed for each statement execute function check_taken_back();

-- The content of an order that failed at acceptance or in a drain or was cancelled, as it is stored while pending. It serves to retry
-- the order, to return it to the application that sent it, and to find it by asset number. Rows are deleted after
-- FAILED_ORDER_DAYS. Only failed orders pay for this table. One transaction writes outcome and content in either order,
-- so the foreign key is checked at commit.
create table failed_order (
  license_order_id bigint primary key references license_order deferrable initially deferred,
  payload_version smallint not null,
  content text not null,
  failed_time timestamptz not null default statement_timestamp(),
  asset_nums text[] not null
);
-- The statement that fills the list of pending entries moves them into the index. A short list bounds how long it takes.
create index failed_order_asset_nums on failed_order using gin (asset_nums) with (gin_pending_list_limit = 64);
-- Oldest first, for the cleanup.
create index failed_order_failed_time on failed_order (failed_time);

---------------------------------------------------------------------------------------------------------------------------
-- The ledger (rules 5, 6, 7)
---------------------------------------------------------------------------------------------------------------------------
-- Times are those of the writing statement, not of its transaction. A transaction begins before it gets its locks, so
-- its own time could precede that of a row which another transaction changed meanwhile. Ledger rows are never deleted:
-- a revoked row stays unchanged, with the order that revoked it.

-- Ids of assets, merchandise and product instances. One draw takes a block of 1000, so that a drain of thousands of
-- orders asks once. Gaps are harmless.
create sequence ledger_id increment by 1000 start with 1000000;

-- An asset, active until revoked_time. The number of a revoked asset can be bought again. Columns of eight bytes come
-- first and strings last, so that rows need no padding.
create table asset (
  id bigint primary key,
  customer_id bigint not null,
  created_by_order_id bigint not null,
  created_time timestamptz not null default statement_timestamp(),
  updated_time timestamptz not null default statement_timestamp(),
  limit_start_date bigint,
  limit_end_date bigint,
  revoked_time timestamptz,
  revoked_by_order_id bigint,
  -- Lets readers of many assets check the size of the extended attributes without loading them.
  extends_bytes integer generated always as (octet_length(extends::text)) stored
    constraint asset_extends_bytes check (extends_bytes <= 262144),
  borrowed_usb_key boolean not null,
  -- Hardware locks can be disabled (O6, O7), and certificates frozen.
  locked boolean not null default false,
  freezing boolean not null default false,
  asset_num text not null,
  license_type text not null constraint asset_license_type check (license_type in (
    'normal_unrecover_usbkey', 'normal_recover_usbkey', 'normal_unrecover_lan_usbkey', 'normal_recover_lan_usbkey',
    'identity_usbkey', 'identity_lan_usbkey', 'softkey', 'lan_softkey', 'product_entity', 'cloud_account',
    'cloud_customer', 'cloud_personal', 'lk_product_usbkey', 'lk_auth_usbkey'
  )),
  -- Extended attributes by code, at most 100; null if there are none.
  extends jsonb check (jsonb_typeof(extends) = 'object' and extends <> '{}'),
  constraint asset_lockable check (not locked or license_type in (
    'normal_recover_usbkey', 'normal_recover_lan_usbkey', 'lk_product_usbkey', 'lk_auth_usbkey'
  )),
  constraint asset_freezable check (not freezing or license_type in ('softkey', 'lan_softkey')),
  constraint asset_times check (updated_time >= created_time and revoked_time >= created_time),
  constraint asset_revoked_by check ((revoked_time is null) = (revoked_by_order_id is null))
);
create unique index asset_active_number_chosen on asset (asset_num) where revoked_time is null;
-- The assets of a customer, newest first.
create index asset_customer on asset (customer_id, created_time) where revoked_time is null;
create index asset_customer_revoked on asset (customer_id, revoked_time) where revoked_time is not null;
-- For the list of the newest assets. Ids do not give the order, because each process draws its own blocks. The id is in
-- none of these indexes: rows of one statement share a time, which PostgreSQL then stores once. A page sorts the rows of
-- one statement, at most 2,000.
create index asset_newest on asset (created_time) where revoked_time is null;
-- Assets in the order of their changes. A purchase is in asset_newest, so it costs nothing here.
create index asset_changed on asset (updated_time) where updated_time > created_time or revoked_time is not null;
-- Which assets end on a day (since 1970-01-01 UTC), and on which a product does.
create index asset_end on asset (((limit_end_date / 86400000)::integer), id)
  where revoked_time is null and limit_end_date is not null;
-- Finds the revoked assets of a number. Costs a revocation one entry, and a purchase nothing.
create index asset_revoked_number on asset (asset_num, revoked_time) where revoked_time is not null;

-- What one order put on one asset. The grant is active until a delete_asset names the order or the asset is revoked.
create table asset_grant (
  asset_id bigint not null,
  license_order_id bigint not null,
  created_time timestamptz not null default statement_timestamp(),
  revoked_time timestamptz,
  revoked_by_order_id bigint,
  primary key (asset_id, license_order_id),
  constraint asset_grant_times check (revoked_time >= created_time),
  constraint asset_grant_revoked_by check ((revoked_time is null) = (revoked_by_order_id is null))
);
-- For the console: what an order did. Grants are written roughly in the order of their ids, so a summary per few pages
-- finds the active ones, and a purchase pays next to nothing: PostgreSQL summarizes a page when it is full. Grants from
-- transfers and late orders are outliers, which this kind of summary tolerates.
create index asset_grant_order on asset_grant using brin (license_order_id int8_minmax_multi_ops)
  with (pages_per_range = 16, autosummarize = on) where revoked_time is null;
-- The revoked grants: by asset, by their order, and by the order that revoked them. Only a revocation pays for the
-- entries.
create index asset_grant_revoked on asset_grant (asset_id, revoked_by_order_id) where revoked_time is not null;
create index asset_grant_revoked_order on asset_grant (license_order_id) where revoked_time is not null;
create index asset_grant_revoker on asset_grant (revoked_by_order_id) where revoked_time is not null;

-- A merchandise that an order bought for an asset, nested as it was sent. After a transfer, held_by_order_id names the
-- order that transferred the asset; it is null while the merchandise belongs to the grant of the order that bought it.
create table merchandise_instance (
  id bigint primary key,
  asset_id bigint not null,
  license_order_id bigint not null,
  parent_id bigint references merchandise_instance,
  crm_product_id text not null,
  parent_crm_product_id text not null,
  merchandise_num text not null,
  merchandise_name text not null,
  parent_merchandise_num text not null,
  time_duration_expression text not null,
  created_time timestamptz not null default statement_timestamp(),
  updated_time timestamptz not null default statement_timestamp(),
  revoked_time timestamptz,
  held_by_order_id bigint,
  revoked_by_order_id bigint,
  constraint merchandise_instance_times check (updated_time >= created_time and revoked_time >= created_time),
  constraint merchandise_instance_revoked_by check ((revoked_time is null) = (revoked_by_order_id is null))
);
-- The active merchandise on an asset, by the order whose grant it belongs to, and inside a merchandise.
create index merchandise_instance_active on merchandise_instance (asset_id, coalesce(held_by_order_id, license_order_id))
  where revoked_time is null;
create index merchandise_instance_inside on merchandise_instance (parent_id)
  where revoked_time is null and parent_id is not null;
-- Pages through what an order bought for an asset, or revoked there, at the same cost however much has been revoked
-- over the years.
create index merchandise_instance_once_bought on merchandise_instance (asset_id, license_order_id, id)
  where revoked_time is not null;
create index merchandise_instance_revoked on merchandise_instance (asset_id, revoked_by_order_id, id)
  where revoked_time is not null;

-- A hash of a product URI. It is stored, so its result must not depend on the version of PostgreSQL. Here and in the
-- digest, backslashes are doubled only for the cast.
create function hash_uri(uri text) returns integer language sql immutable strict parallel safe
  return (crc32(replace(uri, '\', '\\')::bytea) - 2147483648)::integer;

-- License terms: the fields of a product that do not depend on one order or license, stored once for all products with
-- the same fields. `fields` is the JSON that the writer sent, without passwords, CRM ids and limits; the other columns
-- derive from it, and the digest is over its bytes. Transactions that store the same terms at the same time, and
-- releases that write them differently, store two rows. That is harmless, and a unique index would make one transaction
-- wait until the other ends.
-- Terms are looked up one by one. From the statistics of a table of a few pages, PostgreSQL plans to read all of it for
-- each, and keeps that plan while the table grows. So autovacuum collects the first statistics from a thousand rows.
create table product_terms (
  id bigint generated always as identity primary key,
  -- Indexes hold this hash in place of the URI.
  uri_hash integer not null generated always as (hash_uri(fields ->> 'productUri')) stored,
  product_uri text not null generated always as (fields ->> 'productUri') stored,
  product_name text not null generated always as (fields ->> 'productName') stored,
  fields json not null,
  digest bytea not null generated always as (sha256(replace(fields::text, '\', '\\')::bytea)) stored
)
with (autovacuum_analyze_threshold = 1000);
create index product_terms_digest on product_terms (digest);
create trigger refuse_change before update or delete or truncate on product_terms
  for each statement execute function refuse_change();

-- A product that an order bought for an asset, inside a merchandise or not. Customer and asset number are those of the
-- asset, the channel that of the order's batch. `passwords` are those of the license inside the lock.
create table product_instance (
  id bigint primary key,
  asset_id bigint not null,
  license_order_id bigint not null,
  terms_id bigint not null,
  created_time timestamptz not null default statement_timestamp(),
  updated_time timestamptz not null default statement_timestamp(),
  -- A copy from its terms.
  uri_hash integer not null,
  limit_concurrent integer not null check (limit_concurrent >= 0),
  merchandise_id bigint references merchandise_instance,
  limit_start_date bigint,
  limit_end_date bigint,
  src_license_order_id bigint,
  revoked_time timestamptz,
  held_by_order_id bigint,
  revoked_by_order_id bigint,
  crm_product_id text not null,
  parent_crm_product_id text not null,
  passwords text[],
  constraint product_instance_period check (limit_start_date <= limit_end_date),
  constraint product_instance_times check (updated_time >= created_time and revoked_time >= created_time),
  constraint product_instance_revoked_by check ((revoked_time is null) = (revoked_by_order_id is null))
);
-- The active products on an asset, by the order whose grant they belong to and by URI. A search by URI alone skips from
-- one order to the next, so a purchase pays for one index only.
create index product_instance_active on product_instance
  (asset_id, coalesce(held_by_order_id, license_order_id), uri_hash) where revoked_time is null;
create index product_instance_end on product_instance (((limit_end_date / 86400000)::integer), asset_id)
  where revoked_time is null and limit_end_date is not null;
create index product_instance_inside on product_instance (merchandise_id)
  where revoked_time is null and merchandise_id is not null;
create index product_instance_once_bought on product_instance (asset_id, license_order_id, id) where revoked_time is not null;
create index product_instance_revoked on product_instance (asset_id, revoked_by_order_id, id) where revoked_time is not null;
-- The products that an order revoked.
create index product_instance_revoker on product_instance (revoked_by_order_id) where revoked_time is not null;

-- A transfer: an order moved an asset from one customer to another. The order has a grant of what it moved, which is
-- written later, so that foreign key is checked at commit.
create table asset_transfer (
  asset_id bigint not null,
  license_order_id bigint not null,
  from_customer_id bigint not null references customer,
  to_customer_id bigint not null references customer,
  transferred_time timestamptz not null default statement_timestamp(),
  primary key (asset_id, license_order_id),
  constraint asset_transfer_granted foreign key (asset_id, license_order_id) references asset_grant
    deferrable initially deferred,
  check (from_customer_id <> to_customer_id)
);
create index asset_transfer_order on asset_transfer (license_order_id);
create trigger refuse_change before update or delete or truncate on asset_transfer
  for each statement execute function refuse_change();

-- Numbers assignments and loans, in the order in which they begin.
create sequence holding_id;

-- Which employee an asset is assigned to. When that ends, the row moves to ended_holding; revoking or transferring the asset
-- ends it too. created_by is an administrator, or 0 for an operator; enterprise_id is that of the employee.
create table asset_assignment (
  id bigint not null default nextval('holding_id'),
  asset_id bigint constraint asset_assignment_chosen primary key references asset,
  member_id bigint not null references member,
  enterprise_id bigint not null,
  created_time timestamptz not null default statement_timestamp(),
  created_by bigint not null
);
create index asset_assignment_enterprise on asset_assignment (enterprise_id, id);
create index asset_assignment_member on asset_assignment (member_id, id);
create trigger refuse_change before update or truncate on asset_assignment
  for each statement execute function refuse_change();

-- Which borrowed lock an asset is lent into. When that ends, the row moves to ended_holding; revoking or transferring the
-- asset or the lock ends it too. enterprise_id is that of the employee.
create table asset_lending (
  id bigint not null default nextval('holding_id'),
  asset_id bigint constraint asset_lending_chosen primary key references asset,
  lock_asset_id bigint not null references asset,
  enterprise_id bigint not null,
  created_time timestamptz not null default statement_timestamp(),
  created_by bigint not null,
  check (asset_id <> lock_asset_id)
);
create index asset_lending_enterprise on asset_lending (enterprise_id, id);
create index asset_lending_lock on asset_lending (lock_asset_id);
create trigger refuse_change before update or truncate on asset_lending
  for each statement execute function refuse_change();

-- Assignments and loans that have ended; a loan has a lock. Either an order ended it, or an administrator (0: an operator).
-- It has no foreign keys, because rows come from the two tables above: checking one would wait for the employee or the lock
-- while their transactions wait for the asset.
create table ended_holding (
  id bigint primary key,
  asset_id bigint not null,
  member_id bigint not null,
  lock_asset_id bigint,
  enterprise_id bigint not null,
  began_time timestamptz not null,
  began_by bigint not null,
  ended_time timestamptz not null,
  ended_by_order_id bigint,
  ended_by bigint,
  end_cause text not null check (end_cause in ('withdrawn', 'employee_deleted', 'order', 'lock')),
  constraint ended_holding_times check (ended_time >= began_time),
  constraint ended_holding_ended_by check (
    num_nonnulls(ended_by_order_id, ended_by) = 1
    and (ended_by is not null) = (end_cause = 'withdrawn' or end_cause = 'employee_deleted')
  )
);
create index ended_holding_enterprise on ended_holding (enterprise_id, id);
create index ended_holding_asset on ended_holding (asset_id, id);
create index ended_holding_member on ended_holding (member_id, id);
create index ended_holding_lock on ended_holding (lock_asset_id, id) where lock_asset_id is not null;
create trigger refuse_change before update or delete or truncate on ended_holding
  for each statement execute function refuse_change();

-- Who disabled or enabled a lock, or froze or unfroze a certificate: one row for each change.
create table lock_audit (
  id bigint generated always as identity primary key,
  asset_id bigint not null references asset,
  action text not null check (action in ('locked', 'unlocked', 'frozen', 'unfrozen')),
  operator_identity text not null,
  application_id bigint not null references application,
  request_id text not null,
  recorded_time timestamptz not null default statement_timestamp()
);
create index lock_audit_asset on lock_audit (asset_id);
create trigger refuse_change before update or delete or truncate on lock_audit
  for each statement execute function refuse_change();

-- How many asset numbers of each region have been handed out (O9). The last number was first_digit followed by this
-- count in nine digits. It is a row, not a sequence, so that a call that asks for more numbers than are left takes
-- none.
create table asset_number (
  first_digit smallint primary key check (first_digit in (6, 8)),
  handed_out integer not null check (handed_out between 0 and 999999999)
);
insert into asset_number (first_digit, handed_out) values (6, 0), (8, 0);

-- No row is deleted. An asset's number and license type never change, nor does what was bought: by which order, for
-- which asset, inside which merchandise. A statement that updates none of these columns does not fire the trigger.
create trigger refuse_change before delete or truncate or update of id, asset_num, license_type, created_by_order_id on asset
  for each statement execute function refuse_change();
create trigger refuse_change before delete or truncate or update of asset_id, license_order_id on asset_grant
  for each statement execute function refuse_change();
create trigger refuse_change before delete or truncate or update of id, asset_id, license_order_id, parent_id on merchandise_instance
  for each statement execute function refuse_change();
create trigger refuse_change before delete or truncate or update of id, asset_id, license_order_id, merchandise_id, terms_id, uri_hash
  on product_instance
  for each statement execute function refuse_change();

-- A revoked row never changes.
create function check_revoked_stays() returns trigger language plpgsql as $$
begin
  if exists (select from before where revoked_time is not null) then
    raise check_violation using constraint = tg_table_name || '_revoked_final',
      message = tg_table_name || ': a revoked row changed';
  end if;
  return null;
end $$;
create trigger check_revoked_stays after update on asset
  referencing old table as before for each statement execute function check_revoked_stays();
create trigger check_revoked_stays after update on asset_grant
  referencing old table as before for each statement execute function check_revoked_stays();
create trigger check_revoked_stays after update on merchandise_instance
  referencing old table as before for each statement execute function check_revoked_stays();
create trigger check_revoked_stays after update on product_instance
  referencing old table as before for each statement execute function check_revoked_stays();

-- An asset is active when it is inserted, even if the same transaction revokes it, so that of two transactions that buy
-- a number, the unique index lets only one decide that it was free.
create function check_assets_inserted() returns trigger language plpgsql as $$
begin
  if exists (select from changed where revoked_time is not null) then
    raise check_violation using constraint = 'asset_inserted_active', message = 'asset: inserted as revoked';
  end if;
  return null;
end $$;
create trigger check_inserted after insert on asset
  referencing new table as changed for each statement execute function check_assets_inserted();

-- An asset belongs to an existing customer.
create function check_customers() returns trigger language plpgsql set enable_seqscan = off as $$
begin
  if exists (
    select from changed
    left join lateral (select c.id from customer c where c.id = changed.customer_id offset 0) as owner on true
    where owner.id is null
  ) then
    raise foreign_key_violation using constraint = 'asset_customer_exists',
      message = 'asset: the customer does not exist';
  end if;
  return null;
end $$;
create trigger check_customers_of_inserted after insert on asset
  referencing new table as changed for each statement execute function check_customers();
create trigger check_customers_of_updated after update on asset
  referencing new table as changed for each statement execute function check_customers();

-- An asset changes its customer only with transfers from the one to the other, which name the orders. A writer that has
-- missed a transfer to a third customer is refused.
create function check_transferred() returns trigger language plpgsql set enable_seqscan = off as $$
begin
  if exists (
    select from (
      select id, null::bigint as from_id, customer_id as to_id
      from (select id, customer_id from changed except select id, customer_id from before) as moved
      union all
      select id, customer_id, null
      from (select id, customer_id from before except select id, customer_id from changed) as left_by
    ) as moved
    left join lateral (
      select t.asset_id from asset_transfer t
      where t.asset_id = moved.id and (t.from_customer_id = from_id or t.to_customer_id = to_id) limit 1
    ) as transfer on true
    where transfer.asset_id is null
  ) then
    raise check_violation using constraint = 'asset_transfer_recorded',
      message = 'asset: the customer changed without a transfer';
  end if;
  return null;
end $$;
create trigger check_transferred after update on asset
  referencing old table as before new table as changed for each statement execute function check_transferred();

-- What is active lies in what is active: an asset, on it a grant, under it and inside each other merchandise and
-- products. These triggers check that where rows are written. So writers go in this order: contents are moved and
-- revoked, then merchandise, grants and assets are revoked, then new assets, grants, merchandise and products are
-- inserted. How much an asset may hold is not checked here.

-- An asset is revoked only by an order of its customer, and if it has no active grant, and so no active contents. When
-- an asset is revoked, changes its customer, or becomes or stops being a borrowed lock, it is neither assigned nor lent,
-- and nothing is lent into it.
create function check_assets_updated() returns trigger language plpgsql
set enable_seqscan = off set enable_bitmapscan = off as $$
begin
  if exists (
    select from changed cross join lateral (
      select from asset_grant g where g.asset_id = changed.id and g.revoked_time is null offset 0
    ) as granted
    where changed.revoked_time is not null
  ) then
    raise check_violation using constraint = 'asset_revoked_empty', message = 'asset: revoked while a grant is active';
  end if;
  if exists (
    select from changed
    left join lateral (
      select o.customer_id from license_order o where o.id = changed.revoked_by_order_id offset 0
    ) as revoking on true
    where changed.revoked_time is not null and revoking.customer_id is distinct from changed.customer_id::text
  ) then
    raise check_violation using constraint = 'asset_revoked_by_customer',
      message = 'asset: revoked by an order of another customer';
  end if;
  if exists (
    select from (
      select id from changed where revoked_time is not null
      union all
      select id from (
        select id, customer_id, borrowed_usb_key from changed except select id, customer_id, borrowed_usb_key from before
      ) as moved
    ) as gone
    cross join lateral (
      select from asset_assignment a where a.asset_id = gone.id
      union all
      select from asset_lending l where l.asset_id = gone.id
      union all
      select from asset_lending l where l.lock_asset_id = gone.id
      offset 0
    ) as held
  ) then
    raise check_violation using constraint = 'asset_released',
      message = 'asset: revoked or moved while assigned or lent';
  end if;
  return null;
end $$;
create trigger check_updated after update on asset
  referencing old table as before new table as changed for each statement execute function check_assets_updated();

-- An active grant belongs to an active asset and to a new_buy of the same customer, and every grant to an asset and to a
-- new_buy that succeeded. A transfer moves contents to its order before it inserts the grant; if that is inserted as
-- revoked, so are they.
create function check_grants_inserted() returns trigger language plpgsql
set enable_seqscan = off set enable_bitmapscan = off as $$
begin
  if exists (
    select from changed
    left join lateral (select a.id, a.revoked_time from asset a where a.id = changed.asset_id offset 0) as asset on true
    where asset.id is null or (changed.revoked_time is null and asset.revoked_time is not null)
  ) then
    raise foreign_key_violation using constraint = 'asset_grant_asset',
      message = 'asset_grant: the asset does not exist or is revoked';
  end if;
  if exists (
    select from changed
    left join lateral (
      select o.order_type, o.cause, o.customer_id from license_order o where o.id = changed.license_order_id offset 0
    ) as bought on true
    left join lateral (
      select a.customer_id::text from asset a where a.id = changed.asset_id and changed.revoked_time is null offset 0
    ) as asset on true
    where bought.order_type is distinct from 'new_buy' or bought.cause is not null or bought.customer_id <> asset.customer_id
  ) then
    raise foreign_key_violation using constraint = 'asset_grant_order',
      message = 'asset_grant: the order is not a new_buy of the customer that succeeded';
  end if;
  return null;
end $$;
create trigger check_inserted after insert on asset_grant
  referencing new table as changed for each statement execute function check_grants_inserted();

-- A revoked grant has no active contents.
create function check_revoked_grants_empty() returns trigger language plpgsql set enable_seqscan = off as $$
begin
  if exists (
    select from changed
    cross join lateral (
      select from product_instance p
      where p.asset_id = changed.asset_id and p.revoked_time is null
        and coalesce(p.held_by_order_id, p.license_order_id) = changed.license_order_id
      union all
      select from merchandise_instance m
      where m.asset_id = changed.asset_id and m.revoked_time is null
        and coalesce(m.held_by_order_id, m.license_order_id) = changed.license_order_id
      offset 0
    ) as active
    where changed.revoked_time is not null
  ) then
    raise check_violation using constraint = 'asset_grant_revoked_empty',
      message = 'asset_grant: revoked with active contents';
  end if;
  return null;
end $$;
create trigger check_revoked_empty_inserted after insert on asset_grant
  referencing new table as changed for each statement execute function check_revoked_grants_empty();
create trigger check_revoked_empty_updated after update on asset_grant
  referencing new table as changed for each statement execute function check_revoked_grants_empty();

-- A product or merchandise is under a grant of the order that holds it, an active one under an active grant.
create function check_granted() returns trigger language plpgsql
set enable_seqscan = off set enable_bitmapscan = off as $$
begin
  if exists (
    select from (
      select asset_id, coalesce(held_by_order_id, license_order_id) as order_id, bool_or(revoked_time is null) as is_active
      from changed group by 1, 2
    ) as held
    left join lateral (
      select g.asset_id, g.revoked_time from asset_grant g
      where g.asset_id = held.asset_id and g.license_order_id = held.order_id offset 0
    ) as granted on true
    where granted.asset_id is null or (held.is_active and granted.revoked_time is not null)
  ) then
    raise foreign_key_violation using constraint = tg_table_name || '_granted',
      message = tg_table_name || ': without a grant, or active under a revoked one';
  end if;
  return null;
end $$;
create trigger check_granted after insert on merchandise_instance
  referencing new table as changed for each statement execute function check_granted();
create trigger check_granted after insert on product_instance
  referencing new table as changed for each statement execute function check_granted();

-- The merchandise around a product or merchandise belongs to the same asset and order, and is active around an active
-- one.
create function check_merchandises_inserted() returns trigger language plpgsql set enable_seqscan = off as $$
begin
  if exists (
    select from changed
    left join lateral (
      select m.asset_id, m.license_order_id, m.revoked_time from merchandise_instance m
      where m.id = changed.parent_id offset 0
    ) as parent on true
    where changed.parent_id is not null and (
      (parent.asset_id, parent.license_order_id) is distinct from (changed.asset_id, changed.license_order_id)
      or (changed.revoked_time is null and parent.revoked_time is not null)
    )
  ) then
    raise foreign_key_violation using constraint = 'merchandise_instance_inside',
      message = 'merchandise_instance: the merchandise around it is of another order or revoked';
  end if;
  return null;
end $$;
create trigger check_inserted after insert on merchandise_instance
  referencing new table as changed for each statement execute function check_merchandises_inserted();

-- A new product also has terms that exist, with the hash of their URI.
create function check_products_inserted() returns trigger language plpgsql set enable_seqscan = off as $$
begin
  if exists (
    select from (
      select merchandise_id, asset_id, license_order_id, bool_or(revoked_time is null) as is_active
      from changed where merchandise_id is not null group by 1, 2, 3
    ) as inside
    left join lateral (
      select m.asset_id, m.license_order_id, m.revoked_time from merchandise_instance m
      where m.id = inside.merchandise_id offset 0
    ) as parent on true
    where (parent.asset_id, parent.license_order_id) is distinct from (inside.asset_id, inside.license_order_id)
      or (inside.is_active and parent.revoked_time is not null)
  ) then
    raise foreign_key_violation using constraint = 'product_instance_inside',
      message = 'product_instance: the merchandise around it is of another order or revoked';
  end if;
  if exists (
    select from (select distinct terms_id, uri_hash from changed) as named
    left join lateral (select t.uri_hash from product_terms t where t.id = named.terms_id offset 0) as terms on true
    where terms.uri_hash is distinct from named.uri_hash
  ) then
    raise foreign_key_violation using constraint = 'product_instance_terms',
      message = 'product_instance: the terms do not exist or have another hash';
  end if;
  return null;
end $$;
create trigger check_inserted after insert on product_instance
  referencing new table as changed for each statement execute function check_products_inserted();

-- A revoked merchandise has nothing active inside.
create function check_merchandises_updated() returns trigger language plpgsql set enable_seqscan = off as $$
begin
  if exists (
    select from changed
    cross join lateral (
      select from product_instance p where p.merchandise_id = changed.id and p.revoked_time is null
      union all
      select from merchandise_instance m where m.parent_id = changed.id and m.revoked_time is null
      offset 0
    ) as active
    where changed.revoked_time is not null
  ) then
    raise check_violation using constraint = 'merchandise_instance_revoked_empty',
      message = 'merchandise_instance: revoked with active contents';
  end if;
  return null;
end $$;
create trigger check_updated after update on merchandise_instance
  referencing new table as changed for each statement execute function check_merchandises_updated();

-- Only an order that transfers an asset takes over its contents, before its grant is inserted.
create function check_taken_over() returns trigger language plpgsql set enable_seqscan = off as $$
begin
  if exists (
    select from (
      select distinct asset_id, held_by_order_id from (
        select id, asset_id, held_by_order_id from changed except select id, asset_id, held_by_order_id from before
      ) as moved
    ) as taken
    left join lateral (
      select t.asset_id from asset_transfer t
      where t.asset_id = taken.asset_id and t.license_order_id = taken.held_by_order_id offset 0
    ) as transfer on true
    left join lateral (
      select g.asset_id from asset_grant g
      where g.asset_id = taken.asset_id and g.license_order_id = taken.held_by_order_id offset 0
    ) as granted on true
    where transfer.asset_id is null or granted.asset_id is not null
  ) then
    raise check_violation using constraint = tg_table_name || '_transferred',
      message = tg_table_name || ': held by an order that does not transfer the asset';
  end if;
  return null;
end $$;
create trigger check_taken_over after update on merchandise_instance
  referencing old table as before new table as changed for each statement execute function check_taken_over();
create trigger check_taken_over after update on product_instance
  referencing old table as before new table as changed for each statement execute function check_taken_over();

-- Only an active asset can be assigned, lent, or lent into. The arguments name the columns that refer to assets.
create function check_holdings() returns trigger language plpgsql set enable_seqscan = off as $$
declare
  column_name text;
  misheld boolean;
begin
  foreach column_name in array tg_argv loop
    execute format('select exists (
      select from changed left join lateral (
        select a.id from asset a where a.id = changed.%I and a.revoked_time is null offset 0
      ) as active on true where active.id is null
    )', column_name) into misheld;
    if misheld then
      raise foreign_key_violation using constraint = tg_table_name || '_asset_active',
        message = tg_table_name || ': the asset is not active';
    end if;
  end loop;
  return null;
end $$;
create trigger check_inserted after insert on asset_assignment
  referencing new table as changed for each statement execute function check_holdings('asset_id');
create trigger check_inserted after insert on asset_lending
  referencing new table as changed for each statement execute function check_holdings('asset_id', 'lock_asset_id');

-- An employee can be assigned assets of the same enterprise only, no borrowed locks, and none after being deleted.
create function check_assignments() returns trigger language plpgsql set enable_seqscan = off as $$
begin
  if exists (
    select from changed
    cross join lateral (
      select a.customer_id, a.borrowed_usb_key from asset a where a.id = changed.asset_id offset 0
    ) as held
    cross join lateral (select c.enterprise_id from customer c where c.id = held.customer_id offset 0) as owner
    cross join lateral (
      select m.enterprise_id, m.deleted_time from member m where m.id = changed.member_id offset 0
    ) as holder
    where held.borrowed_usb_key or holder.deleted_time is not null or holder.enterprise_id <> owner.enterprise_id
      or changed.enterprise_id <> holder.enterprise_id
  ) then
    raise check_violation using constraint = 'asset_assignment_allowed',
      message = 'asset_assignment: the employee cannot hold this asset';
  end if;
  return null;
end $$;
create trigger check_assignments after insert on asset_assignment
  referencing new table as changed for each statement execute function check_assignments();

-- An assignment cannot end while the asset is lent.
create function check_released() returns trigger language plpgsql set enable_seqscan = off as $$
begin
  if exists (
    select from before cross join lateral (
      select from asset_lending l where l.asset_id = before.asset_id offset 0
    ) as lent
  ) then
    raise check_violation using constraint = 'asset_assignment_not_lent',
      message = 'asset_assignment: ended while the asset is lent';
  end if;
  return null;
end $$;
create trigger check_released after delete on asset_assignment
  referencing old table as before for each statement execute function check_released();

-- Only an assigned asset can be lent, into a borrowed lock of the same enterprise. A lock holds assets of one employee
-- at a time.
create function check_lendings() returns trigger language plpgsql set enable_seqscan = off as $$
begin
  if exists (
    select from changed
    left join lateral (
      select h.member_id from asset_assignment h where h.asset_id = changed.asset_id offset 0
    ) as holder on true
    left join lateral (
      select m.enterprise_id from member m where m.id = holder.member_id offset 0
    ) as lender on true
    left join lateral (
      select a.customer_id, a.borrowed_usb_key from asset a where a.id = changed.lock_asset_id offset 0
    ) as lock on true
    left join lateral (select c.enterprise_id from customer c where c.id = lock.customer_id offset 0) as owner on true
    where lock.borrowed_usb_key is not true or lender.enterprise_id is distinct from owner.enterprise_id
      or changed.enterprise_id <> lender.enterprise_id
  ) then
    raise check_violation using constraint = 'asset_lending_allowed',
      message = 'asset_lending: the asset cannot be lent into this lock';
  end if;
  if exists (
    select from (select distinct lock_asset_id from changed) as lock
    cross join lateral (
      select count(distinct h.member_id) as holders from asset_lending l
      join asset_assignment h on h.asset_id = l.asset_id
      where l.lock_asset_id = lock.lock_asset_id offset 0
    ) as lent
    where lent.holders > 1
  ) then
    raise check_violation using constraint = 'asset_lending_one_employee',
      message = 'asset_lending: the lock holds assets of another employee';
  end if;
  return null;
end $$;
create trigger check_lendings after insert on asset_lending
  referencing new table as changed for each statement execute function check_lendings();

---------------------------------------------------------------------------------------------------------------------------
-- Events, webhooks, activity (rules 6.6, 6.8)
---------------------------------------------------------------------------------------------------------------------------

-- The event feed. The transaction in which something happens inserts into unnumbered_event. A short statement of its own
-- then moves the row to event, where readers see it, with the next position: one for the application, or one for each that
-- hears of the customer's licenses. So positions appear in order however long transactions take, a reader that continues
-- after the last position it saw misses no event, and no transaction writes for each listener.
create table unnumbered_event (
  id bigint generated always as identity primary key,
  -- Whose event it is; null: of all that hear of the licenses of customer_id, except who did it: by_application_id, or the
  -- application of the order.
  application_id bigint,
  customer_id bigint,
  by_application_id bigint,
  license_order_id bigint,
  -- Only applications with this lead time hear of it; null or -1: all.
  lead_days integer,
  type text not null check (type in (
    'batch.completed', 'batch.retried', 'licenses.expiring', 'licenses.expired', 'asset.transferred', 'asset.revoked',
    'asset.locked', 'asset.unlocked', 'asset.frozen', 'asset.unfrozen', 'webhook.failing', 'webhook.disabled'
  )),
  happened_time timestamptz not null default statement_timestamp(),
  batch_id bigint,
  succeeded integer,
  failed integer,
  cancelled integer,
  -- What the event says, as readers get it (packages/orders/src/feed/events.ts); null of a batch.
  data json,
  constraint unnumbered_event_for check ((application_id is null) <> (customer_id is null)),
  constraint unnumbered_event_about check (
    num_nonnulls(batch_id, succeeded, failed, cancelled) = case when data is null then 4 else 0 end
  ),
  check (succeeded >= 0 and failed >= 0 and cancelled between 0 and failed)
);

-- The batch as it was when it was completed; a retry may change the batch's row later. Other events have data, and the
-- channel of the customer, if any. Clients know an event by its position. Look events up by application and position: no
-- index is on the position alone. Events never change; the cleanup deletes them.
create table event (
  application_id bigint not null,
  position bigint not null,
  type text not null,
  happened_time timestamptz not null,
  batch_id bigint,
  succeeded integer,
  failed integer,
  cancelled integer,
  channel_code text,
  data json,
  created_time timestamptz not null default statement_timestamp(),
  primary key (application_id, position),
  constraint event_about check (num_nonnulls(batch_id, succeeded, failed, cancelled) = case when data is null then 4 else 0 end),
  check (succeeded >= 0 and failed >= 0 and cancelled between 0 and failed)
);
-- A batch is completed once.
create unique index event_completed_batch on event (batch_id) where type = 'batch.completed';
-- For the cleanup.
create index event_created on event (created_time);
create trigger refuse_change before truncate or update of application_id, position, type, happened_time, batch_id, succeeded,
  failed, cancelled, channel_code, data on event for each statement execute function refuse_change();

-- How far the search for ending licenses is, for each lead time that applications have (-1: that have ended): the day
-- that it reads (since 1970-01-01 UTC), first its assets, then their products, then telling what it found.
create table expiry_search (
  lead_days integer primary key check (lead_days between -1 and 365),
  day integer not null,
  part text not null default 'assets' check (part in ('assets', 'products', 'telling')),
  -- The last asset that it has read.
  after_id bigint not null default 0
);

-- What a search has found for a customer so far: how many end on its day, and the first of them, as events name them.
create table found_expiry (
  lead_days integer not null,
  customer_id bigint not null,
  assets integer not null default 0,
  products integer not null default 0,
  named_assets json[] not null default '{}',
  named_products json[] not null default '{}',
  primary key (lead_days, customer_id)
);

-- The last position assigned. The numbering statement locks this row until it commits, so only one runs at a time.
create table event_counter (
  only_row boolean primary key default true check (only_row),
  last_position bigint not null
);
insert into event_counter (last_position) values (0);

-- An endpoint that receives events. A worker inserts deliveries for the events after after_position and advances it,
-- while few deliveries are pending; inserting an event writes nothing here.
create table webhook (
  id bigint generated always as identity primary key,
  application_id bigint not null references application,
  url text not null,
  description text,
  -- In clear, because they sign messages. A deleted webhook has none.
  secret bytea,
  -- Which events it receives; null: all.
  types text[],
  channel_codes text[],
  after_position bigint not null check (after_position >= 0),
  -- Events to send again: those after replay_after, up to replay_until, which is never above after_position.
  replay_after bigint,
  replay_until bigint,
  -- How many messages may be in flight: more while the endpoint answers quickly, one after a failure.
  at_once integer not null default 1 check (at_once between 1 and 64),
  -- Whether the last attempt was answered promptly.
  last_attempt_prompt boolean,
  -- When the current series of failed attempts began; null if the last attempt succeeded.
  failing_since timestamptz,
  -- Whether webhook.failing told of this series.
  failing_told boolean not null default false,
  created_time timestamptz not null default statement_timestamp(),
  paused_time timestamptz,
  disabled_time timestamptz,
  disabled_cause text check (disabled_cause in ('endpoint_gone', 'attempts_exhausted')),
  deleted_time timestamptz,
  constraint webhook_secret_kept check ((secret is null) = (deleted_time is not null)),
  constraint webhook_replay_whole check (num_nonnulls(replay_after, replay_until) in (0, 2)),
  constraint webhook_paused_or_disabled check (num_nonnulls(paused_time, disabled_time) < 2),
  constraint webhook_disabled_whole check (num_nonnulls(disabled_time, disabled_cause) in (0, 2))
);
create index webhook_application on webhook (application_id, id) where deleted_time is null;
-- For workers, which look for due messages every second.
create index webhook_active on webhook (id) where deleted_time is null and disabled_time is null;
-- For the cleanup.
create index webhook_deleted on webhook (deleted_time) where deleted_time is not null;

-- Earlier secrets, which sign beside the newest one until end_time. A deleted webhook has none.
create table webhook_old_secret (
  webhook_id bigint not null references webhook on delete cascade,
  secret bytea not null,
  end_time timestamptz not null
);
create index webhook_old_secret_webhook on webhook_old_secret (webhook_id);
-- For the cleanup.
create index webhook_old_secret_end on webhook_old_secret (end_time);

-- A message to a webhook: an event, by its position, or a test. A worker claims a message until claimed_until before it
-- sends it, and increments claims. The statement that records an attempt names its claim, so a late result of an
-- earlier claim is ignored.
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
-- For the cleanup.
create index webhook_delivery_created on webhook_delivery (created_time);

-- An attempt to deliver a message.
create table webhook_attempt (
  delivery_id bigint not null references webhook_delivery on delete cascade,
  number integer not null,
  time timestamptz not null,
  status integer,
  duration_ms integer not null check (duration_ms >= 0),
  fault text,
  -- The beginning of the body of the response.
  answer text check (length(answer) <= 1024),
  primary key (delivery_id, number),
  constraint webhook_attempt_outcome check ((fault is null) = (status is not null and status between 200 and 299))
);

-- Activity over time, which the console shows for hours without reading orders, and the number of pending orders. A
-- transaction that accepts, finishes or retries orders inserts a note for each application and channel (0 for orders that
-- fail at acceptance); a worker adds the notes up. `pending` is the change in pending orders, negative when orders get outcomes. `causes` counts failed
-- orders by cause, all of a transaction in one row. The table has no CHECK constraints, which would cost an accepted
-- batch more than the rest of the row; the tables below have them.
create table uncounted_activity (
  id bigint generated always as identity primary key,
  noted_time timestamptz not null default statement_timestamp(),
  application_id bigint not null,
  channel_id integer not null,
  pending integer not null,
  accepted integer not null,
  succeeded integer not null,
  failed integer not null,
  causes jsonb not null
);

-- Orders per ten seconds, and by how many the pending orders changed. The primary key begins with the time, for the
-- cleanup.
create table order_activity (
  period_start timestamptz primary key,
  pending bigint not null default 0,
  accepted bigint not null,
  succeeded bigint not null,
  failed bigint not null,
  constraint order_activity_counts check (accepted >= 0 and succeeded >= 0 and failed >= 0)
);

-- Orders of a channel per two seconds, kept for hours. It tells how fast a channel is, and how many orders came after a
-- batch. `queued_before` is how many orders the channel had queued earlier, according to the notes added up so far
-- (pending_orders).
create table channel_activity (
  channel_id integer not null,
  period_start timestamptz not null,
  queued_before bigint not null,
  accepted bigint not null,
  succeeded bigint not null,
  failed bigint not null,
  primary key (channel_id, period_start),
  constraint channel_activity_counts check (queued_before >= 0 and accepted >= 0 and succeeded >= 0 and failed >= 0)
);
-- For the cleanup.
create index channel_activity_period on channel_activity (period_start);

-- Pending orders according to the notes added up so far; together with the remaining notes it equals lane_chunk. It may
-- be negative for a moment, because notes are not added up in order. `queued` is the total ever accepted that had to
-- wait, which is those of async batches.
create table pending_orders (
  channel_id integer not null,
  application_id bigint not null,
  pending bigint not null,
  queued bigint not null default 0,
  primary key (channel_id, application_id)
);

-- Failed orders per cause and minute.
create table failure_activity (
  minute_start timestamptz not null,
  cause text not null,
  failed bigint not null,
  primary key (minute_start, cause),
  constraint failure_activity_counts check (failed > 0)
);

---------------------------------------------------------------------------------------------------------------------------
-- Operators (rules 9)
---------------------------------------------------------------------------------------------------------------------------

-- An account for the console. Without a password, its operator logs in by a provider: as the person whom issuer and
-- subject name, or, while these are null, as the next one with this name there.
create table operator (
  id bigint generated always as identity primary key,
  name text not null constraint operator_name_taken unique check (name ~ '^[a-z0-9]([a-z0-9._-]{0,61}[a-z0-9])?$'),
  role text not null check (role in ('viewer', 'support', 'admin')),
  -- The channels that the operator sees and acts in; null: all. Admins see all, whatever this says.
  channels text[] check (cardinality(channels) > 0),
  password_hash text,
  issuer text,
  subject text,
  created_time timestamptz not null default statement_timestamp(),
  disabled_time timestamptz,
  -- The unused login link that npm start printed last.
  link_token_hash bytea unique,
  link_expires_time timestamptz,
  check ((link_token_hash is null) = (link_expires_time is null)),
  searched text not null generated always as (searched_text(name)) stored,
  constraint operator_person unique (issuer, subject),
  check (num_nonnulls(issuer, subject) in (0, 2) and (password_hash is null or issuer is null))
);

-- A session, identified by the hash of its token. Each use extends expires_time, up to end_time. A worker deletes
-- expired rows.
create table operator_session (
  token_hash bytea primary key,
  operator_id bigint not null references operator,
  created_time timestamptz not null default statement_timestamp(),
  used_time timestamptz not null default statement_timestamp(),
  expires_time timestamptz not null,
  end_time timestamptz not null,
  check (expires_time <= end_time)
);
create index operator_session_operator on operator_session (operator_id, created_time);
create index operator_session_expires_time on operator_session (expires_time);

-- The operators' audit log: changes made in the console or by the command, logins, logouts and failed logins. Without
-- an operator, the actor is the system user and host of the command, or the address of a failed login. Rows never
-- change. json, because jsonb does not keep the order of fields.
create table operator_audit (
  id bigint generated always as identity primary key,
  operator_id bigint references operator,
  actor text,
  action text not null,
  target text,
  before json,
  after json,
  request_id text not null,
  recorded_time timestamptz not null default statement_timestamp(),
  check ((operator_id is null) <> (actor is null))
);
create index operator_audit_operator on operator_audit (operator_id, id);
create index operator_audit_target on operator_audit (target, id);
create index operator_audit_action on operator_audit (action, id);
create trigger refuse_change before update or delete or truncate on operator_audit
  for each statement execute function refuse_change();

-- For `lockstep database skip-ids`. Advances all ids, asset numbers and event positions, so that none that was given
-- out before a restore is given out again. Each call advances them further.
create function skip_ids(draws bigint, asset_numbers bigint, events bigint) returns void language plpgsql as $$
begin
  perform setval(format('%I.%I', schemaname, sequencename)::regclass,
    least(coalesce(last_value, start_value) + increment_by * draws, max_value))
  from pg_sequences where schemaname = 'public';
  update asset_number set handed_out = least(handed_out + asset_numbers, 999999999);
  -- A reader continues after the last event it saw, so new events need higher positions.
  update event_counter set last_position = last_position + events;
end $$;
