import type { ComparedPreview } from '@lockstep/contract/console';
import { useMemo } from 'react';
import { type Column, DataTable, StateBadge } from '../../kit/index.ts';
import { useWords } from '../../words/words.ts';
import { PreviewOutcome } from '../orders/PreviewOutcome.tsx';
import { resendWords } from './resend-words.ts';

/** What orders would do, one row each. */
export function CheckedOrders({ orders, isStale }: { orders: readonly ComparedPreview[]; isStale: boolean }) {
  const words = useWords(resendWords);
  const columns = useMemo<Column<ComparedPreview>[]>(
    () => [
      { id: 'sequence', header: words.sequence, align: 'end', cell: ({ sequence }) => sequence },
      { id: 'state', header: words.state, cell: ({ state }) => <StateBadge state={state} /> },
      { id: 'type', header: words.type, isMinor: true, cell: ({ orderType }) => orderType },
      { id: 'customer', header: words.customer, isMinor: true, cell: ({ customerId }) => customerId },
      { id: 'effect', header: words.effect, width: '20rem', cell: (order) => <PreviewOutcome preview={order} /> },
    ],
    [words],
  );
  return (
    <DataTable
      label={words.outcome}
      columns={columns}
      rows={orders}
      rowKey={({ sequence }) => String(sequence)}
      isStale={isStale}
    />
  );
}
