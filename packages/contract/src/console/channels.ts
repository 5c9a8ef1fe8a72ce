import { z } from 'zod';
import { ChannelCode } from '../access.ts';
import { ListPageQuery } from '../orders/lists.ts';
import { emptyAsAbsent, optionalSearchText, text } from '../scalars.ts';
import { CHANNEL_HEALTHS } from '../words.ts';
import { consoleTable } from './operation.ts';

/**
 * Orders that were accepted, took effect, and failed. An order that was put back and carried out again counts again.
 */
export const OrderCounts = z.object({ accepted: z.number(), succeeded: z.number(), failed: z.number() });
export type OrderCounts = z.infer<typeof OrderCounts>;

/**
 * How a channel does: it is `paused`, or `behind`: its oldest pending order has waited for half a minute. Otherwise it
 * is `current`.
 */
export const ChannelHealth = z.enum(CHANNEL_HEALTHS);
export type ChannelHealth = z.infer<typeof ChannelHealth>;

/** A channel as operators see it: what waits in it, whoever sent that, and how fast it goes. */
export const ConsoleChannel = z.object({
  channelCode: z.string(),
  state: ChannelHealth,
  /** Since when its orders wait for an operator; null unless it is paused. */
  pausedTime: z.number().nullable(),
  /** Its pending orders, and how many of them are held. */
  pendingOrders: z.number(),
  heldOrders: z.number(),
  /** When the oldest pending order was accepted, but for held ones; null without one. */
  oldestPendingTime: z.number().nullable(),
  /** What was done in the last minute, a second; or since the oldest pending order came, if that is later. */
  perSecond: OrderCounts,
  /** When nothing will be pending at this rate; null if nothing is, and where it cannot be said. */
  estimatedCompletionTime: z.number().nullable(),
});
export type ConsoleChannel = z.infer<typeof ConsoleChannel>;

/** An application that has orders pending in a channel, or is bound to it. */
const ChannelApplication = z.object({
  appKey: z.string(),
  name: z.string(),
  pendingOrders: z.number(),
  isBound: z.boolean(),
});

/**
 * A channel on its own page, with the first applications that have to do with it: those with the most pending orders.
 */
export const ChannelDetail = ConsoleChannel.extend({
  applications: z.array(ChannelApplication),
  hasMoreApplications: z.boolean(),
});
export type ChannelDetail = z.infer<typeof ChannelDetail>;

/** A channel that was paused or resumed, or was so already. */
const ChannelPause = z.object({
  pausedTime: z.number().nullable(),
  /** Whether it was so before. */
  wasSo: z.boolean(),
});

const params = z.object({ channelCode: ChannelCode });

/** Channels that have customers: what waits in each, and whether it is paused. */
export const channelsOperations = consoleTable({
  listChannels: {
    method: 'GET',
    path: '/channels',
    role: 'viewer',
    query: z.object({
      /** A part of its code, in any case. */
      search: optionalSearchText(),
      state: emptyAsAbsent(ChannelHealth.optional()),
      ...ListPageQuery.shape,
    }),
    data: z.object({ channels: z.array(ConsoleChannel), nextCursor: z.string().nullable() }),
    summary: 'Lists channels by code: what is pending in each, since when, and how fast it goes.',
  },
  getChannel: {
    method: 'GET',
    path: '/channels/{channelCode}',
    role: 'viewer',
    params,
    data: ChannelDetail,
    summary: 'Shows a channel, and which applications have orders pending in it or are bound to it.',
  },
  pauseChannel: {
    method: 'POST',
    path: '/channels/{channelCode}/pause',
    role: 'support',
    params,
    body: z.object({ reason: text() }),
    /** `isStill`: whether what began before has ended, so that no order of it takes effect any more. */
    data: ChannelPause.extend({ isStill: z.boolean() }),
    summary: 'Has the orders of a channel wait, and waits until none takes effect any more.',
  },
  resumeChannel: {
    method: 'POST',
    path: '/channels/{channelCode}/resume',
    role: 'support',
    params,
    data: ChannelPause,
    summary: 'Has the orders of a paused channel take effect again.',
  },
});
