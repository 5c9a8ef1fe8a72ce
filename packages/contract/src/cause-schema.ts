import { z } from 'zod';
import { type Cause as CauseWord, causes } from './causes.ts';

export type Cause = CauseWord;

/** The stable words for programs, from the table of causes. */
export const Cause = z.enum(Object.keys(causes) as [Cause, ...Cause[]]).meta({
  id: 'Cause',
  description:
    'What was wrong, as a stable word for programs. A later release may add words: take one that you do not know for its code.',
});
