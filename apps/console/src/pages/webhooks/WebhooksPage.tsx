import type { ConsoleWebhook, WebhookHealth } from '@lockstep/contract/console';
import { getRouteApi, Link } from '@tanstack/react-router';
import { useMemo } from 'react';
import { useOperation } from '../../api/index.ts';
import {
  type Column,
  CopyId,
  DataTable,
  Empty,
  type FilterField,
  Filters,
  NothingMatches,
  optionsOf,
  Page,
  Query,
  StateBadge,
  Time,
  useStateWords,
} from '../../kit/index.ts';
import { useWords } from '../../words/words.ts';
import { webhooksWords } from './words.ts';

const route = getRouteApi('/webhooks');
const STATES = ['active', 'failing', 'disabled'] as const satisfies WebhookHealth[];
const REFRESH_MS = 15_000;

/** The webhooks of all applications: those that fail can be asked for alone. */
export function WebhooksPage() {
  const words = useWords(webhooksWords);
  const states = useStateWords();
  const { state, appKey, cursor } = route.useSearch();
  const navigate = route.useNavigate();
  const query = { state: state as WebhookHealth | undefined, appKey, cursor };
  const webhooks = useOperation('listWebhooks', { query }, { keepsPrevious: true, refreshMs: REFRESH_MS });
  const columns = useColumns();
  const fields: FilterField<'state' | 'appKey'>[] = [
    { name: 'state', label: words.state, kind: 'select', options: optionsOf(STATES, states) },
    { name: 'appKey', label: words.appKey, kind: 'text' },
  ];
  const isFiltered = state !== undefined || appKey !== undefined;
  return (
    <Page title={words.title} lead={words.intro}>
      <Filters fields={fields} value={{ state, appKey }} onChange={(next) => void navigate({ search: next })} />
      <Query of={webhooks}>
        {({ webhooks: rows, nextCursor }) => (
          <DataTable
            label={words.title}
            columns={columns}
            rows={rows}
            rowKey={({ webhookId }) => webhookId}
            isStale={webhooks.isPlaceholderData}
            empty={
              isFiltered ? (
                <NothingMatches />
              ) : (
                <Empty title={words.noneTitle}>
                  {words.noneYet} <a href={new URL('../guides/outcomes', document.baseURI).href}>{words.guide}</a>
                </Empty>
              )
            }
            paging={{
              cursor,
              nextCursor,
              onCursor: (next) => void navigate({ search: { state, appKey, cursor: next } }),
            }}
          />
        )}
      </Query>
    </Page>
  );
}

function useColumns(): readonly Column<ConsoleWebhook>[] {
  const words = useWords(webhooksWords);
  return useMemo(
    () => [
      {
        id: 'url',
        header: words.url,
        width: '14rem',
        cell: ({ webhookId, url }) => (
          <Link to="/webhooks/$webhookId" params={{ webhookId }} className="mono">
            {url}
          </Link>
        ),
      },
      { id: 'state', header: words.state, cell: ({ state }) => <StateBadge state={state} /> },
      {
        id: 'id',
        header: words.id,
        isMinor: true,
        cell: ({ webhookId }) => <CopyId id={webhookId} what={words.id} />,
      },
      {
        id: 'application',
        header: words.application,
        width: '10rem',
        cell: ({ appKey, applicationName }) => (
          <Link to="/applications/$appKey" params={{ appKey }}>
            {applicationName}
          </Link>
        ),
      },
      {
        id: 'since',
        header: words.since,
        isMinor: true,
        cell: ({ disabledTime, failingSinceTime, createdTime }) => (
          <Time timeMs={disabledTime ?? failingSinceTime ?? createdTime} isRelative />
        ),
      },
    ],
    [words],
  );
}
