import type { ApplicationId, CustomerId, EnterpriseId } from '@lockstep/contract';
import type { Generated } from 'kysely';

/** Enterprises and their customers. */
declare module '@lockstep/platform' {
  interface Tables {
    enterprise: {
      id: Generated<EnterpriseId>;
      name: string;
      code: string;
      crm_customer_id: string | null;
      security_mobile: string | null;
      created_by_application_id: ApplicationId | null;
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
    };
  }
}
