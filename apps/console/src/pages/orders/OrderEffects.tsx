import type { AssetEffect, ConsoleData, ItemEffect } from '@lockstep/contract/console';
import { Link } from '@tanstack/react-router';
import { useMemo } from 'react';
import { useOperation } from '../../api/index.ts';
import { type Column, CopyId, DataTable, Empty, Query, Section, StateBadge, Time } from '../../kit/index.ts';
import { useWords } from '../../words/words.ts';
import { OrderLink } from './OrderLink.tsx';
import { ordersWords } from './words.ts';

/** What a succeeded order did: to which assets, and what it bought or revoked there. */
export function OrderEffects({ orderId }: { orderId: string }) {
  const words = useWords(ordersWords);
  const effects = useOperation('getOrderEffects', { params: { licenseOrderId: orderId } });
  return (
    <Section title={words.effects}>
      <Query of={effects}>{(read) => <Effects effects={read} />}</Query>
    </Section>
  );
}

function Effects({ effects: { assets, items, isCut } }: { effects: ConsoleData<'getOrderEffects'> }) {
  const words = useWords(ordersWords);
  if (assets.length === 0) return <Empty title={words.noEffects}>{words.noEffectsAdvice}</Empty>;
  return (
    <>
      <AssetTable assets={assets} />
      {items.length > 0 && <ItemTable items={items} />}
      {isCut && <p>{words.effectsCut}</p>}
    </>
  );
}

function AssetTable({ assets }: { assets: readonly AssetEffect[] }) {
  const words = useWords(ordersWords);
  const columns = useMemo<Column<AssetEffect>[]>(
    () => [
      { id: 'asset', header: words.asset, cell: ({ assetNum }) => <AssetNumber assetNum={assetNum} /> },
      {
        id: 'action',
        header: words.action,
        cell: ({ action, fromCustomerId: customerId }) => (
          <>
            {words[action]}
            {customerId !== null && (
              <>
                {' '}
                · {words.fromCustomer}{' '}
                <Link to="/orders" search={{ customerId }}>
                  {customerId}
                </Link>
              </>
            )}
          </>
        ),
      },
      {
        id: 'now',
        header: words.nowActive,
        cell: ({ isActive }) => <StateBadge state={isActive ? 'active' : 'revoked'} />,
      },
    ],
    [words],
  );
  return <DataTable label={words.assets} columns={columns} rows={assets} rowKey={({ assetId }) => assetId} />;
}

function ItemTable({ items }: { items: readonly ItemEffect[] }) {
  const words = useWords(ordersWords);
  const columns = useMemo<Column<ItemEffect>[]>(
    () => [
      {
        id: 'item',
        header: words.item,
        width: '14rem',
        cell: ({ kind, code, name }) => (
          <>
            {name} · {code}
            {kind === 'merchandise' && <> ({words.merchandise})</>}
          </>
        ),
      },
      {
        id: 'asset',
        header: words.asset,
        width: '11rem',
        cell: ({ assetNum }) => <AssetNumber assetNum={assetNum} />,
      },
      { id: 'action', header: words.action, cell: ({ action }) => words[action] },
      {
        id: 'now',
        header: words.nowActive,
        cell: ({ isActive }) => <StateBadge state={isActive ? 'active' : 'revoked'} />,
      },
      {
        id: 'nodes',
        header: words.nodes,
        align: 'end',
        isMinor: true,
        cell: ({ limitConcurrent }) => limitConcurrent ?? '–',
      },
      { id: 'from', header: words.from, isMinor: true, cell: ({ limitStartDate }) => <Time timeMs={limitStartDate} /> },
      { id: 'until', header: words.until, isMinor: true, cell: ({ limitEndDate }) => <Time timeMs={limitEndDate} /> },
      {
        id: 'other',
        header: items.some(({ action }) => action === 'bought') ? words.revokedBy : words.boughtBy,
        isMinor: true,
        cell: ({ action, boughtByOrderId, revokedByOrderId }) => {
          const orderId = action === 'bought' ? revokedByOrderId : boughtByOrderId;
          return orderId === null ? '–' : <OrderLink orderId={orderId} />;
        },
      },
    ],
    [words, items],
  );
  return <DataTable label={words.item} columns={columns} rows={items} rowKey={({ id }) => id} />;
}

function AssetNumber({ assetNum }: { assetNum: string }) {
  return (
    <CopyId id={assetNum}>
      <Link to="/assets/$assetNum" params={{ assetNum }}>
        {assetNum}
      </Link>
    </CopyId>
  );
}
