import type { QueueJob, QueueState } from '@lockstep/contract/console';
import { Link } from '@tanstack/react-router';
import { REFRESH_MS, useOperation } from '../../api/operations.ts';
import { Page, Section } from '../../kit/page.tsx';
import { Badge, Empty, Notice, type Tone } from '../../kit/signs.tsx';
import { type Column, DataTable } from '../../kit/table.tsx';
import { Count, Figure, Figures, Time } from '../../kit/values.tsx';
import { pageOf } from '../links.tsx';
import { queueWords as words } from './words.ts';

const TONES: Record<QueueJob['state'], Tone> = {
  active: 'busy',
  failed: 'bad',
  delayed: 'neutral',
  waiting: 'neutral',
};

/** The jobs of the queue, and its listening workers. */
export function QueuePage() {
  const queue = useOperation('getQueue', {}, { refreshMs: REFRESH_MS });
  return (
    <Page title={words.queue} lead={words.lead} of={queue}>
      {({ kind, found }) => (
        <>
          {found === null ? (
            <Notice tone="warn" title={words.unreachable(words[kind])}>
              {words.unreachableAdvice}
            </Notice>
          ) : (
            <Found found={found} />
          )}
          <Notice tone="neutral" title={words.safe}>
            {words.keptIn(words[kind])}
            {words.gap}
            {words.safeAdvice}
          </Notice>
        </>
      )}
    </Page>
  );
}

function Found({ found: { counts, jobs, workers } }: { found: NonNullable<QueueState['found']> }) {
  const columns: Column<QueueJob>[] = [
    { header: words.state, cell: ({ state }) => <Badge tone={TONES[state]}>{words[state]}</Badge> },
    { header: words.type, cell: ({ type }) => type },
    {
      header: words.throughBatch,
      cell: ({ throughBatchId }) =>
        throughBatchId === null ? '–' : <Link {...pageOf.batch(throughBatchId)}>{throughBatchId}</Link>,
    },
    { header: words.attempts, align: 'end', cell: ({ attempts }) => <Count value={attempts} /> },
    { header: words.added, isMinor: true, cell: ({ addedTime }) => <Time timeMs={addedTime} /> },
    { header: words.stateTime, cell: ({ stateTime }) => <Time timeMs={stateTime} /> },
    { header: words.worker, isMinor: true, cell: ({ worker }) => worker ?? '–' },
    { header: words.failure, cell: ({ failure }) => failure ?? '–' },
  ];
  return (
    <>
      <Figures>
        <Figure label={words.waiting} value={counts.waiting} tone="busy" />
        <Figure label={words.active} value={counts.active} tone="busy" />
        <Figure label={words.delayed} value={counts.delayed} />
        <Figure label={words.failed} value={counts.failed} tone={counts.failed > 0 ? 'bad' : 'neutral'} />
      </Figures>
      <Section title={words.jobs}>
        <DataTable
          label={words.jobs}
          columns={columns}
          rows={jobs}
          rowKey={({ jobId }) => jobId}
          empty={<Empty title={words.noJobs}>{words.noJobsAdvice}</Empty>}
        />
      </Section>
      <Section title={words.workers}>
        {workers === null && <p>{words.workersUnknown}</p>}
        {workers?.length === 0 && <Empty title={words.noWorkers}>{words.noWorkersAdvice}</Empty>}
        <ul className="plain">
          {workers?.map((worker) => (
            <li key={worker}>{worker}</li>
          ))}
        </ul>
      </Section>
    </>
  );
}
