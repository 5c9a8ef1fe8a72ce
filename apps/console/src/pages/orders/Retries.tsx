import type { ConsoleData } from '@lockstep/contract/console';
import { Section, Time, TimeLine } from '../../kit/index.ts';
import { useCauseWords } from '../../words/causes.ts';
import { useWords } from '../../words/words.ts';
import { ordersWords } from './words.ts';

/** The failures before an order's retries, newest first. Renders nothing if there are none. */
export function Retries({ retries }: { retries: ConsoleData<'getOrder'>['retries'] }) {
  const words = useWords(ordersWords);
  const causeWords = useCauseWords();
  if (retries.length === 0) return null;
  return (
    <Section title={words.retries}>
      <TimeLine
        label={words.retries}
        entries={retries.map(({ cause, message, finishedTime, retriedTime }) => ({
          key: String(retriedTime),
          timeMs: finishedTime,
          tone: 'bad',
          title: causeWords(cause, message),
          detail: (
            <>
              {words.retried}
              {words.colon}
              <Time timeMs={retriedTime} />
            </>
          ),
        }))}
      />
    </Section>
  );
}
