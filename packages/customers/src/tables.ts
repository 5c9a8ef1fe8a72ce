import type { ApplicationId, CustomerId, EnterpriseId } from '@lockstep/contract';
import { addChosenKeys } from '@lockstep/platform';
import type { Generated } from 'kysely';

addChosenKeys(
  'customer_channel_code_channel_customer_id_key',
  'customer_default',
  'enterprise_code_key',
  'enterprise_crm_customer_id_key',
  'enterprise_name_key',
);

/** The tables of enterprises and their customers. */
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
    };
    channel: { id: Generated<number>; code: string; paused_time: Date | null };
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
    };
  }
}
