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
import { type Database, inMs, isId, ListCursor, readWalk } from '@lockstep/platform';
import { type RawBuilder, sql } from 'kysely';
import { contactOf } from './contacts.ts';
import { customersOf, enterprisesOf, isVisible, isWhollyVisible, newestCustomers } from './tenant.ts';

/** The most customers shown for one number; each is in another channel. */
const MAX_EXACT = 20;
/** The highest Unicode character: every name that begins with a text sorts below the text plus this. */
const LAST_CHARACTER = '\u{10FFFF}';

/** Returns a name as the indexes of enterprises and customers store it: folded, and compared byte by byte. */
const folded = (name: RawBuilder<unknown>) => sql`(casefold(${name} collate pg_unicode_fast) collate "C")`;
const NAME = folded(sql`name`);

/** Returns the condition that the name begins with a text, ignoring case. The index serves it. */
function beginsWith(text: string): RawBuilder<unknown> {
  const prefix = folded(sql`${text}::text`);
  return sql`${NAME} >= ${prefix} and ${NAME} < (${prefix} || ${LAST_CHARACTER}::text) collate "C"`;
}

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
  customerIds: Iterable<CustomerId>,
): Promise<Map<CustomerId, Owner>> {
  const ids = [...new Set(customerIds)].filter(isId);
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

const ALL = { channels: null };

/**
 * Lists customers that a viewer can see: with a name, those whose name begins with it, sorted by name; else newest
 * first (rules 6.7). Throws a WrongCursor.
 */
export async function listCustomers(
  db: Database,
  viewer: Viewer,
  { limit, cursor, name, channelCustomerId, channelCode, enterpriseGlobalId: enterpriseId }: CustomerListQuery,
): Promise<CustomerPage> {
  const filters = { name, channelCustomerId, channelCode, enterpriseId };
  const cursors = new ListCursor(['customers', viewer.applicationId, filters], cursor);
  if (enterpriseId !== undefined && !isId(enterpriseId)) return { customers: [], nextCursor: null };
  const after = cursors.after?.[0];
  const behind = after === undefined ? sql`true` : sql`id < ${after}`;
  const newest = (condition: RawBuilder<unknown>) => sql`
    select * from ${customersOf(viewer)} as customer where ${condition} and ${behind} order by id desc`;
  // By number, PostgreSQL skips through the index by channel.
  const walk =
    name !== undefined
      ? sql`
        select * from ${customersOf(ALL)} as customer where ${beginsWith(name)}
          ${after === undefined ? sql`` : sql`and (${NAME}, id) > (select ${NAME}, id from ${customersOf(ALL)} as c where id = ${after})`}
        order by ${NAME}, id`
      : channelCustomerId !== undefined
        ? newest(sql`channel_customer_id = ${channelCustomerId}`)
        : enterpriseId !== undefined
          ? newest(sql`enterprise_id = ${enterpriseId}`)
          : newestCustomers(viewer, { channelCode, behind, limit: limit + 1 });
  const wanted = [
    isVisible(viewer),
    ...(channelCustomerId === undefined ? [] : [sql`channel_customer_id = ${channelCustomerId}`]),
    ...(channelCode === undefined ? [] : [sql`channel_code = ${channelCode}`]),
    ...(enterpriseId === undefined ? [] : [sql`enterprise_id = ${enterpriseId}`]),
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

/** Finds customers by a text for operators: on the first page, also those whose ID or number in a channel equals it. */
export async function searchCustomers(
  db: Database,
  viewer: Viewer,
  { text, ...query }: ConsoleRequest<'listCustomers'>['query'],
): Promise<ConsoleData<'listCustomers'>> {
  const found = await listCustomers(db, viewer, { ...query, name: text, channelCustomerId: undefined });
  if (text === undefined || query.cursor !== undefined) return { exact: [], ...found };
  const { channelCode, enterpriseGlobalId: enterpriseId = null } = query;
  const { rows: exact } = await sql<ListedCustomer>`
    select ${CUSTOMER} from (
      select * from ${customersOf(viewer)} as customer where id = ${isId(text) ? text : null}
      union
      select * from ${customersOf(viewer)} as customer where channel_customer_id = ${text}
    ) as customer ${WITH_ENTERPRISE}
    where (${enterpriseId}::bigint is null or enterprise_id = ${enterpriseId})
      and (${channelCode ?? null}::text is null or channel_code = ${channelCode ?? null})
    order by customer.id limit ${MAX_EXACT}`.execute(db);
  return { exact, ...found };
}

const ENTERPRISE = sql`enterprise.id as "enterpriseGlobalId", enterprise.name, code,
  crm_customer_id as "crmCustomerId", ${inMs('enterprise.created_time')} as "createdTime"`;

/**
 * Lists enterprises, for operators. With a text: those whose name begins with it, ignoring case, sorted by name, and on
 * the first page those whose ID, code or CRM number equals it. Without: all, newest first. Throws a WrongCursor.
 */
export async function listEnterprises(
  db: Database,
  viewer: Operator,
  { limit, cursor, text }: ConsoleRequest<'listEnterprises'>['query'],
): Promise<ConsoleData<'listEnterprises'>> {
  const cursors = new ListCursor(['enterprises', { text }], cursor);
  const after = cursors.after?.[0];
  const select = sql`select ${ENTERPRISE} from ${enterprisesOf(viewer)} as enterprise where`;
  if (text === undefined) {
    const behind = after === undefined ? sql`true` : sql`id < ${after}`;
    const { rows } = await sql<EnterpriseRow>`${select} ${behind} order by id desc limit ${limit + 1}`.execute(db);
    const { page, nextCursor } = cursors.cut(rows, limit, (row) => [row.enterpriseGlobalId]);
    return { exact: [], enterprises: page, nextCursor };
  }
  const behind =
    after === undefined ? sql`` : sql`and (${NAME}, id) > (select ${NAME}, id from enterprise where id = ${after})`;
  const { rows } = await sql<EnterpriseRow>`
    ${select} ${beginsWith(text)} ${behind} order by ${NAME}, id limit ${limit + 1}`.execute(db);
  const { rows: exact } =
    after !== undefined
      ? { rows: [] }
      : await sql<EnterpriseRow>`
        ${select} id = ${isId(text) ? text : null}
        union ${select} code = ${text.toLowerCase()}
        union ${select} crm_customer_id = ${text}
        order by "enterpriseGlobalId"`.execute(db);
  const { page, nextCursor } = cursors.cut(rows, limit, (row) => [row.enterpriseGlobalId]);
  return { exact, enterprises: page, nextCursor };
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
