import { ApplicationName, ChannelCode, MAX_OVERLAP_HOURS } from '@lockstep/contract';
import { InvalidArgumentError } from 'commander';

/** What is wrong with a text that nobody takes (decisions 4). */
const TEXT_FAULT = 'It must be 1 to 255 characters, none of them a control character.';

/** The name of an application, trimmed. Throws an InvalidArgumentError. */
export function nameOption(value: string): string {
  const { data } = ApplicationName.safeParse(value);
  if (data === undefined) throw new InvalidArgumentError(TEXT_FAULT);
  return data;
}

/** The channels that an application is bound to, with one more. Throws an InvalidArgumentError. */
export function channelOption(value: string, others: string[] = []): string[] {
  const { data } = ChannelCode.safeParse(value);
  if (data === undefined) throw new InvalidArgumentError(TEXT_FAULT);
  return [...new Set([...others, data])];
}

/** How many hours the old secret stays good. Throws an InvalidArgumentError. */
export function overlapOption(value: string): number {
  const hours = /^\d{1,3}$/.test(value) ? Number(value) : Number.NaN;
  if (hours <= MAX_OVERLAP_HOURS) return hours;
  throw new InvalidArgumentError(
    `It must be a whole number of hours from 0 to ${MAX_OVERLAP_HOURS}; 0 ends the old secret at once.`,
  );
}
