import { CONTACT, merchandise, productToBuy, productToRevoke, type Sent } from '../harness/orders/orders.ts';
import type { Act } from './acts.ts';

/**
 * A history: batches of orders that often conflict, because customers, numbers and products are few.
 *
 * It is plain data, and prints as JSON that can be pasted into a test. `bodyOf` replaces its labels for customers (C1),
 * enterprises (E1) and numbers (X1), and the places of source orders, with real ids. So the same history runs against
 * the planner and the service.
 */
export interface History {
  batches: HistoryBatch[];
}

export interface HistoryBatch {
  mode: 'sync' | 'async';
  /** The application that sends it. */
  sender: Sender;
  /** Events before it is sent. */
  events?: HistoryEvent[];
  /** An act that is sent together with its only order. */
  race?: Act;
  /** Whether to send it only after everything before it has an outcome, so that it works on stored data. */
  isLate?: boolean;
  /**
   * The whole batch, if the service refuses it and this is its first part. The whole batch is sent first, to check the
   * refusal.
   */
  whole?: HistoryBatch;
  orders: HistoryOrder[];
}

export interface HistoryOrder {
  /** Its index among all orders of the history. Later orders refer to it by this index. */
  place: number;
  sequence: number;
  customer: string;
  enterprise: string;
  /** A part of the contact that differs between orders. */
  branchName?: string;
  orderType: string;
  licenseType: string;
  /** Products may have their own. */
  srcLicenseOrderId?: Source;
  elements: HistoryElement[];
}

/** A source order: the order at a place, an id that no order has, or absent in one of several ways. */
type Source = number | 'unknown' | '' | null | undefined;

/** An asset element. It has only the fields that differ from the usual element. */
interface HistoryElement {
  assetNos: string[];
  [field: string]: unknown;
}

/**
 * Customers of every history. C5 doesn't exist until a `create` event. Orders may also name a customer or enterprise
 * `nobody`, which never exists.
 */
export const CUSTOMERS = {
  C1: { enterprise: 'E1', channel: 'A' },
  C2: { enterprise: 'E1', channel: 'C' },
  C3: { enterprise: 'E2', channel: 'A' },
  C4: { enterprise: 'E2', channel: 'B' },
  C5: { enterprise: 'E1', channel: 'B' },
} as const;
/** Employees of every history and their enterprises, and who administers these. */
export const EMPLOYEES = { K1: 'E1', K2: 'E1', K3: 'E2', K4: 'E2' } as const;
export const ADMINISTRATORS = { E1: 'A1', E2: 'A2' } as const;
export const LATE_CUSTOMER = 'C5';
export const ENTERPRISES = ['E1', 'E2'] as const;
export const CHANNELS = ['A', 'B', 'C'] as const;
export type ChannelLabel = (typeof CHANNELS)[number];

/** The sending applications, and the channels that each is bound to at first; null if unbound. */
export const SENDERS = { S1: null, S2: ['A'], S3: ['A', 'B'] } as const satisfies Record<string, ChannelLabel[] | null>;
export type Sender = keyof typeof SENDERS;

/** An event between batches. */
export type HistoryEvent = Act | ChannelEvent;
export type ChannelEvent =
  /** An operator pauses or resumes a channel. */
  | { type: 'pause' | 'resume'; channel: ChannelLabel }
  /** An application is bound to these channels. */
  | { type: 'bind'; sender: Sender; channels: ChannelLabel[] }
  /** LATE_CUSTOMER is created. */
  | { type: 'create' };

const ACTS: string[] = ['lock', 'unlock', 'freeze', 'unfreeze', 'configure', 'lend', 'erase'];
export const isAct = (event: HistoryEvent): event is Act => ACTS.includes(event.type);

/** Replaces the labels of a history with real ids. */
export interface Names {
  /** Id of a customer or enterprise; for `nobody`, an id that doesn't exist. */
  id(label: string): string;
  assetNum(label: string): string;
  /** The licenseOrderId of the order at a place, or one that no order has. */
  order(place: number | 'unknown'): string;
}

/** Replaces the labels of an act with real ids. */
export function namedAct(act: Act, names: Names): Act {
  return JSON.parse(JSON.stringify(act), (_, value) => {
    if (typeof value !== 'string') return value;
    if (/^X\d/.test(value)) return names.assetNum(value);
    return /^[A-K]\d$/.test(value) ? names.id(value) : value;
  });
}

/** Returns an order as an element of the JSON body that a channel would send. */
export function bodyOf(order: HistoryOrder, names: Names): Sent {
  const source = (value: unknown) =>
    typeof value === 'number' || value === 'unknown' ? names.order(value as number | 'unknown') : value;
  const bought = (sent: Sent) => productToBuy({ ...sent, srcLicenseOrderId: source(sent.srcLicenseOrderId) });
  const packageOf = ({ products, children, ...sent }: Sent): Sent => {
    const inside = Array.isArray(children) ? children.map(packageOf) : children;
    return merchandise({ ...sent, licenseOrderProductList: (products as Sent[]).map(bought), children: inside });
  };
  const product = order.orderType === 'new_buy' ? bought : productToRevoke;
  return {
    ...CONTACT,
    channelCustomerId: 'channel-customer',
    sequence: order.sequence,
    customerId: names.id(order.customer),
    enterpriseGlobalId: names.id(order.enterprise),
    ...(order.branchName !== undefined && { branchName: order.branchName }),
    orderType: order.orderType,
    licenseType: order.licenseType,
    srcLicenseOrderId: source(order.srcLicenseOrderId),
    assets: order.elements.map(({ assetNos, products, merchandises, ...element }) => ({
      ...element,
      assetNos: assetNos.map(names.assetNum),
      ...(Array.isArray(products) && { products: products.map(product) }),
      ...(Array.isArray(merchandises) && { merchandises: merchandises.map(packageOf) }),
    })),
  };
}

/** Returns the history as readable JSON, with one order on each line, to paste into a test. */
export function printed({ batches }: History): string {
  const lines = batches.map(
    ({ orders, ...batch }) =>
      `${JSON.stringify(batch).slice(0, -1)},"orders":[\n  ${orders.map((each) => JSON.stringify(each)).join(',\n  ')}]}`,
  );
  return `{"batches":[\n${lines.join(',\n')}\n]}`;
}

/** Returns the asset numbers that an order names, as labels. */
export function numbersOf({ elements }: Pick<HistoryOrder, 'elements'>): string[] {
  return elements.flatMap(({ assetNos }) => assetNos.map((assetNum) => assetNum.trim()));
}

/** Returns the places of all source orders that an order and its products name. */
export function sourcesOf(order: HistoryOrder): number[] {
  const named = new Set<number>();
  JSON.stringify(order, (key, value) => {
    if (key === 'srcLicenseOrderId' && typeof value === 'number') named.add(value);
    return value;
  });
  return [...named];
}
