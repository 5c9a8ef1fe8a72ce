import type { AssetEffect, ItemEffect } from '@lockstep/contract/console';
import { Link } from '@tanstack/react-router';
import { useOperation } from '../../api/operations.ts';
import { Query, Section } from '../../kit/page.tsx';
import { StateBadge } from '../../kit/signs.tsx';
import { type Column, DataTable } from '../../kit/table.tsx';
import { Time } from '../../kit/values.tsx';
import { useWords } from '../../words/words.ts';
import { AssetLink, OrderLink, pageOf } from '../links.tsx';
import { ordersWords } from './words.ts';

/** The effects of an order: on assets, products and merchandise. */
export function OrderEffects({ orderId }: { orderId: string }) {
  const words = useWords(ordersWords);
  const effects = useOperation('getOrderEffects', { params: { licenseOrderId: orderId } });
  return (
    <Section title={words.effects}>
      <Query of={effects}>
        {({ assets, items, isCut }) => (
          <>
            <AssetTable assets={assets} />
            {items.length > 0 && <ItemTable items={items} />}
            {isCut && <p>{words.effectsCut}</p>}
          </>
        )}
      </Query>
    </Section>
  );
}

function AssetTable({ assets }: { assets: readonly AssetEffect[] }) {
  const words = useWords(ordersWords);
  const columns: Column<AssetEffect>[] = [
    { header: words.asset, cell: ({ assetNum }) => <AssetLink assetNum={assetNum} /> },
    {
      header: words.action,
      cell: ({ action, fromCustomerId: customerId }) => (
        <>
          {words[action]}
          {customerId !== null && (
            <>
              {' '}
              · {words.fromCustomer} <Link {...pageOf.orders({ customerId })}>{customerId}</Link>
            </>
          )}
        </>
      ),
    },
    { header: words.currentState, cell: ({ isActive }) => <StateBadge state={isActive ? 'active' : 'revoked'} /> },
  ];
  return <DataTable label={words.assets} columns={columns} rows={assets} rowKey={({ assetId }) => assetId} />;
}

function ItemTable({ items }: { items: readonly ItemEffect[] }) {
  const words = useWords(ordersWords);
  const columns: Column<ItemEffect>[] = [
    {
      header: words.item,
      width: '14rem',
      cell: ({ kind, code, name }) => (
        <>
          {name} · {code}
          {kind === 'merchandise' && `${words.gap}${words.aside(words.merchandise)}`}
        </>
      ),
    },
    { header: words.asset, width: '11rem', cell: ({ assetNum }) => <AssetLink assetNum={assetNum} /> },
    { header: words.action, cell: ({ action }) => words[action] },
    { header: words.currentState, cell: ({ isActive }) => <StateBadge state={isActive ? 'active' : 'revoked'} /> },
    { header: words.nodes, align: 'end', isMinor: true, cell: ({ limitConcurrent }) => limitConcurrent ?? '–' },
    { header: words.begins, isMinor: true, cell: ({ limitStartDate }) => <Time timeMs={limitStartDate} /> },
    { header: words.ends, isMinor: true, cell: ({ limitEndDate }) => <Time timeMs={limitEndDate} /> },
    {
      header: items.some(({ action }) => action === 'bought') ? words.revokedBy : words.boughtBy,
      isMinor: true,
      cell: ({ action, boughtByOrderId, revokedByOrderId }) => {
        const orderId = action === 'bought' ? revokedByOrderId : boughtByOrderId;
        return orderId === null ? '–' : <OrderLink orderId={orderId} />;
      },
    },
  ];
  return <DataTable label={words.item} columns={columns} rows={items} rowKey={({ id }) => id} />;
}
