import type { Generated } from 'kysely';

/** The tables of enterprises and their customers. */
declare module '@lockstep/platform' {
  interface Tables {
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
  }
}
