import type { Overview, TroubledWebhook } from '@lockstep/contract/console';
import { Link } from '@tanstack/react-router';
import { useMemo } from 'react';
import { type Column, DataTable, Empty, StateBadge, Time } from '../../kit/index.ts';
import { useNumberFormat } from '../../words/formats.ts';
import { useWords } from '../../words/words.ts';
import { overviewWords } from './words.ts';

/** Webhooks that are disabled or whose last messages failed, with links to them. */
export function TroubledWebhooks({ webhooks }: Pick<Overview, 'webhooks'>) {
  const words = useWords(overviewWords);
  const write = useNumberFormat();
  const columns = useMemo<Column<TroubledWebhook>[]>(
    () => [
      {
        id: 'webhook',
        header: words.webhook,
        cell: ({ webhookId, url }) => (
          <Link to="/webhooks/$webhookId" params={{ webhookId }}>
            {url}
          </Link>
        ),
      },
      { id: 'state', header: words.state, cell: ({ state }) => <StateBadge state={state} /> },
      {
        id: 'application',
        header: words.application,
        isMinor: true,
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
        cell: ({ sinceTime }) => <Time timeMs={sinceTime} isRelative />,
      },
    ],
    [words],
  );
  return (
    <DataTable
      label={words.webhooksTable}
      columns={columns}
      rows={webhooks.troubled}
      rowKey={({ webhookId }) => webhookId}
      empty={<Empty title={words.noTroubles(write(webhooks.active))} />}
    />
  );
}
