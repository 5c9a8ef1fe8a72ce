import type { HealthCheck } from '@lockstep/contract/console';
import { commonWords } from '../../words/define-words.ts';
import { useDuration, useNumberFormat } from '../../words/formats.ts';
import { useWords } from '../../words/words.ts';
import { checkWords, type Found } from './check-words.ts';

/** A health check in words. */
interface CheckPhrases {
  name: string;
  says: string;
  whatToDo: string;
}

/** Returns a function that words a check. `time`: when the service ran the checks, by its clock. */
export function useCheckWords(time: number): (check: HealthCheck) => CheckPhrases {
  const words = useWords(checkWords);
  const { comma } = useWords(commonWords);
  const write = useNumberFormat();
  const writeDuration = useDuration();
  return ({ check, state, sinceTime, count, names }) => {
    const [first = ''] = names;
    const found: Found = {
      age: writeDuration(Math.max(0, time - (sinceTime ?? time))),
      count: write(count ?? 0),
      kind: first === 'redis' ? 'Redis' : 'PostgreSQL',
      kinds: names.join(comma),
      most: first,
    };
    const phrase = words[`${check}_${state === 'ok' ? 'is' : 'wrong'}`];
    const says = typeof phrase === 'string' ? phrase : phrase(found);
    return { name: words[`${check}_name`], says, whatToDo: words[`${check}_do`] };
  };
}
