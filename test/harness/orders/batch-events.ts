import type { BatchEnd, FeedEvent } from '@lockstep/contract';

/** Returns what an event of a batch says. Throws if it is about something else. */
export function batchOfEvent({ type, data }: FeedEvent): BatchEnd {
  if ('channelOrderId' in data) return data;
  throw new Error(`${type} is no event of a batch`);
}
