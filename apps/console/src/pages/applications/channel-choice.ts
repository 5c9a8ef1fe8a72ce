/** Channels as they are typed: all of them, or one a line. */
export interface ChannelChoice {
  isBound: boolean;
  text: string;
}

const MAX_CHANNELS = 200;

/** How channels are typed that an application is bound to. */
export function writeChoice(channels: readonly string[] | null): ChannelChoice {
  return { isBound: channels !== null, text: (channels ?? []).join('\n') };
}

/** The channels that a choice names, each once; null: all. */
export function readChoice({ isBound, text }: ChannelChoice): string[] | null {
  if (!isBound) return null;
  const lines = text.split('\n').map((line) => line.trim());
  return [...new Set(lines.filter((line) => line !== ''))];
}

/** What is wrong with a choice, if anything. */
export function findFault(choice: ChannelChoice): 'channelsMissing' | 'channelsTooMany' | undefined {
  const channels = readChoice(choice);
  if (channels === null) return undefined;
  if (channels.length === 0) return 'channelsMissing';
  return channels.length > MAX_CHANNELS ? 'channelsTooMany' : undefined;
}
