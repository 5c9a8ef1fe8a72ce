import type { WebhookHealth } from '@lockstep/contract/console';
import { getRouteApi } from '@tanstack/react-router';
import { useOperation } from '../../api/index.ts';
import { Filters, NoRows, optionsOf, Page, Query, useStateWords } from '../../kit/index.ts';
import { useWords } from '../../words/words.ts';
import { WebhookTable } from './WebhookTable.tsx';
import { webhooksWords } from './words.ts';

const route = getRouteApi('/webhooks');
const STATES = ['active', 'failing', 'disabled'] as const satisfies WebhookHealth[];
const REFRESH_MS = 15_000;

/** The webhooks of all applications, filtered by state and application. */
export default function WebhooksPage() {
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
