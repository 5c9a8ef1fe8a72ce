-- The schema as the migrations leave it, written by npm run schema. A test holds it against a migrated database;
-- nothing runs it. The functions of the triggers stand in functions/.

CREATE SEQUENCE batch_id AS bigint INCREMENT 1 MINVALUE 1 MAXVALUE 9223372036854775807 START 1 CACHE 1;
CREATE SEQUENCE ledger_id AS bigint INCREMENT 1000 MINVALUE 1 MAXVALUE 9223372036854775807 START 1000000 CACHE 1;
CREATE SEQUENCE skipped_draws AS bigint INCREMENT 1 MINVALUE 0 MAXVALUE 9223372036854775807 START 0 CACHE 1;

CREATE TABLE access_token (
  token_hash bytea NOT NULL,
  application_id bigint NOT NULL,
  scopes text[] NOT NULL,
  expires_time timestamp with time zone NOT NULL,
  member_id bigint,
  CONSTRAINT access_token_application_id_fkey FOREIGN KEY (application_id) REFERENCES application(id),
  CONSTRAINT access_token_member_id_fkey FOREIGN KEY (member_id) REFERENCES member(id),
  CONSTRAINT access_token_pkey PRIMARY KEY (token_hash)
);
CREATE INDEX access_token_application ON access_token USING btree (application_id, expires_time) WHERE (member_id IS NULL);
CREATE INDEX access_token_expires_time ON access_token USING btree (expires_time);
CREATE INDEX access_token_login ON access_token USING btree (member_id, application_id, expires_time) WHERE (member_id IS NOT NULL);

CREATE TABLE application (
  id bigint NOT NULL GENERATED ALWAYS AS IDENTITY,
  app_key text NOT NULL,
  name text NOT NULL,
  secret_hash bytea NOT NULL,
  scopes text[] NOT NULL,
  status text NOT NULL DEFAULT 'pending'::text,
  created_time timestamp with time zone NOT NULL DEFAULT now(),
  channels text[],
  old_secret_hash bytea,
  old_secret_end_time timestamp with time zone,
  CONSTRAINT application_app_key_key UNIQUE (app_key),
  CONSTRAINT application_channels_check CHECK (((cardinality(channels) > 0) AND (array_position(channels, NULL::text) IS NULL) AND (array_position(channels, ''::text) IS NULL))),
  CONSTRAINT application_check CHECK (((old_secret_hash IS NULL) = (old_secret_end_time IS NULL))),
  CONSTRAINT application_pkey PRIMARY KEY (id),
  CONSTRAINT application_scopes_check CHECK ((scopes <@ ARRAY['auth_order'::text, 'auth_me'::text])),
  CONSTRAINT application_status_check CHECK ((status = ANY (ARRAY['pending'::text, 'approved'::text, 'suspended'::text])))
);

CREATE TABLE archived_batch (
  id bigint NOT NULL,
  application_id bigint NOT NULL,
  channel_code text NOT NULL,
  channel_order_id text NOT NULL,
  sync_mode text NOT NULL,
  digest bytea NOT NULL,
  digest_version smallint NOT NULL,
  request_id text,
  accepted_time timestamp with time zone NOT NULL,
  completed_time timestamp with time zone NOT NULL,
  succeeded integer NOT NULL,
  failed integer NOT NULL,
  CONSTRAINT archived_batch_application_id_fkey FOREIGN KEY (application_id) REFERENCES application(id),
  CONSTRAINT archived_batch_failed_check CHECK ((failed >= 0)),
  CONSTRAINT archived_batch_pkey PRIMARY KEY (id),
  CONSTRAINT archived_batch_succeeded_check CHECK ((succeeded >= 0)),
  CONSTRAINT archived_batch_sync_mode_check CHECK ((sync_mode = ANY (ARRAY['sync'::text, 'async'::text])))
);
CREATE TRIGGER refuse_change BEFORE DELETE OR UPDATE OR TRUNCATE ON archived_batch FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

CREATE TABLE archived_order (
  id bigint NOT NULL,
  finished_time timestamp with time zone NOT NULL,
  src_license_order_id bigint,
  sequence integer NOT NULL,
  order_type text NOT NULL,
  customer_id text NOT NULL,
  CONSTRAINT archived_order_order_type_check CHECK ((order_type = ANY (ARRAY['new_buy'::text, 'delete_asset'::text, 'delete_product'::text]))),
  CONSTRAINT archived_order_pkey PRIMARY KEY (id)
);
CREATE TRIGGER refuse_change BEFORE DELETE OR UPDATE OR TRUNCATE ON archived_order FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

CREATE TABLE asset (
  id bigint NOT NULL,
  asset_num text NOT NULL,
  customer_id bigint NOT NULL,
  license_type text NOT NULL,
  limit_start_date bigint,
  limit_end_date bigint,
  borrowed_usb_key boolean NOT NULL,
  extends jsonb NOT NULL,
  created_time timestamp with time zone NOT NULL DEFAULT statement_timestamp(),
  updated_time timestamp with time zone NOT NULL DEFAULT statement_timestamp(),
  revoked_time timestamp with time zone,
  locked boolean NOT NULL DEFAULT false,
  freezing boolean NOT NULL DEFAULT false,
  revoked_by_order_id bigint,
  created_by_order_id bigint,
  CONSTRAINT asset_extends_check CHECK ((jsonb_typeof(extends) = 'object'::text)),
  CONSTRAINT asset_freezable CHECK (((NOT freezing) OR (license_type = ANY (ARRAY['softkey'::text, 'lan_softkey'::text])))),
  CONSTRAINT asset_license_type CHECK ((license_type = ANY (ARRAY['normal_unrecover_usbkey'::text, 'normal_recover_usbkey'::text, 'normal_unrecover_lan_usbkey'::text, 'normal_recover_lan_usbkey'::text, 'identity_usbkey'::text, 'identity_lan_usbkey'::text, 'softkey'::text, 'lan_softkey'::text, 'product_entity'::text, 'cloud_account'::text, 'cloud_customer'::text, 'cloud_personal'::text, 'lk_product_usbkey'::text, 'lk_auth_usbkey'::text]))),
  CONSTRAINT asset_lockable CHECK (((NOT locked) OR (license_type = ANY (ARRAY['normal_recover_usbkey'::text, 'normal_recover_lan_usbkey'::text, 'lk_product_usbkey'::text, 'lk_auth_usbkey'::text])))),
  CONSTRAINT asset_pkey PRIMARY KEY (id),
  CONSTRAINT asset_revoked_by CHECK (((revoked_time IS NULL) = (revoked_by_order_id IS NULL))) NOT VALID,
  CONSTRAINT asset_times CHECK (((updated_time >= created_time) AND (revoked_time >= created_time))) NOT VALID
);
CREATE UNIQUE INDEX asset_active_number ON asset USING btree (asset_num) WHERE (revoked_time IS NULL);
CREATE INDEX asset_customer ON asset USING btree (customer_id) WHERE (revoked_time IS NULL);
CREATE INDEX asset_revoked_number ON asset USING btree (asset_num, revoked_time) WHERE (revoked_time IS NOT NULL);
CREATE TRIGGER check_customers_of_inserted AFTER INSERT ON asset REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION check_customers();
CREATE TRIGGER check_customers_of_updated AFTER UPDATE ON asset REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION check_customers();
CREATE TRIGGER check_revoked_stays AFTER UPDATE ON asset REFERENCING OLD TABLE AS before FOR EACH STATEMENT EXECUTE FUNCTION check_revoked_stays();
CREATE TRIGGER check_stays AFTER UPDATE ON asset REFERENCING OLD TABLE AS before NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION check_stays('id, asset_num, license_type, created_by_order_id');
CREATE TRIGGER check_transferred AFTER UPDATE ON asset REFERENCING OLD TABLE AS before NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION check_transferred();
CREATE TRIGGER check_updated AFTER UPDATE ON asset REFERENCING OLD TABLE AS before NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION check_assets_updated();
CREATE TRIGGER refuse_change BEFORE DELETE OR TRUNCATE ON asset FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

CREATE TABLE asset_assignment (
  asset_id bigint NOT NULL,
  member_id bigint NOT NULL,
  created_time timestamp with time zone NOT NULL DEFAULT now(),
  CONSTRAINT asset_assignment_asset_id_fkey FOREIGN KEY (asset_id) REFERENCES asset(id),
  CONSTRAINT asset_assignment_member_id_fkey FOREIGN KEY (member_id) REFERENCES member(id),
  CONSTRAINT asset_assignment_pkey PRIMARY KEY (asset_id)
);
CREATE INDEX asset_assignment_member ON asset_assignment USING btree (member_id);
CREATE TRIGGER check_assignments AFTER INSERT ON asset_assignment REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION check_assignments();
CREATE TRIGGER check_inserted AFTER INSERT ON asset_assignment REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION check_holdings('asset_id');
CREATE TRIGGER check_released AFTER DELETE ON asset_assignment REFERENCING OLD TABLE AS before FOR EACH STATEMENT EXECUTE FUNCTION check_released();
CREATE TRIGGER refuse_change BEFORE UPDATE OR TRUNCATE ON asset_assignment FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

CREATE TABLE asset_grant (
  asset_id bigint NOT NULL,
  license_order_id bigint NOT NULL,
  created_time timestamp with time zone NOT NULL DEFAULT statement_timestamp(),
  revoked_time timestamp with time zone,
  revoked_by_order_id bigint,
  CONSTRAINT asset_grant_pkey PRIMARY KEY (asset_id, license_order_id),
  CONSTRAINT asset_grant_revoked_by CHECK (((revoked_time IS NULL) = (revoked_by_order_id IS NULL))) NOT VALID,
  CONSTRAINT asset_grant_times CHECK ((revoked_time >= created_time)) NOT VALID
);
CREATE INDEX asset_grant_order ON asset_grant USING brin (license_order_id int8_minmax_multi_ops) WITH (pages_per_range='16', autosummarize='on') WHERE (revoked_time IS NULL);
CREATE INDEX asset_grant_revoked ON asset_grant USING btree (asset_id, revoked_by_order_id) WHERE (revoked_time IS NOT NULL);
CREATE INDEX asset_grant_revoked_order ON asset_grant USING btree (license_order_id) WHERE (revoked_time IS NOT NULL);
CREATE INDEX asset_grant_revoker ON asset_grant USING btree (revoked_by_order_id) WHERE (revoked_time IS NOT NULL);
CREATE TRIGGER check_inserted AFTER INSERT ON asset_grant REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION check_grants_inserted();
CREATE TRIGGER check_revoked_stays AFTER UPDATE ON asset_grant REFERENCING OLD TABLE AS before FOR EACH STATEMENT EXECUTE FUNCTION check_revoked_stays();
CREATE TRIGGER check_stays AFTER UPDATE ON asset_grant REFERENCING OLD TABLE AS before NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION check_stays('asset_id, license_order_id');
CREATE TRIGGER check_updated AFTER UPDATE ON asset_grant REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION check_grants_updated();
CREATE TRIGGER refuse_change BEFORE DELETE OR TRUNCATE ON asset_grant FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

CREATE TABLE asset_lending (
  asset_id bigint NOT NULL,
  lock_asset_id bigint NOT NULL,
  created_time timestamp with time zone NOT NULL DEFAULT now(),
  CONSTRAINT asset_lending_asset_id_fkey FOREIGN KEY (asset_id) REFERENCES asset(id),
  CONSTRAINT asset_lending_check CHECK ((asset_id <> lock_asset_id)),
  CONSTRAINT asset_lending_lock_asset_id_fkey FOREIGN KEY (lock_asset_id) REFERENCES asset(id),
  CONSTRAINT asset_lending_pkey PRIMARY KEY (asset_id)
);
CREATE INDEX asset_lending_lock ON asset_lending USING btree (lock_asset_id);
CREATE TRIGGER check_inserted AFTER INSERT ON asset_lending REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION check_holdings('asset_id', 'lock_asset_id');
CREATE TRIGGER check_lendings AFTER INSERT ON asset_lending REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION check_lendings();
CREATE TRIGGER refuse_change BEFORE UPDATE OR TRUNCATE ON asset_lending FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

CREATE TABLE asset_number (
  first_digit smallint NOT NULL,
  handed_out integer NOT NULL,
  CONSTRAINT asset_number_first_digit_check CHECK ((first_digit = ANY (ARRAY[6, 8]))),
  CONSTRAINT asset_number_handed_out_check CHECK (((handed_out >= 0) AND (handed_out <= 999999999))),
  CONSTRAINT asset_number_pkey PRIMARY KEY (first_digit)
);

CREATE TABLE asset_transfer (
  asset_id bigint NOT NULL,
  license_order_id bigint NOT NULL,
  from_customer_id bigint NOT NULL,
  to_customer_id bigint NOT NULL,
  transferred_time timestamp with time zone NOT NULL DEFAULT statement_timestamp(),
  CONSTRAINT asset_transfer_asset_id_fkey FOREIGN KEY (asset_id) REFERENCES asset(id) DEFERRABLE INITIALLY DEFERRED,
  CONSTRAINT asset_transfer_check CHECK ((from_customer_id <> to_customer_id)),
  CONSTRAINT asset_transfer_from_customer_id_fkey FOREIGN KEY (from_customer_id) REFERENCES customer(id),
  CONSTRAINT asset_transfer_pkey PRIMARY KEY (asset_id, license_order_id),
  CONSTRAINT asset_transfer_to_customer_id_fkey FOREIGN KEY (to_customer_id) REFERENCES customer(id)
);
CREATE INDEX asset_transfer_order ON asset_transfer USING btree (license_order_id);
CREATE TRIGGER check_inserted AFTER INSERT ON asset_transfer REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION check_transfers_inserted();
CREATE TRIGGER refuse_change BEFORE DELETE OR UPDATE OR TRUNCATE ON asset_transfer FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

CREATE TABLE batch (
  id bigint NOT NULL,
  application_id bigint NOT NULL,
  channel_code text NOT NULL,
  channel_order_id text NOT NULL,
  sync_mode text NOT NULL,
  digest bytea NOT NULL,
  sequences integer[] NOT NULL,
  customer_ids text[] NOT NULL,
  order_types text[] NOT NULL,
  accepted_time timestamp with time zone NOT NULL DEFAULT now(),
  digest_version smallint NOT NULL DEFAULT 1,
  request_id text,
  completed_time timestamp with time zone,
  succeeded integer,
  failed integer,
  reopened_time timestamp with time zone,
  CONSTRAINT batch_application_id_fkey FOREIGN KEY (application_id) REFERENCES application(id),
  CONSTRAINT batch_check CHECK (((cardinality(sequences) = cardinality(customer_ids)) AND (cardinality(sequences) = cardinality(order_types)))),
  CONSTRAINT batch_end_counts CHECK (((succeeded >= 0) AND (failed >= 0) AND ((succeeded + failed) = cardinality(sequences)))),
  CONSTRAINT batch_end_whole CHECK ((num_nonnulls(completed_time, succeeded, failed) = ANY (ARRAY[0, 3]))),
  CONSTRAINT batch_id_check CHECK (((id >= 1) AND (id <= '1099511627775'::bigint))),
  CONSTRAINT batch_pkey PRIMARY KEY (id),
  CONSTRAINT batch_sequences_check CHECK (((cardinality(sequences) >= 1) AND (cardinality(sequences) <= 8192))),
  CONSTRAINT batch_sync_mode_check CHECK ((sync_mode = ANY (ARRAY['sync'::text, 'async'::text])))
) PARTITION BY RANGE (id);
CREATE INDEX batch_accepted ON batch USING btree (application_id, accepted_time, id);
CREATE INDEX batch_channel_accepted ON batch USING btree (application_id, channel_code, accepted_time, id);
CREATE INDEX batch_failed_accepted ON batch USING btree (application_id, accepted_time, id) WHERE (failed > 0);
CREATE INDEX batch_open ON batch USING btree (id) WHERE (completed_time IS NULL);
CREATE INDEX batch_open_accepted ON batch USING btree (application_id, accepted_time, id) WHERE (completed_time IS NULL);
CREATE TRIGGER check_ends AFTER UPDATE ON batch REFERENCING OLD TABLE AS before NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION check_batch_ends();
CREATE TRIGGER check_inserted AFTER INSERT ON batch REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION check_batch_keys();
CREATE TRIGGER refuse_change BEFORE DELETE OR UPDATE OF id, application_id, channel_code, channel_order_id, sync_mode, digest, digest_version, sequences, customer_ids, order_types, accepted_time, request_id OR TRUNCATE ON batch FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

CREATE TABLE batch_key (
  application_id bigint NOT NULL,
  channel_code text NOT NULL,
  channel_order_id text NOT NULL,
  batch_id bigint NOT NULL,
  CONSTRAINT batch_key_pkey PRIMARY KEY (application_id, channel_code, channel_order_id)
);
CREATE TRIGGER refuse_change BEFORE DELETE OR UPDATE OR TRUNCATE ON batch_key FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

CREATE TABLE batch_p0000 PARTITION OF batch FOR VALUES FROM (MINVALUE) TO ('1073741824');

CREATE TABLE batch_p0001 PARTITION OF batch FOR VALUES FROM ('1073741824') TO ('2147483648');

CREATE TABLE batch_p0002 PARTITION OF batch FOR VALUES FROM ('2147483648') TO ('3221225472');

CREATE TABLE customer (
  id bigint NOT NULL GENERATED BY DEFAULT AS IDENTITY,
  enterprise_id bigint NOT NULL,
  channel_code text NOT NULL,
  channel_customer_id text NOT NULL,
  name text NOT NULL,
  branch_name text NOT NULL,
  address text,
  is_default boolean NOT NULL,
  created_time timestamp with time zone NOT NULL DEFAULT now(),
  CONSTRAINT customer_channel_code_channel_customer_id_key UNIQUE (channel_code, channel_customer_id),
  CONSTRAINT customer_enterprise_id_fkey FOREIGN KEY (enterprise_id) REFERENCES enterprise(id),
  CONSTRAINT customer_pkey PRIMARY KEY (id)
);
CREATE UNIQUE INDEX customer_default ON customer USING btree (enterprise_id) WHERE is_default;
CREATE INDEX customer_enterprise ON customer USING btree (enterprise_id);
CREATE INDEX customer_folded_name ON customer USING btree (casefold((name COLLATE pg_unicode_fast)) COLLATE "C", id);

CREATE TABLE enterprise (
  id bigint NOT NULL GENERATED BY DEFAULT AS IDENTITY,
  name text NOT NULL,
  code text NOT NULL,
  crm_customer_id text,
  security_mobile text,
  created_time timestamp with time zone NOT NULL DEFAULT now(),
  created_by_application_id bigint,
  CONSTRAINT enterprise_code_check CHECK ((code ~ '^[a-z0-9]{6,10}$'::text)),
  CONSTRAINT enterprise_code_key UNIQUE (code),
  CONSTRAINT enterprise_created_by_application_id_fkey FOREIGN KEY (created_by_application_id) REFERENCES application(id),
  CONSTRAINT enterprise_crm_customer_id_key UNIQUE (crm_customer_id),
  CONSTRAINT enterprise_name_key UNIQUE (name),
  CONSTRAINT enterprise_pkey PRIMARY KEY (id)
);
CREATE INDEX enterprise_folded_name ON enterprise USING btree (casefold((name COLLATE pg_unicode_fast)) COLLATE "C", id);

CREATE TABLE event (
  application_id bigint NOT NULL,
  position bigint NOT NULL,
  batch_id bigint NOT NULL,
  type text NOT NULL,
  completed_time timestamp with time zone NOT NULL,
  succeeded integer NOT NULL,
  failed integer NOT NULL,
  cancelled integer NOT NULL,
  created_time timestamp with time zone NOT NULL DEFAULT statement_timestamp(),
  CONSTRAINT event_check CHECK (((succeeded >= 0) AND (failed >= 0) AND ((cancelled >= 0) AND (cancelled <= failed)))),
  CONSTRAINT event_type_check CHECK ((type = ANY (ARRAY['batch.completed'::text, 'batch.retried'::text])))
) PARTITION BY RANGE (batch_id);
CREATE UNIQUE INDEX event_completed_batch ON event USING btree (batch_id) WHERE (type = 'batch.completed'::text);
CREATE INDEX event_created ON event USING btree (created_time);
CREATE TRIGGER refuse_change BEFORE UPDATE OF application_id, "position", batch_id, type, completed_time, succeeded, failed, cancelled OR TRUNCATE ON event FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

CREATE TABLE event_counter (
  only_row boolean NOT NULL DEFAULT true,
  last_position bigint NOT NULL,
  CONSTRAINT event_counter_only_row_check CHECK (only_row),
  CONSTRAINT event_counter_pkey PRIMARY KEY (only_row)
);

CREATE TABLE event_p0000 PARTITION OF event FOR VALUES FROM (MINVALUE) TO ('1073741824');

CREATE TABLE event_p0001 PARTITION OF event FOR VALUES FROM ('1073741824') TO ('2147483648');

CREATE TABLE event_p0002 PARTITION OF event FOR VALUES FROM ('2147483648') TO ('3221225472');

CREATE TABLE failed_order (
  license_order_id bigint NOT NULL,
  batch_id bigint NOT NULL,
  lane smallint NOT NULL,
  payload_version smallint NOT NULL,
  content text STORAGE EXTERNAL NOT NULL,
  failed_time timestamp with time zone NOT NULL DEFAULT statement_timestamp(),
  asset_nums text[] NOT NULL,
  CONSTRAINT failed_order_pkey PRIMARY KEY (license_order_id)
);
CREATE INDEX failed_order_asset_nums ON failed_order USING gin (asset_nums);
CREATE INDEX failed_order_failed_time ON failed_order USING btree (failed_time);
CREATE TRIGGER check_inserted AFTER INSERT ON failed_order REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION check_failed_inserted();

CREATE TABLE failure_activity (
  minute_start timestamp with time zone NOT NULL,
  cause text NOT NULL,
  failed bigint NOT NULL,
  CONSTRAINT failure_activity_counts CHECK ((failed > 0)),
  CONSTRAINT failure_activity_pkey PRIMARY KEY (minute_start, cause)
);

CREATE TABLE lane_chunk (
  batch_id bigint NOT NULL,
  lane smallint NOT NULL,
  order_count integer NOT NULL,
  weight integer NOT NULL,
  payload text STORAGE EXTERNAL,
  accepted_time timestamp with time zone NOT NULL DEFAULT now(),
  finished_time timestamp with time zone,
  succeeded integer NOT NULL DEFAULT 0,
  failed integer NOT NULL DEFAULT 0,
  payload_version smallint NOT NULL DEFAULT 1,
  CONSTRAINT lane_chunk_check CHECK ((weight >= order_count)),
  CONSTRAINT lane_chunk_counts CHECK (((succeeded + failed) <= order_count)),
  CONSTRAINT lane_chunk_finished CHECK ((((succeeded + failed) = order_count) = (finished_time IS NOT NULL))),
  CONSTRAINT lane_chunk_order_count_check CHECK ((order_count > 0)),
  CONSTRAINT lane_chunk_pending_content CHECK (((payload IS NULL) = (finished_time IS NOT NULL))),
  CONSTRAINT lane_chunk_pkey PRIMARY KEY (batch_id, lane),
  CONSTRAINT lane_chunk_progress CHECK (((succeeded >= 0) AND (failed >= 0))),
  CONSTRAINT lane_chunk_times CHECK ((finished_time >= accepted_time)) NOT VALID
) PARTITION BY RANGE (batch_id);
CREATE INDEX lane_chunk_pending ON lane_chunk USING btree (lane, batch_id) WHERE (finished_time IS NULL);
CREATE TRIGGER check_inserted AFTER INSERT ON lane_chunk REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION check_chunks_inserted();
CREATE TRIGGER refuse_change BEFORE DELETE OR TRUNCATE ON lane_chunk FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

CREATE TABLE lane_chunk_p0000 PARTITION OF lane_chunk FOR VALUES FROM (MINVALUE) TO ('1073741824') WITH (autovacuum_vacuum_scale_factor=0.02, autovacuum_vacuum_threshold=1000);

CREATE TABLE lane_chunk_p0001 PARTITION OF lane_chunk FOR VALUES FROM ('1073741824') TO ('2147483648') WITH (autovacuum_vacuum_scale_factor=0.02, autovacuum_vacuum_threshold=1000);

CREATE TABLE lane_chunk_p0002 PARTITION OF lane_chunk FOR VALUES FROM ('2147483648') TO ('3221225472') WITH (autovacuum_vacuum_scale_factor=0.02, autovacuum_vacuum_threshold=1000);

CREATE TABLE license_order (
  id bigint NOT NULL,
  order_type text NOT NULL,
  customer_id text NOT NULL,
  cause text,
  message text,
  assets integer NOT NULL,
  products integer NOT NULL,
  finished_time timestamp with time zone NOT NULL DEFAULT statement_timestamp(),
  src_license_order_id bigint,
  CONSTRAINT license_order_assets_check CHECK ((assets >= 0)),
  CONSTRAINT license_order_check CHECK (((cause IS NULL) = (message IS NULL))),
  CONSTRAINT license_order_check1 CHECK (((cause IS NULL) OR ((assets = 0) AND (products = 0)))),
  CONSTRAINT license_order_order_type_check CHECK ((order_type = ANY (ARRAY['new_buy'::text, 'delete_asset'::text, 'delete_product'::text]))),
  CONSTRAINT license_order_pkey PRIMARY KEY (id),
  CONSTRAINT license_order_products_check CHECK ((products >= 0))
) PARTITION BY RANGE (id);
CREATE INDEX license_order_customer ON license_order USING btree (customer_id, id);
CREATE INDEX license_order_failed ON license_order USING btree (id) WHERE (cause IS NOT NULL);
CREATE INDEX license_order_internal_error ON license_order USING btree (id) WHERE (cause = 'internal_error'::text);
CREATE TRIGGER check_taken_back AFTER DELETE ON license_order REFERENCING OLD TABLE AS removed FOR EACH STATEMENT EXECUTE FUNCTION check_taken_back();
CREATE TRIGGER refuse_change BEFORE UPDATE OR TRUNCATE ON license_order FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

CREATE TABLE license_order_p0000 PARTITION OF license_order FOR VALUES FROM (MINVALUE) TO ('8796093022208');

CREATE TABLE license_order_p0001 PARTITION OF license_order FOR VALUES FROM ('8796093022208') TO ('17592186044416');

CREATE TABLE license_order_p0002 PARTITION OF license_order FOR VALUES FROM ('17592186044416') TO ('26388279066624');

CREATE TABLE lock_audit (
  id bigint NOT NULL GENERATED ALWAYS AS IDENTITY,
  asset_id bigint NOT NULL,
  locked boolean NOT NULL,
  operator_identity text NOT NULL,
  application_id bigint NOT NULL,
  request_id text NOT NULL,
  recorded_time timestamp with time zone NOT NULL DEFAULT statement_timestamp(),
  CONSTRAINT lock_audit_application_id_fkey FOREIGN KEY (application_id) REFERENCES application(id),
  CONSTRAINT lock_audit_asset_id_fkey FOREIGN KEY (asset_id) REFERENCES asset(id),
  CONSTRAINT lock_audit_pkey PRIMARY KEY (id)
);
CREATE INDEX lock_audit_asset ON lock_audit USING btree (asset_id);
CREATE TRIGGER refuse_change BEFORE DELETE OR UPDATE OR TRUNCATE ON lock_audit FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

CREATE TABLE login_failure (
  account_hash bytea NOT NULL,
  failed_times timestamp with time zone[] NOT NULL,
  locked_until timestamp with time zone,
  expires_time timestamp with time zone NOT NULL,
  application_id bigint NOT NULL,
  CONSTRAINT login_failure_pkey PRIMARY KEY (account_hash, application_id)
);
CREATE INDEX login_failure_expires_time ON login_failure USING btree (expires_time);

CREATE TABLE member (
  id bigint NOT NULL GENERATED BY DEFAULT AS IDENTITY,
  enterprise_id bigint NOT NULL,
  user_name text NOT NULL,
  is_administrator boolean NOT NULL,
  created_time timestamp with time zone NOT NULL DEFAULT statement_timestamp(),
  name text NOT NULL,
  department_id bigint,
  remark text,
  password_mobile text,
  password_hash text,
  is_provisioned boolean NOT NULL,
  updated_time timestamp with time zone NOT NULL DEFAULT statement_timestamp(),
  deleted_time timestamp with time zone,
  CONSTRAINT member_department_id_check CHECK ((department_id >= 0)),
  CONSTRAINT member_enterprise_id_fkey FOREIGN KEY (enterprise_id) REFERENCES enterprise(id),
  CONSTRAINT member_name CHECK (((char_length(name) >= 1) AND (char_length(name) <= 30))),
  CONSTRAINT member_password_hash_check CHECK ((password_hash ~~ '$argon2id$%'::text)),
  CONSTRAINT member_pkey PRIMARY KEY (id),
  CONSTRAINT member_remark_check CHECK ((char_length(remark) <= 200)),
  CONSTRAINT member_times CHECK (((updated_time >= created_time) AND (deleted_time >= created_time))),
  CONSTRAINT member_user_name_check CHECK ((user_name ~ '^[A-Za-z0-9]+$'::text))
);
CREATE UNIQUE INDEX member_account ON member USING btree (enterprise_id, user_name) WHERE (deleted_time IS NULL);
CREATE INDEX member_newest ON member USING btree (enterprise_id, id) WHERE (deleted_time IS NULL);
CREATE INDEX member_provisioned ON member USING btree (enterprise_id, user_name, id) WHERE is_provisioned;
CREATE TRIGGER check_updated AFTER UPDATE ON member REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION check_members_updated();

CREATE TABLE member_audit (
  id bigint NOT NULL GENERATED ALWAYS AS IDENTITY,
  enterprise_id bigint NOT NULL,
  actor_id bigint NOT NULL,
  action text NOT NULL,
  target_id bigint,
  detail json NOT NULL,
  request_id text NOT NULL,
  recorded_time timestamp with time zone NOT NULL DEFAULT statement_timestamp(),
  CONSTRAINT member_audit_detail_check CHECK (((detail)::jsonb ?& ARRAY['before'::text, 'after'::text])),
  CONSTRAINT member_audit_enterprise_id_fkey FOREIGN KEY (enterprise_id) REFERENCES enterprise(id),
  CONSTRAINT member_audit_pkey PRIMARY KEY (id),
  CONSTRAINT member_audit_target_id_fkey FOREIGN KEY (target_id) REFERENCES member(id)
) PARTITION BY RANGE (id);
CREATE INDEX member_audit_newest ON member_audit USING btree (enterprise_id, id);
CREATE TRIGGER refuse_change BEFORE DELETE OR UPDATE OR TRUNCATE ON member_audit FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

CREATE TABLE member_audit_p0000 PARTITION OF member_audit FOR VALUES FROM (MINVALUE) TO ('8796093022208');

CREATE TABLE member_audit_p0001 PARTITION OF member_audit FOR VALUES FROM ('8796093022208') TO ('17592186044416');

CREATE TABLE member_audit_p0002 PARTITION OF member_audit FOR VALUES FROM ('17592186044416') TO ('26388279066624');

CREATE TABLE merchandise_instance (
  id bigint NOT NULL,
  asset_id bigint NOT NULL,
  license_order_id bigint NOT NULL,
  parent_id bigint,
  crm_product_id text NOT NULL,
  parent_crm_product_id text NOT NULL,
  merchandise_num text NOT NULL,
  merchandise_name text NOT NULL,
  parent_merchandise_num text NOT NULL,
  time_duration_expression text NOT NULL,
  created_time timestamp with time zone NOT NULL DEFAULT statement_timestamp(),
  updated_time timestamp with time zone NOT NULL DEFAULT statement_timestamp(),
  revoked_time timestamp with time zone,
  held_by_order_id bigint,
  revoked_by_order_id bigint,
  CONSTRAINT merchandise_instance_parent_id_fkey FOREIGN KEY (parent_id) REFERENCES merchandise_instance(id),
  CONSTRAINT merchandise_instance_pkey PRIMARY KEY (id),
  CONSTRAINT merchandise_instance_revoked_by CHECK (((revoked_time IS NULL) = (revoked_by_order_id IS NULL))) NOT VALID,
  CONSTRAINT merchandise_instance_times CHECK (((updated_time >= created_time) AND (revoked_time >= created_time))) NOT VALID
);
CREATE INDEX merchandise_instance_asset ON merchandise_instance USING btree (asset_id) WHERE (revoked_time IS NULL);
CREATE INDEX merchandise_instance_once_bought ON merchandise_instance USING btree (asset_id, license_order_id, id) WHERE (revoked_time IS NOT NULL);
CREATE INDEX merchandise_instance_revoked ON merchandise_instance USING btree (asset_id, revoked_by_order_id, id) WHERE (revoked_time IS NOT NULL);
CREATE TRIGGER check_inserted AFTER INSERT ON merchandise_instance REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION check_contents_inserted('parent_id');
CREATE TRIGGER check_revoked_stays AFTER UPDATE ON merchandise_instance REFERENCING OLD TABLE AS before FOR EACH STATEMENT EXECUTE FUNCTION check_revoked_stays();
CREATE TRIGGER check_stays AFTER UPDATE ON merchandise_instance REFERENCING OLD TABLE AS before NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION check_stays('id, asset_id, license_order_id, parent_id');
CREATE TRIGGER check_taken_over AFTER UPDATE ON merchandise_instance REFERENCING OLD TABLE AS before NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION check_taken_over();
CREATE TRIGGER check_updated AFTER UPDATE ON merchandise_instance REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION check_merchandises_updated();
CREATE TRIGGER refuse_change BEFORE DELETE OR TRUNCATE ON merchandise_instance FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

CREATE TABLE nonce (
  application_id bigint NOT NULL,
  nonce text NOT NULL,
  used_time timestamp with time zone NOT NULL,
  CONSTRAINT nonce_pkey PRIMARY KEY (application_id, nonce)
);
CREATE INDEX nonce_used_time ON nonce USING btree (used_time);

CREATE TABLE operator (
  id bigint NOT NULL GENERATED ALWAYS AS IDENTITY,
  name text NOT NULL,
  role text NOT NULL,
  password_hash text NOT NULL,
  created_time timestamp with time zone NOT NULL DEFAULT statement_timestamp(),
  disabled_time timestamp with time zone,
  CONSTRAINT operator_name_check CHECK ((name ~ '^[a-z0-9]([a-z0-9._-]{0,61}[a-z0-9])?$'::text)),
  CONSTRAINT operator_name_taken UNIQUE (name),
  CONSTRAINT operator_pkey PRIMARY KEY (id),
  CONSTRAINT operator_role_check CHECK ((role = ANY (ARRAY['viewer'::text, 'support'::text, 'admin'::text])))
);

CREATE TABLE operator_login_failure (
  name_hash bytea NOT NULL,
  address text NOT NULL,
  failed_times timestamp with time zone[] NOT NULL,
  locked_until timestamp with time zone,
  expires_time timestamp with time zone NOT NULL,
  CONSTRAINT operator_login_failure_pkey PRIMARY KEY (name_hash, address)
);
CREATE INDEX operator_login_failure_expires_time ON operator_login_failure USING btree (expires_time);

CREATE TABLE operator_record (
  id bigint NOT NULL GENERATED ALWAYS AS IDENTITY,
  operator_id bigint,
  action text NOT NULL,
  target text,
  before json,
  after json,
  request_id text NOT NULL,
  recorded_time timestamp with time zone NOT NULL DEFAULT statement_timestamp(),
  CONSTRAINT operator_record_operator_id_fkey FOREIGN KEY (operator_id) REFERENCES operator(id),
  CONSTRAINT operator_record_pkey PRIMARY KEY (id)
) PARTITION BY RANGE (id);
CREATE INDEX operator_record_action ON operator_record USING btree (action, id);
CREATE INDEX operator_record_operator ON operator_record USING btree (operator_id, id);
CREATE INDEX operator_record_target ON operator_record USING btree (target, id);
CREATE TRIGGER refuse_change BEFORE DELETE OR UPDATE OR TRUNCATE ON operator_record FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

CREATE TABLE operator_record_p0000 PARTITION OF operator_record FOR VALUES FROM (MINVALUE) TO ('8796093022208');

CREATE TABLE operator_record_p0001 PARTITION OF operator_record FOR VALUES FROM ('8796093022208') TO ('17592186044416');

CREATE TABLE operator_record_p0002 PARTITION OF operator_record FOR VALUES FROM ('17592186044416') TO ('26388279066624');

CREATE TABLE operator_session (
  token_hash bytea NOT NULL,
  operator_id bigint NOT NULL,
  created_time timestamp with time zone NOT NULL DEFAULT statement_timestamp(),
  used_time timestamp with time zone NOT NULL DEFAULT statement_timestamp(),
  expires_time timestamp with time zone NOT NULL,
  end_time timestamp with time zone NOT NULL,
  CONSTRAINT operator_session_check CHECK ((expires_time <= end_time)),
  CONSTRAINT operator_session_operator_id_fkey FOREIGN KEY (operator_id) REFERENCES operator(id),
  CONSTRAINT operator_session_pkey PRIMARY KEY (token_hash)
);
CREATE INDEX operator_session_expires_time ON operator_session USING btree (expires_time);
CREATE INDEX operator_session_operator ON operator_session USING btree (operator_id, created_time);

CREATE TABLE order_activity (
  period_start timestamp with time zone NOT NULL,
  accepted bigint NOT NULL,
  succeeded bigint NOT NULL,
  failed bigint NOT NULL,
  CONSTRAINT order_activity_counts CHECK (((accepted >= 0) AND (succeeded >= 0) AND (failed >= 0))),
  CONSTRAINT order_activity_pkey PRIMARY KEY (period_start)
);

CREATE TABLE order_retry (
  id bigint NOT NULL GENERATED ALWAYS AS IDENTITY,
  license_order_id bigint NOT NULL,
  cause text NOT NULL,
  message text NOT NULL,
  finished_time timestamp with time zone NOT NULL,
  retried_time timestamp with time zone NOT NULL DEFAULT statement_timestamp(),
  CONSTRAINT order_retry_pkey PRIMARY KEY (id)
);
CREATE INDEX order_retry_order ON order_retry USING btree (license_order_id, finished_time);
CREATE TRIGGER refuse_change BEFORE DELETE OR UPDATE OR TRUNCATE ON order_retry FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

CREATE TABLE period (
  number integer NOT NULL,
  began_time timestamp with time zone NOT NULL DEFAULT statement_timestamp(),
  CONSTRAINT period_number_check CHECK ((number >= 0)),
  CONSTRAINT period_pkey PRIMARY KEY (number)
);
CREATE TRIGGER refuse_change BEFORE DELETE OR UPDATE OR TRUNCATE ON period FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

CREATE TABLE period_archive (
  number integer NOT NULL,
  step text NOT NULL,
  directory text NOT NULL,
  started_time timestamp with time zone NOT NULL DEFAULT statement_timestamp(),
  archived_time timestamp with time zone,
  changed_time timestamp with time zone NOT NULL DEFAULT statement_timestamp(),
  batches bigint,
  orders bigint,
  bytes bigint,
  CONSTRAINT period_archive_check CHECK (((archived_time IS NULL) = (step = 'copying'::text))),
  CONSTRAINT period_archive_check1 CHECK (((bytes IS NULL) = (step = ANY (ARRAY['copying'::text, 'detaching'::text, 'writing'::text])))),
  CONSTRAINT period_archive_number_check CHECK ((number >= 0)),
  CONSTRAINT period_archive_pkey PRIMARY KEY (number),
  CONSTRAINT period_archive_step_check CHECK ((step = ANY (ARRAY['copying'::text, 'detaching'::text, 'writing'::text, 'dropping'::text, 'done'::text])))
);

CREATE TABLE product_instance (
  id bigint NOT NULL,
  asset_id bigint NOT NULL,
  license_order_id bigint NOT NULL,
  merchandise_id bigint,
  crm_product_id text NOT NULL,
  product_uri text NOT NULL,
  product_name text NOT NULL,
  limit_start_date bigint,
  limit_end_date bigint,
  limit_concurrent integer NOT NULL,
  src_license_order_id bigint,
  details jsonb NOT NULL,
  created_time timestamp with time zone NOT NULL DEFAULT statement_timestamp(),
  updated_time timestamp with time zone NOT NULL DEFAULT statement_timestamp(),
  revoked_time timestamp with time zone,
  held_by_order_id bigint,
  revoked_by_order_id bigint,
  CONSTRAINT product_instance_limit_concurrent_check CHECK ((limit_concurrent >= 0)),
  CONSTRAINT product_instance_merchandise_id_fkey FOREIGN KEY (merchandise_id) REFERENCES merchandise_instance(id),
  CONSTRAINT product_instance_period CHECK ((limit_start_date <= limit_end_date)) NOT VALID,
  CONSTRAINT product_instance_pkey PRIMARY KEY (id),
  CONSTRAINT product_instance_revoked_by CHECK (((revoked_time IS NULL) = (revoked_by_order_id IS NULL))) NOT VALID,
  CONSTRAINT product_instance_times CHECK (((updated_time >= created_time) AND (revoked_time >= created_time))) NOT VALID
);
CREATE INDEX product_instance_asset ON product_instance USING btree (asset_id) WHERE (revoked_time IS NULL);
CREATE INDEX product_instance_once_bought ON product_instance USING btree (asset_id, license_order_id, id) WHERE (revoked_time IS NOT NULL);
CREATE INDEX product_instance_revoked ON product_instance USING btree (asset_id, revoked_by_order_id, id) WHERE (revoked_time IS NOT NULL);
CREATE INDEX product_instance_revoker ON product_instance USING btree (revoked_by_order_id) WHERE (revoked_time IS NOT NULL);
CREATE TRIGGER check_inserted AFTER INSERT ON product_instance REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION check_contents_inserted('merchandise_id');
CREATE TRIGGER check_revoked_stays AFTER UPDATE ON product_instance REFERENCING OLD TABLE AS before FOR EACH STATEMENT EXECUTE FUNCTION check_revoked_stays();
CREATE TRIGGER check_stays AFTER UPDATE ON product_instance REFERENCING OLD TABLE AS before NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION check_stays('id, asset_id, license_order_id, merchandise_id');
CREATE TRIGGER check_taken_over AFTER UPDATE ON product_instance REFERENCING OLD TABLE AS before NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION check_taken_over();
CREATE TRIGGER refuse_change BEFORE DELETE OR TRUNCATE ON product_instance FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

CREATE TABLE promotion (
  system_identifier text NOT NULL,
  timeline integer NOT NULL,
  noted_time timestamp with time zone NOT NULL DEFAULT statement_timestamp(),
  CONSTRAINT promotion_pkey PRIMARY KEY (system_identifier, timeline)
);

CREATE TABLE replica_mark (
  reader uuid NOT NULL,
  timeline text NOT NULL,
  written_ms double precision NOT NULL,
  written_time timestamp with time zone NOT NULL,
  CONSTRAINT replica_mark_pkey PRIMARY KEY (reader)
);

CREATE TABLE schema_definition (
  name text NOT NULL,
  definition text NOT NULL,
  CONSTRAINT schema_definition_pkey PRIMARY KEY (name)
);

CREATE TABLE schema_expansion (
  name text NOT NULL,
  applied_time timestamp with time zone NOT NULL DEFAULT statement_timestamp(),
  CONSTRAINT schema_expansion_pkey PRIMARY KEY (name)
);

CREATE TABLE uncounted_activity (
  id bigint NOT NULL GENERATED ALWAYS AS IDENTITY,
  noted_time timestamp with time zone NOT NULL DEFAULT statement_timestamp(),
  accepted integer NOT NULL,
  succeeded integer NOT NULL,
  failed integer NOT NULL,
  causes jsonb NOT NULL,
  CONSTRAINT uncounted_activity_pkey PRIMARY KEY (id)
);

CREATE TABLE unnumbered_event (
  id bigint NOT NULL GENERATED ALWAYS AS IDENTITY,
  application_id bigint NOT NULL,
  batch_id bigint NOT NULL,
  type text NOT NULL,
  completed_time timestamp with time zone NOT NULL,
  succeeded integer NOT NULL,
  failed integer NOT NULL,
  cancelled integer NOT NULL,
  CONSTRAINT unnumbered_event_check CHECK (((succeeded >= 0) AND (failed >= 0) AND ((cancelled >= 0) AND (cancelled <= failed)))),
  CONSTRAINT unnumbered_event_pkey PRIMARY KEY (id),
  CONSTRAINT unnumbered_event_type_check CHECK ((type = ANY (ARRAY['batch.completed'::text, 'batch.retried'::text])))
);

CREATE TABLE webhook (
  id bigint NOT NULL GENERATED ALWAYS AS IDENTITY,
  application_id bigint NOT NULL,
  url text NOT NULL,
  description text,
  secret bytea,
  old_secret bytea,
  old_secret_end_time timestamp with time zone,
  after_position bigint NOT NULL,
  last_attempt_prompt boolean,
  failing_since timestamp with time zone,
  created_time timestamp with time zone NOT NULL DEFAULT statement_timestamp(),
  disabled_time timestamp with time zone,
  disabled_cause text,
  deleted_time timestamp with time zone,
  CONSTRAINT webhook_after_position_check CHECK ((after_position >= 0)),
  CONSTRAINT webhook_application_id_fkey FOREIGN KEY (application_id) REFERENCES application(id),
  CONSTRAINT webhook_disabled_cause_check CHECK ((disabled_cause = ANY (ARRAY['endpoint_gone'::text, 'attempts_exhausted'::text]))),
  CONSTRAINT webhook_disabled_whole CHECK ((num_nonnulls(disabled_time, disabled_cause) = ANY (ARRAY[0, 2]))),
  CONSTRAINT webhook_old_secret_whole CHECK ((num_nonnulls(old_secret, old_secret_end_time) = ANY (ARRAY[0, 2]))),
  CONSTRAINT webhook_pkey PRIMARY KEY (id),
  CONSTRAINT webhook_secret_kept CHECK (((secret IS NULL) = (deleted_time IS NOT NULL)))
);
CREATE INDEX webhook_active ON webhook USING btree (id) WHERE ((deleted_time IS NULL) AND (disabled_time IS NULL));
CREATE INDEX webhook_application ON webhook USING btree (application_id, id) WHERE (deleted_time IS NULL);
CREATE INDEX webhook_deleted ON webhook USING btree (deleted_time) WHERE (deleted_time IS NOT NULL);

CREATE TABLE webhook_attempt (
  delivery_id bigint NOT NULL,
  number integer NOT NULL,
  time timestamp with time zone NOT NULL,
  status integer,
  duration_ms integer NOT NULL,
  fault text,
  CONSTRAINT webhook_attempt_delivery_id_fkey FOREIGN KEY (delivery_id) REFERENCES webhook_delivery(id) ON DELETE CASCADE,
  CONSTRAINT webhook_attempt_duration_ms_check CHECK ((duration_ms >= 0)),
  CONSTRAINT webhook_attempt_outcome CHECK (((fault IS NULL) = ((status IS NOT NULL) AND ((status >= 200) AND (status <= 299))))),
  CONSTRAINT webhook_attempt_pkey PRIMARY KEY (delivery_id, number)
);

CREATE TABLE webhook_delivery (
  id bigint NOT NULL GENERATED ALWAYS AS IDENTITY,
  webhook_id bigint NOT NULL,
  position bigint,
  type text NOT NULL,
  created_time timestamp with time zone NOT NULL DEFAULT statement_timestamp(),
  state text NOT NULL DEFAULT 'pending'::text,
  due_time timestamp with time zone DEFAULT statement_timestamp(),
  attempts integer NOT NULL DEFAULT 0,
  claims integer NOT NULL DEFAULT 0,
  claimed_until timestamp with time zone,
  CONSTRAINT webhook_delivery_check CHECK (((attempts >= 0) AND (claims >= 0))),
  CONSTRAINT webhook_delivery_due CHECK (((state = 'pending'::text) = (due_time IS NOT NULL))),
  CONSTRAINT webhook_delivery_pkey PRIMARY KEY (id),
  CONSTRAINT webhook_delivery_state_check CHECK ((state = ANY (ARRAY['pending'::text, 'delivered'::text, 'failed'::text]))),
  CONSTRAINT webhook_delivery_test CHECK ((("position" IS NULL) = (type = 'webhook.test'::text))),
  CONSTRAINT webhook_delivery_webhook_id_fkey FOREIGN KEY (webhook_id) REFERENCES webhook(id) ON DELETE CASCADE
);
CREATE INDEX webhook_delivery_created ON webhook_delivery USING btree (created_time);
CREATE INDEX webhook_delivery_listed ON webhook_delivery USING btree (webhook_id, id);
CREATE INDEX webhook_delivery_pending ON webhook_delivery USING btree (webhook_id, due_time, id) WHERE (state = 'pending'::text);
