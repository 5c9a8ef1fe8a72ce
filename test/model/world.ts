import { pauseChannel, resumeChannel } from '@lockstep/orders';
import type { Database } from '@lockstep/platform';
import { sql } from 'kysely';
import type { Api } from '../harness/api.ts';
import type { Stack } from '../harness/stack.ts';
import {
  CHANNELS,
  type ChannelLabel,
  CUSTOMERS,
  ENTERPRISES,
  type HistoryEvent,
  LATE_CUSTOMER,
  SENDERS,
  type Sender,
} from './history.ts';

/** Data of one history: its own channels, customers and enterprises, and a prefix for its asset numbers. */
export interface World {
  /** The ids of customers and enterprises by label; for `nobody`, an id that doesn't exist. */
  ids: Record<string, string>;
  channelCodes: Record<ChannelLabel, string>;
  numberPrefix: string;
}

const NOBODY = '999999999999999999';
const NAMES = { name: 'Customer', branch_name: 'Branch', is_default: false };
let worlds = 0;

/** Creates `count` worlds with a handful of statements. */
export async function newWorlds(db: Database, count: number): Promise<World[]> {
  const keys = Array.from({ length: count }, () => String(++worlds));
  const enterprises = await db
    .insertInto('enterprise')
    .values(
      keys.flatMap((key) =>
        ENTERPRISES.map((label) => ({
          name: `${label} ${key}`,
          code: `${label.toLowerCase()}${key.padStart(8, '0')}`,
        })),
      ),
    )
    .returning(['id', 'name'])
    .execute();
  const enterpriseIds = new Map(enterprises.map(({ id, name }) => [name, id]));
  const ids = new Map<string, string>(enterpriseIds);
  await db
    .insertInto('channel')
    .values(keys.flatMap((key) => CHANNELS.map((label) => ({ code: `${label} ${key}` }))))
    .execute();
  const there = Object.entries(CUSTOMERS).filter(([label]) => label !== LATE_CUSTOMER);
  const customers = await db
    .insertInto('customer')
    .values(
      keys.flatMap((key) =>
        there.map(([label, { enterprise, channel }]) => ({
          ...NAMES,
          channel_code: `${channel} ${key}`,
          channel_customer_id: `${label} ${key}`,
          enterprise_id: enterpriseIds.get(`${enterprise} ${key}`)!,
        })),
      ),
    )
    .returning(['id', 'channel_customer_id'])
    .execute();
  for (const { id, channel_customer_id } of customers) ids.set(channel_customer_id, id);
  const late = await sql<{ id: string }>`
    select nextval(pg_get_serial_sequence('customer', 'id'))::text as id from generate_series(1, ${count})`.execute(db);
  for (const [index, key] of keys.entries()) ids.set(`${LATE_CUSTOMER} ${key}`, late.rows[index]!.id);
  return keys.map((key) => ({
    ids: {
      ...Object.fromEntries(
        [...Object.keys(CUSTOMERS), ...ENTERPRISES].map((label) => [label, ids.get(`${label} ${key}`)!]),
      ),
      nobody: NOBODY,
    },
    channelCodes: Object.fromEntries(CHANNELS.map((label) => [label, `${label} ${key}`])) as World['channelCodes'],
    numberPrefix: `H${key}-`,
  }));
}

/** A service, a world in it, and the applications that send orders there. */
export interface Place {
  db: Database;
  world: World;
  apis: Record<Sender, Api>;
}

/** Registers the bound applications of a world. `unbound` is the other one. */
export async function openPlace(stack: Stack, unbound: Api, world: World): Promise<Place> {
  const bound = (channels: readonly ChannelLabel[]) =>
    stack.newApi(
      ['auth_order'],
      channels.map((label) => world.channelCodes[label]),
    );
  return { db: stack.db, world, apis: { S1: unbound, S2: await bound(SENDERS.S2), S3: await bound(SENDERS.S3) } };
}

/** Applies an event to the service. */
export async function happen({ db, world: { ids, channelCodes }, apis }: Place, event: HistoryEvent): Promise<void> {
  const record = async () => {};
  if (event.type === 'pause') {
    const pause = await pauseChannel(db, channelCodes[event.channel], record);
    if (!pause?.isIdle) throw new Error(`Channel ${event.channel} is not idle after it was paused`);
  }
  if (event.type === 'resume') await resumeChannel(db, channelCodes[event.channel], record);
  if (event.type === 'bind') {
    const channels = event.channels.map((label) => channelCodes[label]);
    const { appKey } = apis[event.sender].credentials;
    await db.updateTable('application').set({ channels }).where('app_key', '=', appKey).execute();
  }
  if (event.type === 'create') {
    const { enterprise, channel } = CUSTOMERS[LATE_CUSTOMER];
    const channel_code = channelCodes[channel];
    const id = ids[LATE_CUSTOMER]!;
    await sql`
      insert into customer (id, enterprise_id, channel_code, channel_customer_id, name, branch_name, is_default)
      values (${id}, ${ids[enterprise]}, ${channel_code}, ${id}, ${NAMES.name}, ${NAMES.branch_name}, false)
      on conflict do nothing`.execute(db);
  }
}
