import { z } from 'zod';
import { type Cause as CauseWord, causes } from './causes.ts';

export type Cause = CauseWord;

/** The causes, which are stable words for programs. */
export const Cause = z.enum(Object.keys(causes) as [Cause, ...Cause[]]).meta({
  id: 'Cause',
  description:
    'Why a call was refused or an order failed, as a stable word for programs. Later releases may add causes: handle an unknown one by its code.',
});
