import type { ConsoleBatchDetail } from '@lockstep/contract/console';
import { getRouteApi } from '@tanstack/react-router';
import { type CallOf, useOperation } from '../../api/index.ts';
import { Filters, NoRows, optionsOf, Query, Section, useStateWords } from '../../kit/index.ts';
import { ORDER_CAUSES } from '../../words/order-causes.ts';
import { useWords } from '../../words/words.ts';
import { OrderTable } from '../orders/OrderTable.tsx';
import { refreshWhile, useReadAtEnd } from './use-until-end.ts';
import { batchesWords } from './words.ts';

const PAGE_SIZE = '200';
const STATES = ['pending', 'succeeded', 'failed'] as const;
const route = getRouteApi('/batches/$batchId');

/** The orders of a batch, filtered by state and cause. */
export function BatchOrders({ batch: { batchId, state } }: { batch: ConsoleBatchDetail }) {
  const words = useWords(batchesWords);
  const stateWords = useStateWords();
  const { cursor, ...filters } = route.useSearch();
  const isRunning = state !== 'completed';
  const query = { ...filters, cursor, limit: PAGE_SIZE } as CallOf<'listBatchOrders'>['query'];
  const found = useOperation(
    'listBatchOrders',
    { params: { batchId }, query },
    { keepsPrevious: true, refreshMs: refreshWhile(isRunning) },
  );
  useReadAtEnd(isRunning, found);
  return (
    <Section title={words.ordersOfBatch}>
      <Filters
        fields={[
          { name: 'state', label: words.state, kind: 'select', options: optionsOf(STATES, stateWords) },
          { name: 'cause', label: words.cause, kind: 'select', options: optionsOf(ORDER_CAUSES) },
        ]}
      />
      <Query of={found}>
        {({ orders, nextCursor }) => (
          <OrderTable
            label={words.itsOrders}
            rows={orders}
            isStale={found.isPlaceholderData}
            empty={
              <NoRows isMore={nextCursor !== null} title={words.noOrders}>
                {words.noOrdersAdvice}
              </NoRows>
            }
            nextCursor={nextCursor}
          />
        )}
      </Query>
    </Section>
  );
}
