import type { Generated } from 'kysely';

/** The tables as the migrations make them; a test holds this list against the database. */
export interface Tables {
  application: {
    id: Generated<string>;
    app_key: string;
    name: string;
    secret_hash: Buffer;
    scopes: string[];
    status: Generated<'pending' | 'approved' | 'suspended'>;
    created_time: Generated<Date>;
    channels: string[] | null;
    old_secret_hash: Buffer | null;
    old_secret_end_time: Date | null;
  };
  access_token: {
    token_hash: Buffer;
    application_id: string;
    scopes: string[];
    expires_time: Date;
    member_id: string | null;
  };
  login_failure: {
    account_hash: Buffer;
    failed_times: Date[];
    locked_until: Date | null;
    expires_time: Date;
    application_id: string;
  };
  nonce: { application_id: string; nonce: string; used_time: Date };
  enterprise: {
    id: Generated<string>;
    name: string;
    code: string;
    crm_customer_id: string | null;
    security_mobile: string | null;
    created_time: Generated<Date>;
    created_by_application_id: string | null;
  };
  customer: {
    id: Generated<string>;
    enterprise_id: string;
    channel_code: string;
    channel_customer_id: string;
    name: string;
    branch_name: string;
    address: string | null;
    is_default: boolean;
    created_time: Generated<Date>;
  };
  member: {
    id: Generated<string>;
    enterprise_id: string;
    user_name: string;
    is_administrator: boolean;
    created_time: Generated<Date>;
    name: string;
    department_id: string | null;
    remark: string | null;
    password_mobile: string | null;
    password_hash: string | null;
    is_provisioned: boolean;
    updated_time: Generated<Date>;
    deleted_time: Date | null;
  };
  member_audit: {
    id: Generated<string>;
    enterprise_id: string;
    actor_id: string;
    action: string;
    target_id: string | null;
    detail: unknown;
    request_id: string;
    recorded_time: Generated<Date>;
  };
  batch: {
    id: string;
    application_id: string;
    channel_code: string;
    channel_order_id: string;
    sync_mode: 'sync' | 'async';
    digest: Buffer;
    sequences: number[];
    customer_ids: string[];
    order_types: string[];
    accepted_time: Generated<Date>;
    digest_version: Generated<number>;
    request_id: string | null;
    completed_time: Date | null;
    succeeded: number | null;
    failed: number | null;
  };
  lane_chunk: {
    batch_id: string;
    lane: number;
    order_count: number;
    weight: number;
    payload: string | null;
    accepted_time: Generated<Date>;
    finished_time: Date | null;
    succeeded: Generated<number>;
    failed: Generated<number>;
    payload_version: Generated<number>;
  };
  license_order: {
    id: string;
    order_type: string;
    customer_id: string;
    cause: string | null;
    message: string | null;
    assets: number;
    products: number;
    finished_time: Generated<Date>;
    src_license_order_id: string | null;
  };
  failed_order: {
    license_order_id: string;
    batch_id: string;
    lane: number;
    payload_version: number;
    content: string;
    failed_time: Generated<Date>;
  };
  order_retry: {
    id: Generated<string>;
    license_order_id: string;
    cause: string;
    message: string;
    finished_time: Date;
    retried_time: Generated<Date>;
  };
  asset: {
    id: string;
    asset_num: string;
    customer_id: string;
    license_type: string;
    limit_start_date: string | null;
    limit_end_date: string | null;
    borrowed_usb_key: boolean;
    extends: Record<string, string>;
    created_time: Generated<Date>;
    updated_time: Generated<Date>;
    revoked_time: Date | null;
    locked: Generated<boolean>;
    freezing: Generated<boolean>;
    revoked_by_order_id: string | null;
  };
  asset_transfer: {
    asset_id: string;
    license_order_id: string;
    from_customer_id: string;
    to_customer_id: string;
    transferred_time: Generated<Date>;
  };
  asset_grant: {
    asset_id: string;
    license_order_id: string;
    created_time: Generated<Date>;
    revoked_time: Date | null;
    revoked_by_order_id: string | null;
  };
  merchandise_instance: {
    id: string;
    asset_id: string;
    license_order_id: string;
    parent_id: string | null;
    crm_product_id: string;
    parent_crm_product_id: string;
    merchandise_num: string;
    merchandise_name: string;
    parent_merchandise_num: string;
    time_duration_expression: string;
    created_time: Generated<Date>;
    updated_time: Generated<Date>;
    revoked_time: Date | null;
    held_by_order_id: string | null;
    revoked_by_order_id: string | null;
  };
  product_instance: {
    id: string;
    asset_id: string;
    license_order_id: string;
    merchandise_id: string | null;
    crm_product_id: string;
    product_uri: string;
    product_name: string;
    limit_start_date: string | null;
    limit_end_date: string | null;
    limit_concurrent: number;
    src_license_order_id: string | null;
    details: unknown;
    created_time: Generated<Date>;
    updated_time: Generated<Date>;
    revoked_time: Date | null;
    held_by_order_id: string | null;
    revoked_by_order_id: string | null;
  };
  lock_audit: {
    id: Generated<string>;
    asset_id: string;
    locked: boolean;
    operator_identity: string;
    application_id: string;
    request_id: string;
    recorded_time: Generated<Date>;
  };
  asset_number: { first_digit: number; handed_out: number };
  asset_assignment: { asset_id: string; member_id: string; created_time: Generated<Date> };
  asset_lending: { asset_id: string; lock_asset_id: string; created_time: Generated<Date> };
  schema_definition: { name: string; definition: string };
}
