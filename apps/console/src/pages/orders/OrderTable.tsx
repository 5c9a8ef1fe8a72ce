import type { ConsoleData, ConsoleOrder } from '@lockstep/contract/console';
import { type Column, CopyId, DataTable, StateBadge, type TableProps, Time } from '../../kit/index.ts';
import { useCauseWords } from '../../words/causes.ts';
import { useCodeNames } from '../../words/code-names.ts';
import { useWords } from '../../words/words.ts';
import { BatchLink } from '../batches/BatchLink.tsx';
import { OrderLink } from './OrderLink.tsx';
import { ordersWords } from './words.ts';

type Order = ConsoleData<'listBatchOrders'>['orders'][number];

/** A table of the orders of one batch. */
export function OrderTable(props: TableProps<Order>) {
  const columns = useOrderColumns();
  return <DataTable columns={columns} rowKey={({ licenseOrderId }) => licenseOrderId} {...props} />;
}

/** A table of orders of several batches, with their batches. */
export function SentOrderTable(props: TableProps<ConsoleOrder>) {
  const words = useWords(ordersWords);
  const columns: Column<ConsoleOrder>[] = [
    ...useOrderColumns().filter(({ header }) => header !== words.sequence),
    { header: words.batch, width: '10rem', cell: (order) => <BatchLink batch={order} /> },
  ];
  return <DataTable columns={columns} rowKey={({ licenseOrderId }) => licenseOrderId} {...props} />;
}

function useOrderColumns(): Column<Order>[] {
  const words = useWords(ordersWords);
  const causeWords = useCauseWords();
  const codeName = useCodeNames();
  return [
    { header: words.orderId, width: '8rem', cell: ({ licenseOrderId }) => <OrderLink orderId={licenseOrderId} /> },
    { header: words.state, cell: ({ state }) => <StateBadge state={state} /> },
    { header: words.sequence, align: 'end', isMinor: true, cell: ({ sequence }) => sequence },
    { header: words.type, width: '7rem', cell: ({ orderType }) => codeName(orderType) },
    { header: words.customerId, isMinor: true, width: '8rem', cell: ({ customerId }) => <CopyId id={customerId} /> },
    {
      header: words.why,
      width: '14rem',
      cell: ({ cause, message }) => (cause === null ? '' : causeWords(cause, message)),
    },
    { header: words.finished, isMinor: true, cell: ({ finishedTime }) => <Time timeMs={finishedTime} /> },
  ];
}
