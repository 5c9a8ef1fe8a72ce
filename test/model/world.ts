import type { Database } from '@lockstep/platform';
import { CUSTOMERS } from './history.ts';

/** Where one history runs: customers and enterprises of its own, and a prefix that all its asset numbers have. */
export interface World {
  /** The ids of what the labels stand for; of `nobody`, an id that nobody has. */
  ids: Record<string, string>;
  numberPrefix: string;
}

const NOBODY = '999999999999999999';
let worlds = 0;

/** Makes a world for each of so many histories, all with two statements. */
export async function newWorlds(db: Database, count: number): Promise<World[]> {
  const keys = Array.from({ length: count }, () => String(++worlds));
  const labels = [...new Set(Object.values(CUSTOMERS))];
  const enterprises = await db
    .insertInto('enterprise')
    .values(
      keys.flatMap((key) =>
        labels.map((label) => ({ name: `${label} ${key}`, code: `${label.toLowerCase()}${key.padStart(8, '0')}` })),
      ),
    )
    .returning(['id', 'name'])
    .execute();
  const enterpriseIds = new Map(enterprises.map(({ id, name }) => [name, id]));
  const names = { channel_code: 'model', name: 'Customer', branch_name: 'Branch', is_default: false };
  await db
    .insertInto('channel')
    .values({ code: names.channel_code })
    .onConflict((conflict) => conflict.doNothing())
    .execute();
  const customers = await db
    .insertInto('customer')
    .values(
      keys.flatMap((key) =>
        Object.entries(CUSTOMERS).map(([label, own]) => {
          const enterprise_id = enterpriseIds.get(`${own} ${key}`)!;
          return { ...names, channel_customer_id: `${label} ${key}`, enterprise_id };
        }),
      ),
    )
    .returning(['id', 'channel_customer_id'])
    .execute();
  const ids = new Map<string, string>([
    ...enterpriseIds,
    ...customers.map(({ id, channel_customer_id }) => [channel_customer_id, id] as const),
  ]);
  return keys.map((key) => ({
    ids: {
      ...Object.fromEntries(
        [...Object.keys(CUSTOMERS), ...labels].map((label) => [label, ids.get(`${label} ${key}`)!]),
      ),
      nobody: NOBODY,
    },
    numberPrefix: `H${key}-`,
  }));
}
