import type { ApplicationId, CustomerId, EnterpriseId, LicenseOrderId } from '@lockstep/contract';
import type { Generated, GeneratedAlways } from 'kysely';

/** Enterprises and their customers. */
declare module '@lockstep/platform' {
  interface Tables {
    enterprise: {
      id: Generated<EnterpriseId>;
      name: string;
      code: string;
      crm_customer_id: string | null;
      security_mobile: string | null;
      created_time: Generated<Date>;
      created_by_application_id: ApplicationId | null;
      searched: GeneratedAlways<string>;
    };
    channel: {
      id: Generated<number>;
      code: string;
      paused_time: Date | null;
      searched: GeneratedAlways<string>;
    };
    customer_contact: {
      customer_id: CustomerId;
      license_order_id: LicenseOrderId;
      updated_time: Generated<Date>;
      fields: unknown;
    };
    customer: {
      id: Generated<CustomerId>;
      enterprise_id: EnterpriseId;
      channel_code: string;
      channel_customer_id: string;
      name: string;
      branch_name: string;
      address: string | null;
      is_default: boolean;
      created_time: Generated<Date>;
      searched: GeneratedAlways<string>;
    };
  }
}
