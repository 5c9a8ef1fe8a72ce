import type { OverviewSpan } from '@lockstep/contract/console';
import { NativeSelect } from '@mantine/core';
import { getRouteApi } from '@tanstack/react-router';
import { useOperation } from '../../api/index.ts';
import { Empty, Page, Query, Section } from '../../kit/index.ts';
import { useNumberFormat } from '../../words/formats.ts';
import { useWords } from '../../words/words.ts';
import { DelayedChannels } from '../channels/DelayedChannels.tsx';
import { WebhookTable } from '../webhooks/WebhookTable.tsx';
import { ActivityChart } from './ActivityChart.tsx';
import { DemoNotice } from './DemoNotice.tsx';
import { FailureCauses } from './FailureCauses.tsx';
import { HealthSection } from './HealthSection.tsx';
import { LatestBatches } from './LatestBatches.tsx';
import { NowFigures } from './NowFigures.tsx';
import { readSpan, SPANS } from './spans.ts';
import { overviewWords } from './words.ts';

const REFRESH_MS = 5_000;

const route = getRouteApi('/');

/** Activity, backlog and health of the service. */
export default function OverviewPage() {
  const words = useWords(overviewWords);
  const span = readSpan(route.useSearch().span);
  const write = useNumberFormat();
  const overview = useOperation('getOverview', { query: { span } }, { refreshMs: REFRESH_MS, keepsPrevious: true });
  return (
    <Page title={words.overview} lead={words.lead}>
      <Query of={overview}>
        {({ time, now, intervals, intervalSeconds, failures, backlog, delayed, webhooks, checks, demo }) => (
          <>
            {demo !== null && <DemoNotice {...demo} />}
            <HealthSection checks={checks} time={time} />
            <NowFigures now={now} backlog={backlog} time={time} />
            <DelayedChannels delayed={delayed} />
            <Section title={words.activity} actions={<SpanChoice span={span} />}>
              <ActivityChart intervals={intervals} intervalSeconds={intervalSeconds} span={span} />
            </Section>
            <Section title={words.latestBatches}>
              <LatestBatches refreshMs={REFRESH_MS} />
            </Section>
            <Section title={words.failures}>
              <FailureCauses failures={failures} />
            </Section>
            <Section title={words.failingWebhooks}>
              <WebhookTable
                label={words.webhooksTable}
                rows={webhooks.unhealthy}
                empty={<Empty title={words.noFailingWebhooks(write(webhooks.active))} />}
              />
            </Section>
          </>
        )}
      </Query>
    </Page>
  );
}

function SpanChoice({ span }: { span: OverviewSpan }) {
  const words = useWords(overviewWords);
  const navigate = route.useNavigate();
  const options = Object.entries(SPANS).map(([value, word]) => ({ value, label: words[word] as string }));
  return (
    <NativeSelect
      aria-label={words.span}
      data={options}
      value={span}
      onChange={({ currentTarget }) => void navigate({ search: { span: currentTarget.value } })}
    />
  );
}
