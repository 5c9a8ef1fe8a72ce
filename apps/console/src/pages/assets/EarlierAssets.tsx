import type { ConsoleData } from '@lockstep/contract/console';
import { type Column, CopyId, DataTable, Empty, Time } from '../../kit/index.ts';
import { useWords } from '../../words/words.ts';
import { OwnerLink } from '../enterprises/OwnerLink.tsx';
import { OrderLink } from '../orders/OrderLink.tsx';
import { assetsWords } from './words.ts';

type Earlier = ConsoleData<'getAsset'>['earlier'][number];

/** The revoked assets that had a number. */
export function EarlierAssets({ earlier, hasMore }: { earlier: readonly Earlier[]; hasMore: boolean }) {
  const words = useWords(assetsWords);
  const columns: Column<Earlier>[] = [
    { header: words.customer, cell: ({ owner }) => <OwnerLink owner={owner} /> },
    { header: words.bought, cell: ({ createdTime }) => <Time timeMs={createdTime} /> },
    { header: words.createdBy, cell: (row) => <OrderLink orderId={row.createdByOrderId} />, isMinor: true },
    { header: words.revokedTime, cell: ({ revokedTime }) => <Time timeMs={revokedTime} /> },
    { header: words.revokedBy, cell: (row) => <OrderLink orderId={row.revokedByOrderId} /> },
    { header: words.assetId, cell: ({ assetId }) => <CopyId id={assetId} />, isMinor: true },
  ];
  return (
    <DataTable
      label={words.earlier}
      columns={columns}
      rows={earlier}
      rowKey={({ assetId }) => assetId}
      empty={<Empty title={words.noEarlier}>{words.noEarlierAdvice}</Empty>}
      footer={hasMore ? <p>{words.moreEarlier}</p> : null}
    />
  );
}
