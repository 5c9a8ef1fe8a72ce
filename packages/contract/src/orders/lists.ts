import { z } from 'zod';
import { named } from '../containers.ts';
import { Cause } from '../envelope.ts';
import { MAX_LIST_PAGE } from '../routes.ts';
import {
  assetNumber,
  emptyAsAbsent,
  optional,
  optionalId,
  optionalText,
  queryIntegerOr,
  queryTime,
  textOrNull,
  time,
} from '../scalars.ts';
import { fault } from '../templates.ts';
import { OrderState, OrderType } from './enums.ts';
import { BatchState, BatchSummary, SingleOrderResult } from './results.ts';

const DEFAULT_LIST_PAGE = 50;

/** The part of a query that pages through a list by cursor (rules 6.7). Cursors are opaque to clients. */
export const ListPageQuery = z.object({
  limit: queryIntegerOr(DEFAULT_LIST_PAGE, 1, MAX_LIST_PAGE, 'Maximum number of entries'),
  cursor: emptyAsAbsent(
    z
      .string()
      .regex(/^[A-Za-z0-9_-]{1,200}$/, fault('cursor'))
      .optional(),
  ).describe('nextCursor of the previous page with the same filters; absent for the first page.'),
});
export type ListPageQuery = z.infer<typeof ListPageQuery>;

const AcceptedPeriod = z.object({
  acceptedFrom: emptyAsAbsent(queryTime().optional()).describe('Only if accepted at this time or later.'),
  acceptedTo: emptyAsAbsent(queryTime().optional()).describe('Only if accepted at this time or earlier.'),
});

/** Refuses a period that ends before it starts. `bounds`: its start and its end, by name. */
export function checkPeriod(context: z.core.$RefinementCtx, bounds: Record<string, number | undefined>): void {
  const [from, to] = Object.values(bounds);
  if (from === undefined || to === undefined || from <= to) return;
  const [field] = Object.keys(bounds);
  context.issues.push({ code: 'custom', path: [field!], params: { cause: 'dates_reversed' }, input: from });
}

const checkAccepted = ({ acceptedFrom, acceptedTo }: z.infer<typeof AcceptedPeriod>, context: z.core.$RefinementCtx) =>
  checkPeriod(context, { acceptedFrom, acceptedTo });

export const ListBatchesQuery = z
  .object({
    channelCode: optionalText().describe('Only batches of this channel.'),
    state: emptyAsAbsent(BatchState.optional()).describe('Only batches in this state.'),
    hasFailed: emptyAsAbsent(z.literal('true', fault('true_or_absent')).optional()).describe(
      'true: only batches with failed orders.',
    ),
    ...AcceptedPeriod.shape,
    ...ListPageQuery.shape,
  })
  .superRefine(checkAccepted);
export type ListBatchesQuery = z.infer<typeof ListBatchesQuery>;

export const NEXT_CURSOR = textOrNull(
  'The cursor of the next page; null on the last page. Earlier pages may be empty.',
);

export const BatchPage = named('BatchPage', 'A page of batches.', {
  batches: z.array(BatchSummary).describe('Batches of the application, newest first.'),
  nextCursor: NEXT_CURSOR,
});
export type BatchPage = z.infer<typeof BatchPage>;

export const ListOrdersQuery = z
  .object({
    channelCode: optionalText().describe('Only orders of this channel.'),
    customerId: optionalId<'CustomerId'>().describe('Only orders of this customer.'),
    assetNum: optional(assetNumber()).describe('Only orders that name this asset number.'),
    orderType: emptyAsAbsent(OrderType.optional()).describe('Only orders of this type.'),
    state: emptyAsAbsent(OrderState.optional()).describe('Only orders in this state.'),
    cause: emptyAsAbsent(Cause.optional()).describe('Only orders that failed with this cause.'),
    ...AcceptedPeriod.shape,
    ...ListPageQuery.shape,
  })
  .superRefine(checkAccepted);
export type ListOrdersQuery = z.infer<typeof ListOrdersQuery>;

export const ListedOrder = SingleOrderResult.extend({ acceptedTime: time('When its batch was accepted') }).meta({
  id: 'ListedOrder',
  description: 'The result of an order, with its batch.',
});
export type ListedOrder = z.infer<typeof ListedOrder>;

export const OrderPage = named('OrderPage', 'A page of orders.', {
  orders: z.array(ListedOrder).describe('Orders of the application, newest first.'),
  nextCursor: NEXT_CURSOR,
});
export type OrderPage = z.infer<typeof OrderPage>;
