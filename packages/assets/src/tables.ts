import type {
  ApplicationId,
  AssetId,
  CustomerId,
  EnterpriseId,
  HoldingEnd,
  LicenseOrderId,
  LicenseType,
  LockAction,
  MemberId,
} from '@lockstep/contract';
import type { Generated, GeneratedAlways } from 'kysely';

/** The ledger: assets, their contents, assignments and loans. */
declare module '@lockstep/platform' {
  interface Tables {
    asset: {
      id: AssetId;
      asset_num: string;
      customer_id: CustomerId;
      license_type: LicenseType;
      limit_start_date: string | null;
      limit_end_date: string | null;
      borrowed_usb_key: boolean;
      extends: Record<string, string> | null;
      extends_bytes: GeneratedAlways<number | null>;
      created_time: Generated<Date>;
      updated_time: Generated<Date>;
      revoked_time: Date | null;
      locked: Generated<boolean>;
      freezing: Generated<boolean>;
      revoked_by_order_id: LicenseOrderId | null;
      created_by_order_id: LicenseOrderId;
    };
    asset_transfer: {
      asset_id: AssetId;
      license_order_id: LicenseOrderId;
      from_customer_id: CustomerId;
      to_customer_id: CustomerId;
      transferred_time: Generated<Date>;
    };
    asset_grant: {
      asset_id: AssetId;
      license_order_id: LicenseOrderId;
      created_time: Generated<Date>;
      revoked_time: Date | null;
      revoked_by_order_id: LicenseOrderId | null;
    };
    merchandise_instance: {
      id: string;
      asset_id: AssetId;
      license_order_id: LicenseOrderId;
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
      held_by_order_id: LicenseOrderId | null;
      revoked_by_order_id: LicenseOrderId | null;
    };
    product_terms: {
      id: Generated<string>;
      uri_hash: GeneratedAlways<number>;
      product_uri: GeneratedAlways<string>;
      product_name: GeneratedAlways<string>;
      fields: unknown;
      digest: GeneratedAlways<Buffer>;
    };
    product_instance: {
      id: string;
      asset_id: AssetId;
      license_order_id: LicenseOrderId;
      terms_id: string;
      created_time: Generated<Date>;
      updated_time: Generated<Date>;
      uri_hash: number;
      limit_concurrent: number;
      merchandise_id: string | null;
      limit_start_date: string | null;
      limit_end_date: string | null;
      src_license_order_id: LicenseOrderId | null;
      revoked_time: Date | null;
      held_by_order_id: LicenseOrderId | null;
      revoked_by_order_id: LicenseOrderId | null;
      crm_product_id: string;
      parent_crm_product_id: string;
      passwords: string[] | null;
    };
    asset_assignment: {
      id: Generated<string>;
      asset_id: AssetId;
      member_id: MemberId;
      enterprise_id: EnterpriseId;
      created_time: Generated<Date>;
      created_by: MemberId;
    };
    asset_lending: {
      id: Generated<string>;
      asset_id: AssetId;
      lock_asset_id: AssetId;
      enterprise_id: EnterpriseId;
      created_time: Generated<Date>;
      created_by: MemberId;
    };
    ended_holding: {
      id: string;
      asset_id: AssetId;
      member_id: MemberId;
      lock_asset_id: AssetId | null;
      enterprise_id: EnterpriseId;
      began_time: Date;
      began_by: MemberId;
      ended_time: Date;
      ended_by_order_id: LicenseOrderId | null;
      ended_by: MemberId | null;
      end_cause: HoldingEnd;
    };
    lock_audit: {
      id: Generated<string>;
      asset_id: AssetId;
      action: LockAction;
      operator_identity: string;
      application_id: ApplicationId;
      request_id: string;
      recorded_time: Generated<Date>;
    };
    asset_number: { first_digit: number; handed_out: number };
  }
}
