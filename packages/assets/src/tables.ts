import type { AssetId, CustomerId, LicenseOrderId, LicenseType, MemberId } from '@lockstep/contract';
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
    asset_assignment: {
      asset_id: AssetId;
      member_id: MemberId;
      created_time: Generated<Date>;
    };
    asset_lending: {
      asset_id: AssetId;
      lock_asset_id: AssetId;
    };
  }
}
