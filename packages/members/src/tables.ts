import type { EnterpriseId, MemberId } from '@lockstep/contract';
import type { Generated } from 'kysely';

/** Employees and the audit log of the member center. */
declare module '@lockstep/platform' {
  interface Tables {
    member: {
      id: Generated<MemberId>;
      enterprise_id: EnterpriseId;
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
      enterprise_id: EnterpriseId;
      actor_id: MemberId;
      action: string;
      target_id: MemberId | null;
      detail: unknown;
      request_id: string;
      recorded_time: Generated<Date>;
    };
  }
}
