/** What has to be done before something is complete, and how fast it is done. */
export interface Ahead {
  orders: number;
  perSecond: number;
}

/** Orders of a batch that are pending in a channel. */
export interface PendingInChannel {
  channelId: number;
  own: number;
  /** How many came behind the batch, as far as they are added up. */
  behind: number;
}

/** What is known of a channel for estimates. */
interface Pace {
  id: number;
  pausedTime: number | null;
  pending: number;
  held: number;
  succeededPerSecond: number;
  failedPerSecond: number;
}

/**
 * Says what is ahead of the last order of a batch in each of its channels, its own orders included (rules 6.4). A
 * channel does what came first. Orders that came behind and are done already, as in another lane, make no less than its
 * own of it.
 */
export function listAhead(waiting: readonly PendingInChannel[], channels: readonly Pace[]): Ahead[] {
  const byId = new Map(channels.map((channel) => [channel.id, channel]));
  return waiting.map(({ channelId, own, behind }) => {
    const channel = byId.get(channelId);
    if (channel === undefined) return { orders: own, perSecond: 0 };
    return { orders: Math.max(own, channel.pending - channel.held - behind), perSecond: perSecondOf(channel) };
  });
}

/** How many pending orders of a channel end in a second. */
export function perSecondOf({
  pausedTime,
  succeededPerSecond,
  failedPerSecond,
}: Omit<Pace, 'id' | 'pending' | 'held'>) {
  return pausedTime === null ? succeededPerSecond + failedPerSecond : 0;
}

/**
 * Estimates when the last of some work is done, in milliseconds; null if there is none, or some of it does not move.
 */
export function estimateEnd(nowMs: number, ahead: readonly Ahead[]): number | null {
  const seconds = Math.max(...ahead.map(({ orders, perSecond }) => orders / perSecond));
  return Number.isFinite(seconds) ? Math.round(nowMs + seconds * 1_000) : null;
}

/** The longest pause after which a refused application should try again, in seconds. */
const MAX_RETRY_SECONDS = 300;

/** Says in how many seconds so many of an application's orders end, by its share of what is pending in each channel. */
export function secondsUntilBelow(orders: number, channels: readonly { share: number; perSecond: number }[]): number {
  const perSecond = channels.reduce((sum, channel) => sum + channel.share * channel.perSecond, 0);
  return Math.min(MAX_RETRY_SECONDS, Math.max(1, Math.ceil(orders / perSecond)));
}
