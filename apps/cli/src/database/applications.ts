import { ApplicationName, ChannelCode, MAX_OVERLAP_HOURS } from '@lockstep/contract';
import { InvalidArgumentError } from 'commander';

/** The message for a name or channel that is not accepted (rules 4). */
const TEXT_FAULT = 'It must be 1 to 255 characters, none of them a control character.';

/** Reads the name of an application, and trims it. Throws an InvalidArgumentError. */
export function parseName(value: string): string {
  const { data } = ApplicationName.safeParse(value);
  if (data === undefined) throw new InvalidArgumentError(TEXT_FAULT);
  return data;
}

/** Reads a channel that an application is bound to, and adds it to the others. Throws an InvalidArgumentError. */
export function addChannel(value: string, others: string[] = []): string[] {
  const { data } = ChannelCode.safeParse(value);
  if (data === undefined) throw new InvalidArgumentError(TEXT_FAULT);
  return [...new Set([...others, data])];
}

/** Reads how many hours the old secret stays valid. Throws an InvalidArgumentError. */
export function parseOverlapHours(value: string): number {
  const hours = /^\d{1,3}$/.test(value) ? Number(value) : Number.NaN;
  if (hours <= MAX_OVERLAP_HOURS) return hours;
  throw new InvalidArgumentError(
    `It must be a whole number of hours from 0 to ${MAX_OVERLAP_HOURS}; 0 ends the old secret at once.`,
  );
}
