import type { EndingLicenses, FeedEvent } from '@lockstep/contract';
import type { Database } from '@lockstep/platform';
import { sql } from 'kysely';
import { type Api, dataOf } from '../harness/api.ts';
import { numberAll, readFeed, searchAll, TODAY } from '../harness/orders/events.ts';
import { expectSame } from './expect-same.ts';
import { type History, printed, type Sender } from './history.ts';
import { isActive, productsOn } from './ledger-value.ts';
import type { Model } from './model.ts';
import { LISTENER_LEAD_DAYS, type Place } from './world.ts';

/** What applications hear (rules 6.8), compared with what the model says of histories that are over. */

const DAY_MS = 86_400_000;

export type Ended = { place: Place; history: History; model: Model; sent: Record<Sender, string[]> };

/** Compares what the bound applications heard of a history's batches and assets. */
export async function compareTold(ended: Ended): Promise<void> {
  await numberAll(ended.place.db);
  for (const [name, api] of boundIn(ended)) {
    // "Only the application that submitted a batch hears of it. Each batch, sync too, has one `batch.completed`."
    const batches = (ended.sent[name as Sender] ?? []).map((id) => `batch.completed ${id}`);
    // "as of when the event is numbered", which may be before or after S3 is bound to other channels.
    const changes = name === 'S3' ? [] : changesFor(name, ended.model);
    const said = saidIn(await readFeed(api), name === 'S3' ? /^batch/ : /^(batch|asset)/);
    expectSame(`events, told to ${name}`, said, [...batches, ...changes].sort());
  }
}

/**
 * Lets the searches run over every day on which something of the histories ends, beside the workers, and compares what
 * the bound applications hear of that; and what S1, which has no channels and isn't marked, hears at all.
 */
export async function compareEndings(db: Database, S1: Api, all: Ended[]): Promise<void> {
  await searchAll(db);
  await numberAll(db);
  const mark: string = dataOf(await S1.call('GET', '/events', { query: { after: 'latest' } })).lastId;
  await sql`update expiry_search set day = 0`.execute(db);
  const things = all.flatMap(({ model }) => model.assets.flatMap((asset) => [asset, ...productsOn(asset)]));
  const days = things.flatMap(({ end }) => (end === null ? [] : Math.floor(end / DAY_MS)));
  for (const day of new Set(days.toSorted((a, b) => a - b))) {
    const next = sql`least(${day}, ${TODAY} + lead_days + 1)`;
    await sql`update expiry_search set day = ${next}, part = 'assets', after_id = 0 where day < ${next}`.execute(db);
    await Promise.all([searchAll(db, day), searchAll(db, day)]);
  }
  await numberAll(db);
  const { rows } = await sql<{ today: number }>`select ${TODAY} as today`.execute(db);
  for (const ended of all) {
    for (const [name, api] of boundIn(ended)) {
      const what = `endings, told to ${name} after ${printed(ended.history)}`;
      const said = saidIn(await readFeed(api, mark), /^licenses/);
      expectSame(what, said, endingsFor(name, ended.model, rows[0]!.today).sort());
    }
  }
  const batches = all.flatMap(({ sent }) => sent.S1.map((id) => `batch.completed ${id}`));
  expectSame('events, told to S1', saidIn(await readFeed(S1), /./), batches.sort());
}

const boundIn = ({ place: { apis, listener } }: Ended) => Object.entries({ S2: apis.S2, S3: apis.S3, listener });

/**
 * "Once for each order and customer: `asset.transferred` for the customer who lost the assets, and `asset.revoked`.
 * Once for each call and customer: `asset.locked`, `asset.unlocked`, `asset.frozen`, `asset.unfrozen`."
 */
function changesFor(name: string, model: Model): string[] {
  const owners = new Map<string, string>();
  const entries = model.happenings.flatMap(({ assetNum, nth, action, customer, cause }): Entry[] => {
    const owner = owners.get(`${assetNum} ${nth}`) ?? customer;
    owners.set(`${assetNum} ${nth}`, customer);
    const isTold = /^(transferred|revoked|(un)?locked|(un)?frozen)$/.test(action) && model.isSeen(owner, name);
    // "never to the application that did it"
    return isTold && cause!.sender !== name ? [[`asset.${action} ${owner} ${cause!.call}`, assetNum]] : [];
  });
  return eventsOf(entries).map((each) => each.replace(/ call \d+/, ' null'));
}

/**
 * "`licenses.expiring` says what of a customer ends on a day, so many days before it begins (UTC); `licenses.expired`,
 * after the day, what ended on it." It counts "assets by their own end, products by theirs, if that isn't after their
 * asset's, and if no product of the same `productUri` on the asset ends later". Lead times
 * are "30 and 7 unless an operator changes them".
 */
function endingsFor(name: string, model: Model, today: number): string[] {
  const leadDays = name === 'listener' ? LISTENER_LEAD_DAYS : [30, 7];
  const assets = model.assets.filter((asset) => isActive(asset) && model.isSeen(asset.customer, name));
  const entries = assets.flatMap((asset) =>
    [{ ...asset, productUri: '' }, ...productsOn(asset)].filter(isActive).flatMap(({ end, productUri }): Entry[] => {
      if (end === null || end > (asset.end ?? Infinity)) return [];
      const same = productsOn(asset).filter((each) => isActive(each) && each.productUri === productUri);
      if (same.some((each) => (each.end ?? Infinity) > end)) return [];
      const day = Math.floor(end / DAY_MS);
      const of = `${asset.customer} ${new Date(end).toISOString().slice(0, 10)}`;
      const due = leadDays.filter((days) => day >= today && day <= today + days);
      const events = day < today ? [`licenses.expired ${of} 0`] : due.map((days) => `licenses.expiring ${of} ${days}`);
      return events.map((event) => [event, asset.assetNum + productUri]);
    }),
  );
  return eventsOf(entries);
}

/** An event, and an asset or product that it is about. */
type Entry = [event: string, named: string];
const eventsOf = (entries: Entry[]) =>
  [...Map.groupBy(entries, ([event]) => event)].map(
    ([event, of]) => `${event}: ${of.length} ${of.map(([, named]) => named).sort()}`,
  );

/** Returns events of some types as `eventsOf` does. */
function saidIn(events: FeedEvent[], types: RegExp): string[] {
  const said = events.map(({ type, data }) => {
    if ('channelOrderId' in data) return `${type} ${data.channelOrderId}`;
    const {
      customerId,
      day,
      leadDays,
      licenseOrderId,
      counts,
      assets,
      products = [],
    } = data as EndingLicenses & { licenseOrderId?: string };
    const event = `${type} ${customerId} ${day ? `${day} ${leadDays}` : licenseOrderId}`;
    const named = [...assets.map((each) => each.assetNum), ...products.map((each) => each.assetNum + each.productUri)];
    return `${event}: ${counts.assets + (counts.products ?? 0)} ${named.sort()}`;
  });
  return said.filter((each) => types.test(each)).sort();
}
