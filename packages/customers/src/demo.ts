import type { CustomerId, EnterpriseId, MemberId } from '@lockstep/contract';
import { type Database, inTransaction } from '@lockstep/platform';
import { insertEnterprise, insertFirstMembers } from './enterprises.ts';
import { insertCustomers } from './tenant.ts';

/** Two enterprises with fixed ids below those of real ones, so that examples can name them (rules 9). */
export const DEMO_ENTERPRISES = [
  {
    id: '1001' as EnterpriseId,
    name: 'Lockstep Demo Works',
    code: 'demoworks',
    securityMobile: '13800000001',
    memberIds: ['3001', '3002'] as [MemberId, MemberId],
    customers: [
      { id: '2001' as CustomerId, channelCustomerId: 'DEMO-HQ', name: 'Demo Works Head Office' },
      { id: '2002' as CustomerId, channelCustomerId: 'DEMO-YARD', name: 'Demo Works Site Yard' },
    ],
  },
  {
    id: '1002' as EnterpriseId,
    name: 'Lockstep Demo Studio',
    code: 'demostudio',
    securityMobile: '13800000002',
    memberIds: ['3003', '3004'] as [MemberId, MemberId],
    customers: [{ id: '2003' as CustomerId, channelCustomerId: 'DEMO-STUDIO', name: 'Demo Studio' }],
  },
] as const;

/**
 * Creates the demo enterprises with their customers and first employees. The first customer of each is its default.
 * Idempotent: creates only what is missing.
 */
export function createDemoCustomers(db: Database): Promise<void> {
  return inTransaction(db, async (trx) => {
    for (const { id, name, code, securityMobile, memberIds, customers } of DEMO_ENTERPRISES) {
      const existing = await trx.selectFrom('enterprise').select('id').where('id', '=', id).executeTakeFirst();
      if (existing === undefined) {
        await insertEnterprise(trx, { id, name, code, security_mobile: securityMobile });
        const rows = customers.map((customer, index) => ({
          id: customer.id,
          enterprise_id: id,
          channel_code: 'demo',
          channel_customer_id: customer.channelCustomerId,
          name: customer.name,
          branch_name: 'Demo Branch',
          is_default: index === 0,
        }));
        await insertCustomers(trx, { channels: null }, rows);
        await insertFirstMembers(trx, id, memberIds);
      }
    }
  });
}
