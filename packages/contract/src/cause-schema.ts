import { z } from 'zod';
import { type Cause as CauseWord, causes } from './causes.ts';

export type Cause = CauseWord;

/** The causes, which are stable words for programs. */
export const Cause = z.enum(Object.keys(causes) as [Cause, ...Cause[]]).meta({
  id: 'Cause',
  description:
    'Why a call was refused or an order failed, as a stable word for programs. Later releases may add causes: handle an unknown one by its code.',
});

/** The values in the message of a cause. */
export const MessageArgs = z.array(z.string()).meta({
  id: 'MessageArgs',
  description:
    'The values in a message, such as an asset number, in fixed places: each cause keeps them forever, and later releases may append more.',
});
