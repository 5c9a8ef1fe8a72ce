import { getRouteApi } from '@tanstack/react-router';
import { type CallOf, useOperation } from '../../api/index.ts';
import { Filters, NoRows, optionsOf, Page, Query, useStateWords } from '../../kit/index.ts';
import { useWords } from '../../words/words.ts';
import { BatchTable } from './BatchTable.tsx';
import { batchesWords } from './words.ts';

const REFRESH_MS = 5_000;
const STATES = ['accepted', 'processing', 'completed'] as const;
const route = getRouteApi('/batches');

/** Batches of all applications, with filters. The first page refreshes. */
export default function BatchesPage() {
  const words = useWords(batchesWords);
  const stateWords = useStateWords();
  const { cursor, ...filters } = route.useSearch();
  // The service validates the address.
  const query = { ...filters, cursor } as CallOf<'listAllBatches'>['query'];
  const found = useOperation(
    'listAllBatches',
    { query },
    { keepsPrevious: true, refreshMs: cursor === undefined ? REFRESH_MS : false },
  );
  return (
    <Page title={words.batches} lead={words.lead}>
      <Filters
        fields={[
          { name: 'channelOrderId', label: words.channelOrderId, kind: 'text', placeholder: words.channelOrderIdHint },
          { name: 'appKey', label: words.appKey, kind: 'text' },
          { name: 'channelCode', label: words.channel, kind: 'text' },
          { name: 'state', label: words.state, kind: 'select', options: optionsOf(STATES, stateWords) },
          { name: 'acceptedFrom', label: words.acceptedFrom, kind: 'time' },
          { name: 'acceptedTo', label: words.acceptedTo, kind: 'time' },
          { name: 'hasFailed', label: words.hasFailed, kind: 'flag' },
        ]}
      />
      <Query of={found}>
        {({ batches, nextCursor }) => (
          <BatchTable
            label={words.batches}
            rows={batches}
            isStale={found.isPlaceholderData}
            empty={
              <NoRows isMore={nextCursor !== null} title={words.noBatches}>
                {words.noBatchesAdvice}
              </NoRows>
            }
            nextCursor={nextCursor}
          />
        )}
      </Query>
    </Page>
  );
}
