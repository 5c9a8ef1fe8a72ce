import { randomInt } from 'node:crypto';
import {
  type ApplicationCaller,
  type CreatedEnterprise,
  type CreateEnterprise,
  type EnterpriseId,
  type MemberId,
  Refusal,
  requireChannel,
} from '@lockstep/contract';
import { type Database, inTransaction, isId, type Tables, type Trx } from '@lockstep/platform';
import { type Insertable, sql } from 'kysely';
import { insertCustomers, selectCustomers, updateCustomers } from './tenant.ts';

const CODE_CHARACTERS = 8;
const CODE_ALPHABET = 'abcdefghijkmnpqrstuvwxyz23456789';

/** The channels of the two customers that O2 creates. The first is the default (rules 5). */
const CRM_CHANNEL = 'crm';
const INDUSTRY_CHANNEL = 'industry';

/** The field of O2 and O4 that identifies customers of these channels. */
const CRM_CUSTOMER = 'crmCustomerId';

/** The two employees that O2 creates (rules 5). */
const FIRST_MEMBERS = [
  { user_name: 'admin', name: 'Administrator', is_administrator: true },
  { user_name: 'cloud', name: 'Cloud employee', is_administrator: false },
];

/** The class of advisory locks on channel customers. */
const CUSTOMER_LOCK = 0x63757374;

/** Serializes O1 and O2 calls for one channel customer, so that each sees the result of the one before. */
export async function lockChannelCustomer(trx: Trx, channelCustomerId: string): Promise<void> {
  await sql`select pg_advisory_xact_lock(${CUSTOMER_LOCK}::int, hashtext(${channelCustomerId}))`.execute(trx);
}

/** Inserts an enterprise main account, with a new code unless one is given. Returns its id. */
export async function insertEnterprise(
  trx: Trx,
  enterprise: Omit<Insertable<Tables['enterprise']>, 'code'> & { code?: string },
): Promise<EnterpriseId> {
  const { id } = await trx
    .insertInto('enterprise')
    .values({ code: newEnterpriseCode(), ...enterprise })
    .returning('id')
    .executeTakeFirstOrThrow();
  return id;
}

/** Returns a code of letters and digits that cannot be mistaken for one another (rules 5). */
function newEnterpriseCode(): string {
  return Array.from({ length: CODE_CHARACTERS }, () => CODE_ALPHABET[randomInt(CODE_ALPHABET.length)]).join('');
}

/**
 * O2: creates an enterprise main account with two customers and two employees (rules 5). Idempotent by crmCustomerId: a
 * resubmitted call returns the same enterprise and changes nothing. Only the application that created the enterprise
 * gets its accounts; others get no members. An application that is bound to channels needs both channels of the new
 * customers.
 *
 * Throws a Refusal: channel_not_allowed, enterprise_name_taken, customer_bound_elsewhere; then nothing has changed.
 */
export function createEnterprise(
  db: Database,
  caller: ApplicationCaller,
  request: CreateEnterprise,
): Promise<CreatedEnterprise> {
  for (const channel of [CRM_CHANNEL, INDUSTRY_CHANNEL]) requireChannel(caller.channels, channel, CRM_CUSTOMER);
  return inTransaction(db, async (trx) => {
    await lockChannelCustomer(trx, request.crmCustomerId);
    const { rows } = await sql<{ id: EnterpriseId; isOurs: boolean | null }>`
      select id, created_by_application_id = ${caller.applicationId} as "isOurs" from enterprise
      where crm_customer_id = ${request.crmCustomerId}`.execute(trx);
    const enterpriseId = rows[0]?.id ?? (await insertNewEnterprise(trx, caller, request));
    const isCreator = rows[0] === undefined || rows[0].isOurs === true;
    const members = isCreator ? await readFirstMembers(trx, enterpriseId) : [];
    return { enterpriseGlobalId: enterpriseId, defaultType: true, members };
  });
}

/**
 * O4: changes the name, branch and address of the customer that O2 created for a CRM customer. An absent address keeps
 * its value, and the enterprise keeps its name (rules 5).
 *
 * Throws a Refusal: channel_not_allowed, customer_not_found.
 */
export async function updateCustomer(
  db: Database,
  caller: ApplicationCaller,
  request: CreateEnterprise,
): Promise<void> {
  requireChannel(caller.channels, CRM_CHANNEL, CRM_CUSTOMER);
  const { crmCustomerId, customerName, branchName, address } = request;
  const { numUpdatedRows } = await updateCustomers(db, caller)
    .from('enterprise')
    .set({ name: customerName, branch_name: branchName, ...(address === undefined ? {} : { address }) })
    .whereRef('enterprise.id', '=', 'customer.enterprise_id')
    .where('enterprise.crm_customer_id', '=', crmCustomerId)
    .where('customer.channel_code', '=', CRM_CHANNEL)
    .where('customer.channel_customer_id', '=', crmCustomerId)
    .executeTakeFirst();
  if (numUpdatedRows === 0n) throw new Refusal('customer_not_found', crmCustomerId, 'crmCustomerId');
}

async function insertNewEnterprise(
  trx: Trx,
  caller: ApplicationCaller,
  request: CreateEnterprise,
): Promise<EnterpriseId> {
  const { crmCustomerId, customerName, branchName } = request;
  const sameName = await sql`select from enterprise where name = ${customerName}`.execute(trx);
  if (sameName.rows.length > 0) throw new Refusal('enterprise_name_taken');
  const bound = await selectCustomers(trx, caller)
    .select('id')
    .where('channel_customer_id', '=', crmCustomerId)
    .where('channel_code', 'in', [CRM_CHANNEL, INDUSTRY_CHANNEL])
    .executeTakeFirst();
  if (bound !== undefined) throw new Refusal('customer_bound_elsewhere', crmCustomerId);

  const enterpriseId = await insertEnterprise(trx, {
    name: customerName,
    crm_customer_id: crmCustomerId,
    created_by_application_id: caller.applicationId,
  });
  const customer = {
    enterprise_id: enterpriseId,
    channel_customer_id: crmCustomerId,
    name: customerName,
    branch_name: branchName,
    address: request.address ?? null,
  };
  await insertCustomers(trx, caller, [
    { ...customer, channel_code: CRM_CHANNEL, is_default: true },
    { ...customer, channel_code: INDUSTRY_CHANNEL, is_default: false },
  ]);
  await insertFirstMembers(trx, enterpriseId);
  return enterpriseId;
}

/** Inserts the first two employees of an enterprise, with new ids unless ids are given. */
export async function insertFirstMembers(
  trx: Trx,
  enterpriseId: EnterpriseId,
  ids: readonly MemberId[] = [],
): Promise<void> {
  const rows = FIRST_MEMBERS.map((member, index) => ({
    ...member,
    ...(ids[index] === undefined ? {} : { id: ids[index] }),
    enterprise_id: enterpriseId,
    is_provisioned: true,
  }));
  await trx.insertInto('member').values(rows).execute();
}

/** Reads the employees that O2 created, even if one was deleted since and another employee now has the account name. */
async function readFirstMembers(trx: Trx, enterpriseId: EnterpriseId): Promise<CreatedEnterprise['members']> {
  const { rows } = await sql<CreatedEnterprise['members'][number]>`
    select distinct on (user_name) member.id as "memberGlobalId", user_name || '@' || code as "memberIdentity"
    from member join enterprise on enterprise.id = enterprise_id
    where enterprise_id = ${enterpriseId} and is_provisioned
      and user_name = any (${FIRST_MEMBERS.map(({ user_name }) => user_name)})
    order by user_name, member.id`.execute(trx);
  return rows;
}

/**
 * Sets the security mobile number of an enterprise, by which O1 finds it (rules 5). `record` adds the change to the
 * audit log in its transaction. Returns whether the enterprise exists.
 */
export function setSecurityMobile(
  db: Database,
  { id, mobile }: { id: EnterpriseId; mobile: string },
  record: (trx: Trx, before: string | null) => Promise<void>,
): Promise<boolean> {
  return inTransaction(db, async (trx) => {
    if (!isId(id)) return false;
    const { rows } = await sql<{ before: string | null }>`
      update enterprise set security_mobile = ${mobile} where id = ${id}
      returning old.security_mobile as before`.execute(trx);
    if (rows[0] !== undefined) await record(trx, rows[0].before);
    return rows.length > 0;
  });
}
