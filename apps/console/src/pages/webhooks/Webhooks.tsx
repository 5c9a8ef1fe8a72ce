import type { UnhealthyWebhook, WebhookHealth } from '@lockstep/contract/console';
import { getRouteApi, Link } from '@tanstack/react-router';
import { useOperation } from '../../api/index.ts';
import {
  type Column,
  CopyId,
  DataTable,
  Filters,
  NoRows,
  optionsOf,
  Page,
  Query,
  StateBadge,
  type TableProps,
  Time,
  useStateWords,
} from '../../kit/index.ts';
import { useWords } from '../../words/words.ts';
import { ApplicationLink } from '../links.tsx';
import { webhooksWords } from './words.ts';

const route = getRouteApi('/webhooks');
const STATES = ['active', 'failing', 'disabled'] as const satisfies WebhookHealth[];
const REFRESH_MS = 15_000;

/** The webhooks of all applications, filtered by state and application. */
export function WebhooksPage() {
  const words = useWords(webhooksWords);
  const states = useStateWords();
  const { state, appKey, cursor } = route.useSearch();
  const query = { state: state as WebhookHealth | undefined, appKey, cursor };
  const webhooks = useOperation('listWebhooks', { query }, { keepsPrevious: true, refreshMs: REFRESH_MS });
  return (
    <Page title={words.webhooks} lead={words.intro}>
      <Filters
        fields={[
          { name: 'state', label: words.state, kind: 'select', options: optionsOf(STATES, states) },
          { name: 'appKey', label: words.appKey, kind: 'text' },
        ]}
      />
      <Query of={webhooks}>
        {({ webhooks: rows, nextCursor }) => (
          <WebhookTable
            label={words.webhooks}
            rows={rows.map((row) => ({
              ...row,
              sinceTime: row.disabledTime ?? row.failingSinceTime ?? row.createdTime,
            }))}
            isStale={webhooks.isPlaceholderData}
            empty={
              <NoRows title={words.noneTitle}>
                {words.noneYet} <a href={new URL('../guides/outcomes', document.baseURI).href}>{words.guide}</a>
              </NoRows>
            }
            nextCursor={nextCursor}
          />
        )}
      </Query>
    </Page>
  );
}

type Row = Omit<UnhealthyWebhook, 'state' | 'disabledCause'> & { state: WebhookHealth };

/** A table of webhooks, with the time since which each is in its state. */
export function WebhookTable(props: TableProps<Row>) {
  const words = useWords(webhooksWords);
  const columns: Column<Row>[] = [
    {
      header: words.url,
      width: '14rem',
      cell: ({ webhookId, url }) => (
        <Link to="/webhooks/$webhookId" params={{ webhookId }} className="mono">
          {url}
        </Link>
      ),
    },
    { header: words.state, cell: ({ state }) => <StateBadge state={state} /> },
    { header: words.id, isMinor: true, cell: ({ webhookId }) => <CopyId id={webhookId} what={words.id} /> },
    { header: words.application, width: '10rem', cell: (webhook) => <ApplicationLink of={webhook} /> },
    { header: words.since, isMinor: true, cell: ({ sinceTime }) => <Time timeMs={sinceTime} isRelative /> },
  ];
  return <DataTable columns={columns} rowKey={({ webhookId }) => webhookId} {...props} />;
}
