import type { CustomerId, EnterpriseId } from '@lockstep/contract';
import type { CustomerRow } from '@lockstep/contract/console';
import { type Database, isId } from '@lockstep/platform';
import { type RawBuilder, sql } from 'kysely';
import { beginsWith, folded } from './names.ts';

/** The most customers shown for one number; each is in another channel. */
const MAX_EXACT = 20;
/** The most customers that one call scans, however few match. */
const MAX_LOOKED_AT = 2_000;

interface CustomerFilters {
  /** The beginning of the name, ignoring case, or the exact ID or number in a channel. */
  text: string | undefined;
  enterpriseId: EnterpriseId | undefined;
  channelCode: string | undefined;
}

type StoredCustomer = Omit<CustomerRow, 'createdTime'> & { created_time: Date };

/** The columns of a row, from `customer`. */
const COLUMNS = sql`customer.id as "customerId", customer.name as "customerName", customer.channel_code as "channelCode",
  customer.channel_customer_id as "channelCustomerId", enterprise.id as "enterpriseGlobalId",
  enterprise.name as "enterpriseName", customer.branch_name as "branchName", customer.address,
  customer.is_default as "isDefault", customer.created_time`;

const buildRow = ({ created_time, ...row }: StoredCustomer): CustomerRow => ({
  ...row,
  createdTime: created_time.getTime(),
});

/** The customers that match a search. */
interface FoundCustomers {
  /** Customers whose ID or number in a channel equals the text; on the first page only. */
  exact: CustomerRow[];
  customers: CustomerRow[];
  /** The customer after which the next page begins; null on the last page. */
  stop: CustomerId | null;
}

/**
 * Lists customers of all channels. With a text: those whose name begins with it, sorted by name. Without: newest first,
 * all or those of one enterprise.
 */
export async function listCustomersOfAll(
  db: Database,
  filters: CustomerFilters,
  { after, limit }: { after: CustomerId | null; limit: number },
): Promise<FoundCustomers> {
  if (filters.enterpriseId !== undefined && !isId(filters.enterpriseId))
    return { exact: [], customers: [], stop: null };
  const statement = sql<StoredCustomer & { place: string; is_wanted: boolean }>`
    with walked as (
      select row_number() over () as place, found.* from (${walkOf(filters, after)} limit ${MAX_LOOKED_AT}) as found
    )
    select ${COLUMNS}, place, is_wanted from (
      (select *, true as is_wanted from walked where ${isWanted(filters)} order by place limit ${limit + 1})
      union all
      (select *, false from walked where place = ${MAX_LOOKED_AT})
    ) as customer join enterprise on enterprise.id = enterprise_id
    order by is_wanted desc, place`;
  const { rows } = await statement.execute(db);
  const found = rows.filter((row) => row.is_wanted);
  const page = found.slice(0, limit);
  const last = found.length > limit ? page.at(-1) : rows.find((row) => !row.is_wanted);
  const strip = ({ place: _place, is_wanted: _isWanted, ...row }: (typeof rows)[number]) => buildRow(row);
  return {
    exact: after === null ? await readExact(db, filters) : [],
    customers: page.map(strip),
    stop: last?.customerId ?? null,
  };
}

function walkOf({ text, enterpriseId }: CustomerFilters, after: CustomerId | null): RawBuilder<unknown> {
  if (text !== undefined) {
    const name = folded(sql`name`);
    const behind =
      after === null ? sql`` : sql`and (${name}, id) > (select ${name}, id from customer where id = ${after})`;
    return sql`select * from customer where ${beginsWith(name, text)} ${behind} order by ${name}, id`;
  }
  const behind = after === null ? sql`true` : sql`id < ${after}`;
  const ofEnterprise = enterpriseId === undefined ? sql`true` : sql`enterprise_id = ${enterpriseId}`;
  return sql`select * from customer where ${ofEnterprise} and ${behind} order by id desc`;
}

function isWanted({ enterpriseId, channelCode }: CustomerFilters): RawBuilder<unknown> {
  return sql`${enterpriseId === undefined ? sql`true` : sql`enterprise_id = ${enterpriseId}`}
    and ${channelCode === undefined ? sql`true` : sql`channel_code = ${channelCode}`}`;
}

/**
 * Reads the customers with this ID, or with this number in any channel: PostgreSQL skips through the index by channel.
 */
async function readExact(db: Database, filters: CustomerFilters): Promise<CustomerRow[]> {
  const { text } = filters;
  if (text === undefined) return [];
  const { rows } = await sql<StoredCustomer>`
    select ${COLUMNS} from (
      select * from customer where id = ${isId(text) ? text : null}
      union
      select * from customer where channel_customer_id = ${text}
    ) as customer join enterprise on enterprise.id = customer.enterprise_id
    where ${isWanted(filters)}
    order by customer.id limit ${MAX_EXACT}`.execute(db);
  return rows.map(buildRow);
}
