import type { CreatedEnterprise, Customer } from '@lockstep/contract';
import { eraseContact } from '@lockstep/customers';
import { pauseChannel, resumeChannel } from '@lockstep/orders';
import type { Database } from '@lockstep/platform';
import { hash } from '@node-rs/argon2';
import { sql } from 'kysely';
import { type Api, dataOf } from '../harness/api.ts';
import { MemberCenter } from '../harness/members/member-center.ts';
import { askUserToken } from '../harness/oauth.ts';
import type { Stack } from '../harness/stack.ts';
import type { Act } from './acts.ts';
import {
  ADMINISTRATORS,
  CHANNELS,
  type ChannelEvent,
  type ChannelLabel,
  CUSTOMERS,
  EMPLOYEES,
  ENTERPRISES,
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
const PASSWORD = 'correct horse';
const NAMES = { name: 'Customer', branch_name: 'Branch', is_default: false };
/** From the last day that a lead time reaches, and as late as possible. */
export const LISTENER_LEAD_DAYS = [365, 1];
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
  const staff = [...Object.entries(EMPLOYEES), ...ENTERPRISES.map((label) => [ADMINISTRATORS[label], label] as const)];
  const administrators: string[] = Object.values(ADMINISTRATORS);
  const password_hash = await hash(PASSWORD, { memoryCost: 8, timeCost: 1, parallelism: 1 });
  const members = await db
    .insertInto('member')
    .values(
      keys.flatMap((key) =>
        staff.map(([label, enterprise]) => ({
          enterprise_id: enterpriseIds.get(`${enterprise} ${key}`)!,
          user_name: label,
          name: `${label} ${key}`,
          is_administrator: administrators.includes(label),
          is_provisioned: true,
          password_hash,
        })),
      ),
    )
    .returning(['id', 'name'])
    .execute();
  for (const { id, name } of members) ids.set(name, id);
  const late = await sql<{ id: string }>`
    select nextval(pg_get_serial_sequence('customer', 'id'))::text as id from generate_series(1, ${count})`.execute(db);
  for (const [index, key] of keys.entries()) ids.set(`${LATE_CUSTOMER} ${key}`, late.rows[index]!.id);
  return keys.map((key) => ({
    ids: {
      ...Object.fromEntries(
        [...Object.keys(CUSTOMERS), ...ENTERPRISES, ...staff.map(([label]) => label)].map((label) => [
          label,
          ids.get(`${label} ${key}`)!,
        ]),
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
  /** Bound to all channels; never sends. */
  listener: Api;
  /** The enterprises' administrators. */
  centers: MemberCenter[];
}

/** Registers the bound applications of a world. `unbound` is the other one. */
export async function openPlace(stack: Stack, unbound: Api, world: World): Promise<Place> {
  const bound = (channels: readonly ChannelLabel[]) =>
    stack.newApi(
      ['auth_order'],
      channels.map((label) => world.channelCodes[label]),
    );
  const centers = ENTERPRISES.map(async (label) => {
    const account = `${ADMINISTRATORS[label]}@${await codeOf(stack.db, world.ids[label]!)}`;
    const login = { account, password: PASSWORD };
    const token = await askUserToken(unbound.baseUrl, unbound.credentials, login);
    const members = [{ memberGlobalId: world.ids[ADMINISTRATORS[label]] }];
    const created = { enterpriseGlobalId: world.ids[label], members } as CreatedEnterprise;
    return new MemberCenter(unbound, created, {} as Customer, { ...login, userToken: token.body.access_token });
  });
  const apis = { S1: unbound, S2: await bound(SENDERS.S2), S3: await bound(SENDERS.S3) };
  const listener = await bound(CHANNELS);
  const { appKey } = listener.credentials;
  await sql`update application set lead_days = ${LISTENER_LEAD_DAYS} where app_key = ${appKey}`.execute(stack.db);
  return { db: stack.db, world, apis, listener, centers: await Promise.all(centers) };
}

async function codeOf(db: Database, enterpriseId: string): Promise<string> {
  const { rows } = await sql<{ code: string }>`select code from enterprise where id = ${enterpriseId}`.execute(db);
  return rows[0]!.code;
}

/** Sends an act, with real ids, and returns what the model's `act` returns. */
export async function perform({ db, apis, centers }: Place, act: Act): Promise<unknown> {
  if (act.type === 'erase') return [await eraseContact(db, act.customer as Customer['customerId'], async () => {})];
  if (act.type !== 'configure' && act.type !== 'lend') {
    const body = { assetNums: act.assetNums, operatorIdentity: 'Ada' };
    const answer = await apis[act.sender as Sender].call('POST', `/asset/${act.type}`, { body });
    return (dataOf(answer) as { status: number }[]).map(({ status }) => status);
  }
  const center = centers.find(({ enterpriseId }) => enterpriseId === act.enterprise)!;
  if (act.type === 'lend') {
    const { member, lock, assetNums } = act;
    const active = db.selectFrom('asset').where('revoked_time', 'is', null);
    const found = await active.select(['id', 'asset_num']).where('asset_num', 'in', assetNums).execute();
    const idOf = new Map(found.map(({ id, asset_num }) => [asset_num, id]));
    const assetIDs = assetNums.map((assetNum) => idOf.get(assetNum) ?? NOBODY);
    return [(await center.lend(member, lock, assetIDs)).body.cause ?? null];
  }
  const privileges = act.entries.map(({ member, remove, add }) => {
    return { memberGlobalId: member, deleteAssets: remove, addAssets: add };
  });
  const [only, ...others] = privileges;
  if (others.length === 0) {
    const { memberGlobalId, deleteAssets, addAssets } = only!;
    return [(await center.configure(memberGlobalId, deleteAssets, addAssets)).body.cause ?? null];
  }
  const { body } = await center.ask('configureEmployees', {}, { body: { privileges } });
  const failed = body.data.failed as { index: number; cause: string }[];
  return privileges.map((_, index) => failed.find((each) => each.index === index)?.cause ?? null);
}

/** Applies an event to the service. */
export async function happen({ db, world: { ids, channelCodes }, apis }: Place, event: ChannelEvent): Promise<void> {
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
