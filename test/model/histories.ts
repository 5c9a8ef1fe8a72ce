import fc from 'fast-check';
import type { Sent } from '../harness/orders/orders.ts';
import {
  bodyOf,
  type ChannelEvent,
  type ChannelLabel,
  CUSTOMERS,
  ENTERPRISES,
  type History,
  type HistoryOrder,
  type Names,
  numbersOf,
  printed,
} from './history.ts';
import { type AssetValue, isActive, type ProductValue, productsOn } from './ledger-value.ts';
import { Population } from './population.ts';
import { actOf, type RawAct } from './raw-acts.ts';
import {
  type RawEvent,
  type RawHistory,
  type RawNumber,
  type RawOrder,
  type RawSource,
  rawHistories,
} from './raw-histories.ts';

/**
 * Histories of at most `maxBatches` batches of at most `maxOrders` orders. Counterexamples are printed by `printed`.
 */
export function histories(size: { maxBatches: number; maxOrders: number }): fc.Arbitrary<History> {
  return rawHistories(size).map((raw) => {
    const history = resolved(raw);
    // Not enumerable, so that the history remains plain data.
    return Object.defineProperty(history, fc.toStringMethod, { value: () => printed(history) });
  });
}

const CLOUD_TYPES = ['cloud_account', 'cloud_customer', 'cloud_personal'];
const LABELS: Names = { id: (label) => label, assetNum: (label) => label, order: String };

/** What orders of a batch can refer to: everything before the batch. */
interface Before {
  /** Active assets. */
  assets: AssetValue[];
  /** Orders of earlier batches, because a channel learns an order's id from the answer. */
  orders: HistoryOrder[];
  /** Number of orders in the whole history. */
  total: number;
  /** Whether the customer exists for the sender. */
  isSeen(label: string): boolean;
}

/** Resolves the references of a raw history. It asks the model what exists, so that most orders succeed. */
function resolved({ usualType, batches }: RawHistory): History {
  const total = batches.reduce((sum, { orders }) => sum + orders.length, 0);
  const population = new Population(LABELS);
  const guide = population.model;
  const paused = new Set<ChannelLabel>();
  const earlier: HistoryOrder[] = [];
  return {
    batches: batches.map(({ mode, sender, events: rawEvents, race: rawRace, isLate, orders: raw }) => {
      const events = rawEvents.map((each) => {
        const event = each.type === 'act' ? actOf(each, guide) : eventOf(each, paused);
        population.happen(event);
        return event;
      });
      const race = rawRace !== null && raw.length === 1 ? actOf(rawRace, guide) : undefined;
      if (race !== undefined) population.happen(race);
      const isSeen = (label: string) => guide.isSeen(label, sender);
      const before = { assets: guide.assets.filter(isActive), orders: earlier, total, isSeen };
      const sequences = sequencesOf(raw);
      const orders = raw.map((each, index) => {
        const ids = { place: earlier.length + index, sequence: sequences[index]! };
        return resolvedOrder({ ...ids, ...headerOf(each, before) }, each, usualType, before);
      });
      earlier.push(...orders);
      guide.batch(
        mode,
        sender,
        orders.map((order) => ({ licenseOrderId: String(order.place), body: bodyOf(order, LABELS) })),
      );
      return { mode, sender, events, ...(race && { race }), isLate, orders };
    }),
  };
}

/** Resolves an event and updates the set of paused channels. */
function eventOf(event: Exclude<RawEvent, RawAct>, paused: Set<ChannelLabel>): ChannelEvent {
  if (event.type === 'create') return event;
  if (event.type === 'bind') return { ...event, sender: 'S3' };
  const { channel } = event;
  const isPaused = paused.delete(channel);
  if (!isPaused) paused.add(channel);
  return { type: isPaused ? 'resume' : 'pause', channel };
}

/** Returns unique sequence numbers in the order of ranks. */
function sequencesOf(orders: readonly RawOrder[]): number[] {
  const byRank = orders.toSorted((a, b) => a.rank - b.rank);
  return orders.map((order) => 1 + byRank.indexOf(order));
}

function headerOf({ orderType, customer: index, isForAnyone, enterprise, branchName }: RawOrder, before: Before) {
  const { assets, isSeen } = before;
  const customers = Object.keys(CUSTOMERS).filter((label) => isForAnyone || isSeen(label));
  const owners = customers.filter((label) => assets.some(({ customer }) => customer === label));
  const candidates = orderType === 'new_buy' || owners.length === 0 ? customers : owners;
  const customer = index === 'nobody' ? 'nobody' : candidates[index % candidates.length]!;
  const own = CUSTOMERS[customer as keyof typeof CUSTOMERS]?.enterprise ?? 'E1';
  const other = ENTERPRISES.find((each) => each !== own)!;
  return { orderType, customer, branchName, enterprise: { own, other, nobody: 'nobody' }[enterprise] };
}

type Header = Pick<HistoryOrder, 'place' | 'sequence'> & ReturnType<typeof headerOf>;

function resolvedOrder(header: Header, raw: RawOrder, usualType: string, before: Before): HistoryOrder {
  const elements = raw.elements.map(({ numbers, isPadded, ...sent }) => {
    const element = before.assets.length === 0 ? { ...sent, transferedAssetNum: undefined } : sent;
    // The service would refuse a number repeated in an element (rules 6.1).
    const named = [...new Set(numbers.map((number) => numberOf(number, header.customer, before)))];
    const labels = element.transferedAssetNum === true ? labelsToTransfer(named, numbers[0]!, before) : named;
    const assetNos = labels.map((label) => (isPadded ? ` ${label} ` : label));
    return { assetNos, ...element, ...itemsOf(element, raw.orderType, assetOf(labels[0]!, before)) };
  });
  const fitting = assetOf(elements[0]!.assetNos[0]!, before)?.licenseType ?? usualType;
  const licenseType = raw.licenseType === 'fitting' ? fitting : raw.licenseType;
  // The service would also refuse a revocation of a cloud license without a source order.
  const isSourceRequired = raw.orderType !== 'new_buy' && CLOUD_TYPES.includes(licenseType);
  const srcLicenseOrderId = !raw.source && isSourceRequired ? { kind: 'granted', pick: 0 } : raw.source;
  const order = { ...header, licenseType, srcLicenseOrderId, elements };
  return withSources(order, (source) => placeOf(source, order, before));
}

/** C1 and C2 have two numbers each; the other customers share two. */
function numberOf({ kind, pick }: RawNumber, customer: string, { assets }: Before): string {
  const there = assets.filter((asset) => asset.customer === customer);
  if (kind === 'aimed' && there.length > 0) return there[pick % there.length]!.assetNum;
  const first = { C1: 0, C2: 2 }[customer] ?? 4;
  return `X${kind === 'any' ? pick : first + (pick % 2)}`;
}

/** A transfer mostly names only numbers that have an asset. */
function labelsToTransfer(named: string[], { kind, pick }: RawNumber, before: Before): string[] {
  const there = named.filter((label) => assetOf(label, before) !== undefined);
  if (there.length > 0) return there;
  return kind === 'any' ? named : [before.assets[pick % before.assets.length]!.assetNum];
}

function assetOf(label: string, { assets }: Before): AssetValue | undefined {
  return assets.find(({ assetNum }) => assetNum === label.trim());
}

/** Gives a new_buy a product if it would be empty, and aims revoked products at those on the asset. */
function itemsOf(
  { products, merchandises, transferedAssetNum }: Sent,
  orderType: string,
  asset: AssetValue | undefined,
): Sent {
  const isEmpty = (list: unknown) => !Array.isArray(list) || list.length === 0;
  if (orderType === 'new_buy') {
    const needsOne = isEmpty(products) && isEmpty(merchandises) && transferedAssetNum !== true;
    return needsOne ? { products: [{ productUri: 'a', limitConcurrent: 1 }] } : {};
  }
  if (orderType === 'delete_asset') return {};
  const there = asset === undefined ? [] : productsOn(asset).filter(isActive);
  return {
    products: (products as Sent[]).map(({ aimed, ...product }) => {
      const target = typeof aimed === 'number' ? there[aimed % there.length] : undefined;
      return { ...product, ...(target !== undefined && termsOf(target)) };
    }),
  };
}

function termsOf({ productUri, start, end, concurrent }: ProductValue): Sent {
  return { productUri, limitStartDate: start, limitEndDate: end, limitConcurrent: concurrent };
}

/** Resolves the source orders of an order at any depth. */
function withSources(order: object, meaning: (source: RawSource) => unknown): HistoryOrder {
  const inside = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(inside);
    if (typeof value !== 'object' || value === null) return value;
    const fields = Object.entries(value).map(([key, field]) => {
      return [key, key === 'srcLicenseOrderId' ? meaning(field as RawSource) : inside(field)];
    });
    return Object.fromEntries(fields);
  };
  return inside(order) as HistoryOrder;
}

/** Returns the place of the order that a source names, or the source itself if it is absent. */
function placeOf(source: RawSource, order: Omit<HistoryOrder, 'srcLicenseOrderId'>, before: Before): unknown {
  if (!source) return source;
  const { kind, pick } = source;
  if (kind === 'any') return pick % before.total;
  const named = numbersOf(order).flatMap((number) => assetOf(number, before) ?? []);
  const granted = (named.length > 0 ? named : before.assets).flatMap(({ grants }) => grants);
  const own = before.orders.filter(({ customer, orderType }) => customer === order.customer && orderType === 'new_buy');
  const candidates = {
    granted: granted.filter(isActive).map((grant) => Number(grant.order)),
    own: own.map(({ place }) => place),
    unknown: [],
  }[kind];
  const isOptional = kind === 'granted' && !CLOUD_TYPES.includes(order.licenseType);
  return candidates[pick % candidates.length] ?? (isOptional ? undefined : 'unknown');
}
