import { MAX_BOUND_CHANNELS } from '@lockstep/contract/words';

/** Channels as typed in the form: all, or one per line. */
export interface ChannelChoice {
  isBound: boolean;
  text: string;
}

/** Returns the form's value for the channels of an application or operator. */
export function writeChoice(channels: readonly string[] | null): ChannelChoice {
  return { isBound: channels !== null, text: (channels ?? []).join('\n') };
}

/** Returns the chosen channels without duplicates; null for all. */
export function readChoice({ isBound, text }: ChannelChoice): string[] | null {
  if (!isBound) return null;
  const lines = text.split('\n').map((line) => line.trim());
  return [...new Set(lines.filter((line) => line !== ''))];
}

/** Returns what is invalid in a choice; undefined if nothing. */
export function findFault(choice: ChannelChoice): 'channelsMissing' | 'channelsTooMany' | undefined {
  const channels = readChoice(choice);
  if (channels === null) return undefined;
  if (channels.length === 0) return 'channelsMissing';
  return channels.length > MAX_BOUND_CHANNELS ? 'channelsTooMany' : undefined;
}
