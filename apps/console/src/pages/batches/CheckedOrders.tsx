import type { ComparedPreview } from '@lockstep/contract/console';
import { type Column, DataTable, StateBadge } from '../../kit/index.ts';
import { useCodeNames } from '../../words/code-names.ts';
import { useWords } from '../../words/words.ts';
import { PreviewOutcome } from '../orders/PreviewOutcome.tsx';
import { resendWords } from './resend-words.ts';

/** A table of what each order would do. */
export function CheckedOrders({ orders, isStale }: { orders: readonly ComparedPreview[]; isStale: boolean }) {
  const words = useWords(resendWords);
  const codeName = useCodeNames();
  const columns: Column<ComparedPreview>[] = [
    { header: words.sequence, align: 'end', cell: ({ sequence }) => sequence },
    { header: words.state, cell: ({ state }) => <StateBadge state={state} /> },
    { header: words.type, isMinor: true, cell: ({ orderType }) => codeName(orderType) },
    { header: words.customer, isMinor: true, cell: ({ customerId }) => customerId },
    { header: words.effect, width: '20rem', cell: (order) => <PreviewOutcome preview={order} /> },
  ];
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
