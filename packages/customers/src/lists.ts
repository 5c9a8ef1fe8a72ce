import type {
  CustomerId,
  CustomerListQuery,
  CustomerPage,
  EnterpriseId,
  ListedCustomer,
  Operator,
  Viewer,
} from '@lockstep/contract';
import type { ConsoleData, ConsoleRequest, EnterpriseRow, Owner } from '@lockstep/contract/console';
import {
  contains,
  type Database,
  findMatches,
  inMs,
  isId,
  ListCursor,
  MAX_SCANNED,
  readBest,
  readWalk,
} from '@lockstep/platform';
import { type RawBuilder, sql } from 'kysely';
import { contactOf } from './contacts.ts';
import { customersOf, enterprisesOf, isVisible, isWhollyVisible, newestCustomers } from './tenant.ts';

/** A customer and its enterprise, from `customer` and `enterprise`. */
const OWNER = sql`customer.id::text as "customerId", customer.name as "customerName",
  customer.channel_code as "channelCode", customer.channel_customer_id as "channelCustomerId",
  enterprise.id::text as "enterpriseGlobalId", enterprise.name as "enterpriseName"`;
const CUSTOMER = sql`${OWNER}, customer.branch_name as "branchName", customer.address,
  customer.is_default as "isDefault", ${contactOf('customer.id')} as contact, ${inMs('customer.created_time')} as "createdTime"`;
const WITH_ENTERPRISE = sql`join enterprise on enterprise.id = customer.enterprise_id`;

/** Reads customers and their enterprises, by customer id. Omits unknown ids. */
export async function readOwners(
  db: Database,
  viewer: Viewer,
  customerIds: Iterable<CustomerId | null>,
): Promise<Map<CustomerId | null, Owner>> {
  const ids = [...new Set(customerIds)].filter((id) => id !== null && isId(id));
  const { rows } = await sql<Owner>`
    select ${OWNER} from ${customersOf(viewer)} as customer ${WITH_ENTERPRISE}
    where customer.id = any (${ids}::bigint[])`.execute(db);
  return new Map(rows.map((owner) => [owner.customerId, owner]));
}

/** SQL for the customer whose id is in a column, and its enterprise, as JSON. */
export const ownerOf = (viewer: Viewer, column: string) => sql<Owner>`(
  select to_json(owner) from (
    select ${OWNER} from ${customersOf(viewer)} as customer ${WITH_ENTERPRISE}
    where customer.id = ${sql.ref(column)}
  ) as owner
)`;

/**
 * Lists customers that a viewer can see, newest first (rules 6.7): with `name`, those whose name contains it; with
 * `text`, those whose name, id or number does. Throws a WrongCursor.
 */
export async function listCustomers(
  db: Database,
  viewer: Viewer,
  query: CustomerListQuery & { text?: string | undefined; customerId?: CustomerId | undefined },
): Promise<CustomerPage> {
  const { limit, cursor, name, text, channelCustomerId, channelCode, customerId } = query;
  const { enterpriseGlobalId: enterpriseId } = query;
  const filters = { name, text, channelCustomerId, channelCode, customerId, enterpriseId };
  const cursors = new ListCursor(['customers', viewer.applicationId, filters], cursor);
  if ([customerId, enterpriseId].some((id) => id !== undefined && !isId(id)))
    return { customers: [], nextCursor: null };
  const sought = text ?? name;
  const found =
    sought === undefined ? null : await findMatches(db, { table: 'customer', rows: customersOf(viewer), text: sought });
  const after = cursors.after?.[0];
  const behind = after === undefined ? sql`true` : sql`id < ${after}`;
  const newest = (condition: RawBuilder<unknown>) => sql`
    select * from ${customersOf(viewer)} as customer where ${condition} and ${behind} order by id desc`;
  // By number, PostgreSQL skips through the index by channel.
  const exact = [
    ...(customerId === undefined ? [] : [sql`id = ${customerId}`]),
    ...(channelCustomerId === undefined ? [] : [sql`channel_customer_id = ${channelCustomerId}`]),
    ...(enterpriseId === undefined ? [] : [sql`enterprise_id = ${enterpriseId}`]),
  ];
  const [first] = found === null ? exact : [sql`id = any (${found}::bigint[])`];
  const walk = first
    ? newest(first)
    : newestCustomers(viewer, { channelCode, behind, limit: sought === undefined ? limit + 1 : MAX_SCANNED });
  const wanted = [
    isVisible(viewer),
    ...(name === undefined ? [] : [contains('customer.searched', name, { inFirst: true })]),
    ...(text === undefined ? [] : [contains('customer.searched', text)]),
    ...(channelCode === undefined ? [] : [sql`channel_code = ${channelCode}`]),
    ...exact,
  ];
  const { page, last } = await readWalk<ListedCustomer>(db, {
    walk,
    wanted: sql.join(wanted, sql` and `),
    as: 'customer',
    columns: CUSTOMER,
    joins: WITH_ENTERPRISE,
    limit,
  });
  return { customers: page, nextCursor: cursors.write(last ? [last.customerId] : null) };
}

const ENTERPRISE = sql`enterprise.id as "enterpriseGlobalId", enterprise.name, code,
  crm_customer_id as "crmCustomerId", ${inMs('enterprise.created_time')} as "createdTime"`;

/**
 * Lists enterprises, newest first, for operators; with a text, those whose name, id, code or CRM number contains it.
 * Throws a WrongCursor.
 */
export async function listEnterprises(
  db: Database,
  viewer: Operator,
  { limit, cursor, text }: ConsoleRequest<'listEnterprises'>['query'],
): Promise<ConsoleData<'listEnterprises'>> {
  const cursors = new ListCursor(['enterprises', { text }], cursor);
  const after = cursors.after?.[0];
  const rows = enterprisesOf(viewer);
  const found = text === undefined ? null : await findMatches(db, { table: 'enterprise', rows, text });
  const { page, last } = await readWalk<EnterpriseRow>(db, {
    walk: sql`
      select * from ${rows} as enterprise where ${found === null ? sql`true` : sql`id = any (${found}::bigint[])`}
        and ${after === undefined ? sql`true` : sql`id < ${after}`} order by id desc`,
    wanted: text === undefined ? null : contains('enterprise.searched', text),
    as: 'enterprise',
    columns: ENTERPRISE,
    limit,
  });
  return { enterprises: page, nextCursor: cursors.write(last ? [last.enterpriseGlobalId] : null) };
}

/** Finds the enterprises that match a text best. */
export const searchEnterprises = (db: Database, viewer: Operator, text: string, limit: number) =>
  readBest<EnterpriseRow>(db, { table: 'enterprise', rows: enterprisesOf(viewer), text, limit, columns: ENTERPRISE });

/** Finds the channels that match a text best. */
export function searchChannels(db: Database, { channels }: Operator, text: string, limit: number) {
  const rows =
    channels === null ? sql`channel` : sql`(select * from channel where code = any (${[...channels]}::text[]))`;
  const columns = sql`code, paused_time is not null as "isPaused"`;
  return readBest<{ code: string; isPaused: boolean }>(db, { table: 'channel', rows, text, limit, columns });
}

/** Finds the customers that match a text best, among those that a viewer can see. */
export function searchCustomers(db: Database, viewer: Operator, text: string, limit: number) {
  const shown = { columns: OWNER, joins: WITH_ENTERPRISE };
  return readBest<Owner>(db, { table: 'customer', rows: customersOf(viewer), text, limit, ...shown });
}

/** An enterprise, and whether the operator sees all its customers. */
type FoundEnterprise = Omit<ConsoleData<'getEnterprise'>, 'employeeCount' | 'administrators'> & { isWhole: boolean };

/** Finds an enterprise by its id, with its security mobile number, for operators; undefined if it does not exist. */
export async function findEnterprise(
  db: Database,
  viewer: Operator,
  id: EnterpriseId,
): Promise<FoundEnterprise | undefined> {
  if (!isId(id)) return undefined;
  // As packages/access shows applications to operators.
  const isOurs = viewer.channels === null ? sql`` : sql`and application.channels <@ ${viewer.channels}::text[]`;
  const { rows } = await sql<FoundEnterprise>`
    select ${ENTERPRISE}, security_mobile as "securityMobile",
      case when app_key is not null ${isOurs} then json_build_object('appKey', app_key, 'name', application.name) end as "createdBy",
      (
        select count(*)::float8 from ${customersOf(viewer)} as customer where enterprise_id = enterprise.id
      ) as "customerCount", ${isWhollyVisible(viewer)} as "isWhole"
    from ${enterprisesOf(viewer)} as enterprise left join application on application.id = created_by_application_id
    where enterprise.id = ${id}`.execute(db);
  return rows[0];
}
