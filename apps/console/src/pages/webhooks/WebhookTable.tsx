import type { UnhealthyWebhook, WebhookHealth } from '@lockstep/contract/console';
import { Link } from '@tanstack/react-router';
import { type Column, CopyId, DataTable, StateBadge, type TableProps, Time } from '../../kit/index.ts';
import { useWords } from '../../words/words.ts';
import { ApplicationLink } from '../batches/ApplicationLink.tsx';
import { webhooksWords } from './words.ts';

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
