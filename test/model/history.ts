import { merchandise, productToBuy, productToRevoke, type Sent, UNREAD } from '../harness/orders/orders.ts';

/**
 * A history: batches of orders that meet all the time, on a handful of customers, numbers and products.
 *
 * It is plain data and prints as JSON that reads and can be pasted into a test. What it says about customers (C1),
 * enterprises (E1), numbers (X1) and source orders (their place in the history) is put in place of real ids by
 * `bodyOf`, so the same history runs against the planner and the service.
 */
export interface History {
  batches: HistoryBatch[];
}

export interface HistoryBatch {
  mode: 'sync' | 'async';
  /** The application that sends it. */
  sender: Sender;
  /** What happens before it is sent. */
  events?: HistoryEvent[];
  /** Sent when all before it is done, so that it works on what is stored. Else it is sent at once. */
  isLate?: boolean;
  /**
   * The batch of which this is the first part, where the service refuses it as a whole: it is sent before, to see that.
   */
  whole?: HistoryBatch;
  orders: HistoryOrder[];
}

export interface HistoryOrder {
  /** Its index among all orders of the history, by which later orders name it. */
  place: number;
  sequence: number;
  customer: string;
  enterprise: string;
  orderType: string;
  licenseType: string;
  /** Products have theirs. */
  srcLicenseOrderId?: Source;
  elements: HistoryElement[];
}

/** Which source order is named: that at a place, one that nobody ever sent, or none in one of the ways to say so. */
type Source = number | 'unknown' | '' | null | undefined;

/** An asset element, with no more than what tells it from the usual one. */
interface HistoryElement {
  assetNos: string[];
  [field: string]: unknown;
}

/**
 * Customers of every history. C5 exists only after it was created. Orders may name a customer or an enterprise
 * `nobody`, too.
 */
export const CUSTOMERS = {
  C1: { enterprise: 'E1', channel: 'A' },
  C2: { enterprise: 'E1', channel: 'C' },
  C3: { enterprise: 'E2', channel: 'A' },
  C4: { enterprise: 'E2', channel: 'B' },
  C5: { enterprise: 'E1', channel: 'B' },
} as const;
export const LATE_CUSTOMER = 'C5';
export const ENTERPRISES = ['E1', 'E2'] as const;
export const CHANNELS = ['A', 'B', 'C'] as const;
export type ChannelLabel = (typeof CHANNELS)[number];

/** The applications that send, with the channels that they are bound to at first; null if to none. */
export const SENDERS = { S1: null, S2: ['A'], S3: ['A', 'B'] } as const satisfies Record<string, ChannelLabel[] | null>;
export type Sender = keyof typeof SENDERS;

/** What happens between batches. */
export type HistoryEvent =
  /** An operator pauses a channel, or resumes it. */
  | { type: 'pause' | 'resume'; channel: ChannelLabel }
  /** An application is bound to these channels from now on. */
  | { type: 'bind'; sender: Sender; channels: ChannelLabel[] }
  /** LATE_CUSTOMER is created. */
  | { type: 'create' };

/** What stands for the labels of a history where it runs. */
export interface Names {
  /** The real id of a customer or enterprise; of nobody, an id that nobody has. */
  id(label: string): string;
  assetNum(label: string): string;
  /** The licenseOrderId of the order at a place, or one that no order has. */
  order(place: number | 'unknown'): string;
}

/** The JSON body element of an order, as a channel would send it. */
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
    ...UNREAD,
    channelCustomerId: 'channel-customer',
    sequence: order.sequence,
    customerId: names.id(order.customer),
    enterpriseGlobalId: names.id(order.enterprise),
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

/** The history as JSON that a person reads and can paste into a test: what a batch is, then an order a line. */
export function printed({ batches }: History): string {
  const lines = batches.map(
    ({ orders, ...batch }) =>
      `${JSON.stringify(batch).slice(0, -1)},"orders":[\n  ${orders.map((each) => JSON.stringify(each)).join(',\n  ')}]}`,
  );
  return `{"batches":[\n${lines.join(',\n')}\n]}`;
}

/** The asset numbers that an order names, as labels. */
export function numbersOf({ elements }: Pick<HistoryOrder, 'elements'>): string[] {
  return elements.flatMap(({ assetNos }) => assetNos.map((assetNum) => assetNum.trim()));
}

/** The places of the orders that an order names as source orders, its own and its products'. */
export function sourcesOf(order: HistoryOrder): number[] {
  const named = new Set<number>();
  JSON.stringify(order, (key, value) => {
    if (key === 'srcLicenseOrderId' && typeof value === 'number') named.add(value);
    return value;
  });
  return [...named];
}
