import { Refusal } from './causes.ts';
import { text } from './scalars.ts';

/** A channel's code: 1 to 255 characters, trimmed (rules 4). */
export const ChannelCode = text();

/** The channels that an application is bound to. Null: it is bound to none and may use all (rules 2). */
export type Channels = readonly string[] | null;

/**
 * Refuses a channel that an application is not bound to. `path` is the field that names the channel.
 *
 * Throws a Refusal: channel_not_allowed.
 */
export function requireChannel(channels: Channels, code: string, path = 'channelCode'): void {
  if (channels !== null && !channels.includes(code)) throw new Refusal('channel_not_allowed', path, code);
}
