import type { ConsoleWebhook, UnhealthyWebhook, WebhookHealth } from '@lockstep/contract/console';
import { Link } from '@tanstack/react-router';
import { optionsOf } from '../../kit/inputs.tsx';
import { Page } from '../../kit/page.tsx';
import { StateBadge } from '../../kit/signs.tsx';
import { List, type Table } from '../../kit/table.tsx';
import { CopyId, Time } from '../../kit/values.tsx';
import { stateWords as states } from '../../words/codes.ts';
import { ApplicationLink, pageOf } from '../links.tsx';
import { webhooksWords as words } from './words.ts';

const STATES = ['active', 'failing', 'paused', 'disabled'] as const satisfies WebhookHealth[];
const REFRESH_MS = 15_000;

/** The webhooks of all applications, filtered by state and application. */
export function WebhooksPage() {
  const advice = (
    <>
      {words.noneYet}{' '}
      <a href={new URL('../docs#/Order%20module/createWebhook', document.baseURI).href}>{words.guide}</a>
    </>
  );
  return (
    <Page title={words.webhooks} lead={words.intro}>
      <List
        label={words.webhooks}
        operation="listWebhooks"
        refreshMs={REFRESH_MS}
        filters={[
          { name: 'state', label: words.state, kind: 'select', options: optionsOf(STATES, states) },
          { name: 'appKey', label: words.appKey, kind: 'text' },
        ]}
        {...webhookTable}
        none={[words.noneTitle, advice]}
      />
    </Page>
  );
}

/** Since when a webhook is in its state. */
const sinceOf = (row: ConsoleWebhook | UnhealthyWebhook) =>
  'sinceTime' in row ? row.sinceTime : (row.disabledTime ?? row.pausedTime ?? row.failingSinceTime ?? row.createdTime);

/** The table of webhooks, with the time since which each is in its state. */
export const webhookTable: Table<ConsoleWebhook | UnhealthyWebhook> = {
  rowKey: ({ webhookId }) => webhookId,
  columns: [
    {
      header: words.url,
      width: '14rem',
      cell: ({ webhookId, url }) => (
        <Link {...pageOf.webhook(webhookId)} className="mono">
          {url}
        </Link>
      ),
    },
    { header: words.state, cell: ({ state }) => <StateBadge state={state} /> },
    { header: words.id, isMinor: true, cell: ({ webhookId }) => <CopyId id={webhookId} what={words.id} /> },
    { header: words.application, width: '10rem', cell: (webhook) => <ApplicationLink of={webhook} /> },
    { header: words.since, isMinor: true, cell: (webhook) => <Time timeMs={sinceOf(webhook)} /> },
  ],
};
