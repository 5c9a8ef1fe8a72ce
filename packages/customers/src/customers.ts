import {
  type ApplicationCaller,
  type ApplicationId,
  type BindCustomer,
  type Customer,
  type EnterpriseId,
  type QueryCustomers,
  Refusal,
  type Viewer,
} from '@lockstep/contract';
import { type Database, inTransaction, type Trx } from '@lockstep/platform';
import { sql } from 'kysely';
import { contactOf } from './contacts.ts';
import { insertEnterprise, lockChannelCustomer } from './enterprises.ts';
import { insertCustomers, selectCustomers } from './tenant.ts';

/**
 * O1: creates a customer and binds it to the enterprise with that name, creating the enterprise if it does not exist
 * (rules 5). Idempotent: the same call returns the same customer.
 *
 * Throws a Refusal: channel_not_allowed, enterprise_mobile_mismatch, enterprise_mobile_missing,
 * customer_bound_elsewhere; then nothing has changed.
 */
export function bindCustomer(db: Database, caller: ApplicationCaller, request: BindCustomer): Promise<Customer> {
  return inTransaction(db, async (trx) => {
    const { channelCode, channelCustomerId, customerName: name, branchName: branch_name, enterpriseName } = request;
    await lockChannelCustomer(trx, channelCustomerId);
    const { id: enterpriseGlobalId, isNew } = await findOrCreateEnterprise(trx, caller, request);
    const existing = await selectCustomers(trx, caller)
      .select(['id', 'enterprise_id', 'is_default', contactOf('customer.id').as('contact')])
      .where('channel_code', '=', channelCode)
      .where('channel_customer_id', '=', channelCustomerId)
      .executeTakeFirst();
    if (existing !== undefined && existing.enterprise_id !== enterpriseGlobalId) {
      throw new Refusal('customer_bound_elsewhere', channelCustomerId);
    }
    const place = {
      enterprise_id: enterpriseGlobalId,
      channel_code: channelCode,
      channel_customer_id: channelCustomerId,
    };
    const [customer] =
      existing === undefined
        ? await insertCustomers(trx, caller, [{ ...place, name, branch_name, is_default: isNew }])
        : [existing];
    const { id: customerId, is_default: isDefault } = customer!;
    const contact = existing?.contact ?? null;
    return { customerId, channelCode, channelCustomerId, enterpriseGlobalId, enterpriseName, isDefault, contact };
  });
}

/** Finds or creates the enterprise with that name, and checks or sets its security mobile. */
async function findOrCreateEnterprise(
  trx: Trx,
  { applicationId }: ApplicationCaller,
  request: BindCustomer,
): Promise<{ id: EnterpriseId; isNew: boolean }> {
  const { rows } = await sql<{ id: EnterpriseId; mobile: string | null; creator: ApplicationId | null }>`
    select id, security_mobile as mobile, created_by_application_id as creator from enterprise
    where name = ${request.enterpriseName} for update`.execute(trx);
  const found = rows[0];
  if (found === undefined) {
    const id = await insertEnterprise(trx, { name: request.enterpriseName, security_mobile: request.passwordMobile });
    return { id, isNew: true };
  }
  if (found.mobile === null) {
    if (found.creator !== applicationId) throw new Refusal('enterprise_mobile_missing');
    await sql`update enterprise set security_mobile = ${request.passwordMobile} where id = ${found.id}`.execute(trx);
  } else if (found.mobile !== request.passwordMobile) {
    throw new Refusal('enterprise_mobile_mismatch');
  }
  return { id: found.id, isNew: false };
}

/**
 * O3: returns the default customer (Y) or all customers (N) of the named customer's enterprise, oldest first; none if
 * the customer does not exist (rules 5). Omits customers of channels that the viewer is not bound to.
 */
export async function queryCustomers(db: Database, viewer: Viewer, query: QueryCustomers): Promise<Customer[]> {
  const named = selectCustomers(db, viewer)
    .where('channel_code', '=', query.channelCode)
    .where('channel_customer_id', '=', query.channelCustomerId);
  return selectCustomers(db, viewer)
    .innerJoin('enterprise', 'enterprise.id', 'customer.enterprise_id')
    .where('customer.enterprise_id', 'in', named.select('customer.enterprise_id'))
    .$if(query.defaultCustomer === 'Y', (all) => all.where('customer.is_default', '=', true))
    .select([
      'customer.id as customerId',
      'customer.channel_code as channelCode',
      'customer.channel_customer_id as channelCustomerId',
      'enterprise.id as enterpriseGlobalId',
      'enterprise.name as enterpriseName',
      'customer.is_default as isDefault',
      contactOf('customer.id').as('contact'),
    ])
    .orderBy('customer.id')
    .execute();
}
