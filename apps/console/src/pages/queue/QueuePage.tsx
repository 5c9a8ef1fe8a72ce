import type { QueueState } from '@lockstep/contract/console';
import { useMay, useOperation } from '../../api/index.ts';
import { Figure, Figures, Notice, Page, Query, Section } from '../../kit/index.ts';
import { CONSOLE_PATH } from '../../page-head.ts';
import { useWords } from '../../words/words.ts';
import { queueWords } from './words.ts';

const REFRESH_MS = 5_000;

/** How many jobs there are, what they are, and where each is shown. */
export function QueuePage() {
  const words = useWords(queueWords);
  const may = useMay();
  const queue = useOperation('getQueue', {}, { refreshMs: REFRESH_MS });
  return (
    <Page title={words.queue} lead={words.lead}>
      <Query of={queue}>
        {(state) => (
          <>
            <JobFigures state={state} />
            <Notice tone="neutral" title={words.safe}>
              {words.keptIn(words[state.kind])} {words.safeAdvice}
            </Notice>
            <Section title={words.board}>
              <p>
                <a href={CONSOLE_PATH + state.boardPath}>{words.open}</a>. {words.openAdvice}{' '}
                {may('admin') ? words.mayChange : words.mayLook}
              </p>
            </Section>
          </>
        )}
      </Query>
    </Page>
  );
}

function JobFigures({ state: { kind, jobs, isPaused } }: { state: QueueState }) {
  const words = useWords(queueWords);
  if (jobs === null) {
    return (
      <Notice tone="warn" title={words.unreachable(words[kind])}>
        {words.unreachableAdvice}
      </Notice>
    );
  }
  return (
    <>
      {isPaused === true && (
        <Notice tone="warn" title={words.isPaused}>
          {words.isPausedAdvice}
        </Notice>
      )}
      <Figures>
        <Figure label={words.waiting} value={jobs.waiting} tone="busy" />
        {isPaused === true && <Figure label={words.paused} value={jobs.paused} tone="warn" />}
        <Figure label={words.active} value={jobs.active} tone="busy" />
        <Figure label={words.delayed} value={jobs.delayed} />
        <Figure label={words.failed} value={jobs.failed} tone={jobs.failed > 0 ? 'bad' : 'neutral'} />
        <Figure label={words.completed} value={jobs.completed} />
      </Figures>
    </>
  );
}
