import type { EnterpriseId } from '@lockstep/contract';
import type { EnterpriseRow } from '@lockstep/contract/console';
import { type Database, isId } from '@lockstep/platform';
import { sql } from 'kysely';
import { beginsWith, folded } from './names.ts';

interface StoredEnterprise {
  id: EnterpriseId;
  name: string;
  code: string;
  crm_customer_id: string | null;
  created_time: Date;
}

const buildRow = (row: StoredEnterprise): EnterpriseRow => ({
  enterpriseGlobalId: row.id,
  name: row.name,
  code: row.code,
  crmCustomerId: row.crm_customer_id,
  createdTime: row.created_time.getTime(),
});

/** The enterprises that match a search. */
interface FoundEnterprises {
  /** Enterprises whose ID, code or CRM number equals the text; on the first page only. */
  exact: EnterpriseRow[];
  enterprises: EnterpriseRow[];
  /** The enterprise after which the next page begins; null on the last page. */
  stop: EnterpriseId | null;
}

/**
 * Lists enterprises. With a text: those whose name begins with it, ignoring case, sorted by name. Without: all, newest
 * first.
 */
export async function listEnterprises(
  db: Database,
  text: string | undefined,
  { after, limit }: { after: EnterpriseId | null; limit: number },
): Promise<FoundEnterprises> {
  const rows = await (text === undefined ? readNewest(db, after, limit) : readByName(db, text, after, limit));
  const exact = text === undefined || after !== null ? [] : await readExact(db, text);
  const page = rows.slice(0, limit);
  return {
    exact: exact.map(buildRow),
    enterprises: page.map(buildRow),
    stop: rows.length > limit ? page.at(-1)!.id : null,
  };
}

async function readNewest(db: Database, after: EnterpriseId | null, limit: number): Promise<StoredEnterprise[]> {
  const { rows } = await sql<StoredEnterprise>`
    select id, name, code, crm_customer_id, created_time from enterprise
    ${after === null ? sql`` : sql`where id < ${after}`} order by id desc limit ${limit + 1}`.execute(db);
  return rows;
}

async function readByName(
  db: Database,
  text: string,
  after: EnterpriseId | null,
  limit: number,
): Promise<StoredEnterprise[]> {
  const name = folded(sql`name`);
  const behind =
    after === null ? sql`` : sql`and (${name}, id) > (select ${name}, id from enterprise where id = ${after})`;
  const statement = sql<StoredEnterprise>`
    select id, name, code, crm_customer_id, created_time from enterprise
    where ${beginsWith(name, text)} ${behind} order by ${name}, id limit ${limit + 1}`;
  const { rows } = await statement.execute(db);
  return rows;
}

async function readExact(db: Database, text: string): Promise<StoredEnterprise[]> {
  const columns = sql`id, name, code, crm_customer_id, created_time`;
  const { rows } = await sql<StoredEnterprise>`
    select ${columns} from enterprise where id = ${isId(text) ? text : null}
    union
    select ${columns} from enterprise where code = ${text.toLowerCase()}
    union
    select ${columns} from enterprise where crm_customer_id = ${text}
    order by id`.execute(db);
  return rows;
}

/** An enterprise as listed, and how many customers it has. */
interface FoundEnterprise extends EnterpriseRow {
  securityMobile: string | null;
  createdBy: { appKey: string; name: string } | null;
  customerCount: number;
}

/** Finds an enterprise by its id; undefined if it does not exist. */
export async function findEnterprise(db: Database, id: EnterpriseId): Promise<FoundEnterprise | undefined> {
  if (!isId(id)) return undefined;
  const { rows } = await sql<
    StoredEnterprise & {
      security_mobile: string | null;
      app_key: string | null;
      application_name: string | null;
      customers: string;
    }
  >`
    select enterprise.id, enterprise.name, code, crm_customer_id, enterprise.created_time, security_mobile, app_key,
      application.name as application_name,
      (select count(*) from customer where enterprise_id = enterprise.id) as customers
    from enterprise left join application on application.id = created_by_application_id
    where enterprise.id = ${id}`.execute(db);
  const [row] = rows;
  if (row === undefined) return undefined;
  return {
    ...buildRow(row),
    securityMobile: row.security_mobile,
    createdBy: row.app_key === null ? null : { appKey: row.app_key, name: row.application_name! },
    customerCount: Number(row.customers),
  };
}
