import type { ApplicationId } from '@lockstep/contract';
import type { ConsoleChannel } from '@lockstep/contract/console';

/** What was read of a channel. Times are milliseconds by the database's clock. */
export interface ChannelState
  extends Pick<ConsoleChannel, 'channelCode' | 'pausedTime' | 'oldestPendingTime' | 'perSecond'> {
  id: number;
  /** Its pending orders, and how many of them are held. */
  pending: number;
  held: number;
  pendingOf: Readonly<Record<ApplicationId, number>>;
  time: number;
}

/** A channel with pending orders of a batch. */
export interface PendingInChannel {
  channelId: number;
  own: number;
  /** How many orders were accepted after the batch, as far as they have been counted. */
  behind: number;
}

/**
 * Estimates when a batch will be completed, in milliseconds; null if none of its orders is pending or one of its
 * channels is paused, makes no progress or is unknown (rules 6.4). A channel finishes orders roughly in the order of
 * acceptance. Later orders that are done already, in another lane, count at most until only the batch's own are left.
 */
export function estimateCompletion(
  waiting: readonly PendingInChannel[],
  channels: readonly ChannelState[],
): number | null {
  const byId = new Map(waiting.map((pending) => [pending.channelId, pending]));
  const known = channels.filter(({ id }) => byId.has(id));
  const seconds = known.map((channel) => {
    const { own, behind } = byId.get(channel.id)!;
    return Math.max(own, channel.pending - channel.held - behind) / finishedPerSecond(channel);
  });
  const last = known.length < waiting.length ? Number.POSITIVE_INFINITY : Math.max(...seconds);
  return Number.isFinite(last) ? Math.round(channels[0]!.time + last * 1_000) : null;
}

function finishedPerSecond({ pausedTime, perSecond }: ChannelState): number {
  return pausedTime === null ? perSecond.succeeded + perSecond.failed : 0;
}

const MAX_RETRY_SECONDS = 300;

/**
 * Returns in how many seconds this many of an application's orders will be done, by its share of the pending orders of
 * each channel.
 */
export function secondsUntilBelow(
  orders: number,
  applicationId: ApplicationId,
  channels: readonly ChannelState[],
): number {
  const perSecond = channels.reduce((sum, channel) => {
    const own = channel.pendingOf[applicationId] ?? 0;
    return own === 0 ? sum : sum + (own / channel.pending) * finishedPerSecond(channel);
  }, 0);
  return Math.min(MAX_RETRY_SECONDS, Math.max(1, Math.ceil(orders / perSecond)));
}
