import { z } from 'zod';
import { ChannelCode } from '../access.ts';
import { ListPageQuery } from '../orders/lists.ts';
import { emptyAsAbsent, optional, searchText, text } from '../scalars.ts';
import { CHANNEL_HEALTHS } from '../words.ts';
import { type ConsoleOperation, get, on, pagesOf } from './operation.ts';

/** How many orders were accepted, succeeded and failed. A retried order counts again. */
export const OrderCounts = z.object({ accepted: z.number(), succeeded: z.number(), failed: z.number() });
export type OrderCounts = z.infer<typeof OrderCounts>;

/**
 * The health of a channel (rules 9 Behind): `paused`; `behind` if an order that isn't held has been pending for 30
 * seconds; `holding` if orders are held; else `current`.
 */
export const ChannelHealth = z.enum(CHANNEL_HEALTHS);
export type ChannelHealth = z.infer<typeof ChannelHealth>;

/** Who paused a channel, when and why. */
export const Pause = z.object({
  channelCode: z.string(),
  pausedTime: z.number(),
  pausedBy: z.string().nullable().describe('The operator, or the user of the command; null if unknown.'),
  reason: z.string().nullable(),
});
export type Pause = z.infer<typeof Pause>;

/** A channel as operators see it, with its backlog and throughput. */
export const ConsoleChannel = z.object({
  channelCode: z.string(),
  state: ChannelHealth,
  pausedTime: z.number().nullable().describe('Since when it is paused; null if it is not.'),
  pendingOrders: z.number().describe('Its pending orders, without held ones.'),
  heldOrders: z.number(),
  /** When the oldest pending order that is not held was accepted; null if none. */
  oldestPendingTime: z.number().nullable(),
  /** Orders per second in the last minute, or since the oldest pending order was accepted if that is later. */
  perSecond: OrderCounts,
  /** When the backlog will be empty at this rate; null if it is empty or the time is unknown. */
  estimatedCompletionTime: z.number().nullable(),
});
export type ConsoleChannel = z.infer<typeof ConsoleChannel>;

/** An application that has pending orders in a channel or is bound to it. */
const ChannelApplication = z.object({
  appKey: z.string(),
  name: z.string(),
  pendingOrders: z.number().describe('Its pending orders in the channel, including held ones.'),
  isBound: z.boolean(),
});

/** A channel on its own page, with the applications that have the most pending orders in it. */
export const ChannelDetail = ConsoleChannel.extend({
  pause: Pause.nullable(),
  applications: z.array(ChannelApplication),
  hasMoreApplications: z.boolean(),
});
export type ChannelDetail = z.infer<typeof ChannelDetail>;

/** The result of pausing or resuming a channel. */
const ChannelPause = z.object({
  pausedTime: z.number().nullable(),
  isNoOp: z.boolean().describe('Whether it was in this state already, so that nothing was changed or recorded.'),
});
export type ChannelPause = z.infer<typeof ChannelPause>;

const channel = on('/channels/{channelCode}', z.object({ channelCode: ChannelCode }));

export const channelsOperations = {
  listChannels: {
    ...get('/channels'),
    query: z.object({
      search: optional(searchText()).describe('Part of the code, ignoring case.'),
      state: emptyAsAbsent(ChannelHealth.optional()),
      ...ListPageQuery.shape,
    }),
    ...pagesOf('channels', ConsoleChannel),
  },
  getChannel: { ...channel.get(), data: ChannelDetail },
  /** Pauses a channel and waits until no more of its orders take effect. */
  pauseChannel: {
    ...channel.post('/pause', 'support'),
    body: z.object({ reason: text() }),
    /** `isIdle`: whether work in flight has ended, so that no more orders take effect. */
    data: ChannelPause.extend({ isIdle: z.boolean() }),
  },
  resumeChannel: { ...channel.post('/resume', 'support'), data: ChannelPause },
} satisfies Record<string, ConsoleOperation>;
