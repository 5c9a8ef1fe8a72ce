export interface Ahead {
  orders: number;
  perSecond: number;
}

export interface PendingInChannel {
  channelId: number;
  own: number;
  /** How many orders were accepted after the batch, as far as they have been counted. */
  behind: number;
}

interface ChannelPace {
  id: number;
  pausedTime: number | null;
  pending: number;
  held: number;
  succeededPerSecond: number;
  failedPerSecond: number;
}

/**
 * Returns, for each channel of a batch, the orders up to the batch's last one, its own included (rules 6.4). A channel
 * finishes orders roughly in the order of acceptance. Later orders that are done already, in another lane, count at
 * most until only the batch's own orders are left.
 */
export function listAhead(waiting: readonly PendingInChannel[], channels: readonly ChannelPace[]): Ahead[] {
  const byId = new Map(channels.map((channel) => [channel.id, channel]));
  return waiting.map(({ channelId, own, behind }) => {
    const channel = byId.get(channelId);
    if (channel === undefined) return { orders: own, perSecond: 0 };
    return { orders: Math.max(own, channel.pending - channel.held - behind), perSecond: perSecondOf(channel) };
  });
}

export function perSecondOf({
  pausedTime,
  succeededPerSecond,
  failedPerSecond,
}: Omit<ChannelPace, 'id' | 'pending' | 'held'>) {
  return pausedTime === null ? succeededPerSecond + failedPerSecond : 0;
}

/**
 * Estimates when the last of some orders is done, in milliseconds; null if there are none or some are not progressing.
 */
export function estimateCompletion(nowMs: number, ahead: readonly Ahead[]): number | null {
  const seconds = Math.max(...ahead.map(({ orders, perSecond }) => orders / perSecond));
  return Number.isFinite(seconds) ? Math.round(nowMs + seconds * 1_000) : null;
}

const MAX_RETRY_SECONDS = 300;

/**
 * Returns in how many seconds this many of an application's orders will be done, by its share of the pending orders of
 * each channel.
 */
export function secondsUntilBelow(orders: number, channels: readonly { share: number; perSecond: number }[]): number {
  const perSecond = channels.reduce((sum, channel) => sum + channel.share * channel.perSecond, 0);
  return Math.min(MAX_RETRY_SECONDS, Math.max(1, Math.ceil(orders / perSecond)));
}
