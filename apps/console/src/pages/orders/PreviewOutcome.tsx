import type { ComparedPreview } from '@lockstep/contract/console';
import { Box, Table } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { Time } from '../../kit/values.tsx';
import { explainCause } from '../../words/causes.ts';
import { OrderLink, pageOf } from '../links.tsx';
import { ordersWords as words } from './words.ts';

/** The most effects to list: an order may have thousands. */
const MAX_NAMED = 5;

/** What an order would do to assets and products, or why it would fail. */
export function PreviewOutcome({ preview }: { preview: ComparedPreview }) {
  if (preview.cause !== null) {
    return (
      <>
        <div>{explainCause(preview)}</div>
        <NearestProducts nearest={preview.nearest} />
      </>
    );
  }
  const all = [...preview.assets.map((effect) => ({ ...effect, productUri: null })), ...preview.products];
  if (all.length === 0) return <span>{words.noEffect}</span>;
  return (
    <>
      {all.slice(0, MAX_NAMED).map(({ assetNum, action, productUri }, place) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: one order may do the same twice, and the list does not change.
        <div key={place}>
          {words[action]} <Link {...pageOf.asset(assetNum)}>{assetNum}</Link>
          {productUri !== null && <> · {productUri}</>}
        </div>
      ))}
      {all.length > MAX_NAMED && <div>{words.more(all.length - MAX_NAMED)}</div>}
    </>
  );
}

type Nearest = ComparedPreview['nearest'][number];
type Compared = Nearest['values'][number];

/** The closest products to one that was not found, with both values of each field that differs. */
export function NearestProducts({ nearest }: { nearest: readonly Nearest[] }) {
  if (nearest.length === 0) return null;
  const body = nearest.flatMap(({ productUri, values }) =>
    values.map(({ field, wanted, found }, place) => [
      place === 0 && productUri,
      <code key="field">{field}</code>,
      <Value key="wanted" field={field} value={wanted} />,
      <Value key="found" field={field} value={found} />,
    ]),
  );
  return (
    // In its own width and with a scrollbar, so that it doesn't widen the page.
    <Box
      component="section"
      style={{ contain: 'inline-size', overflowX: 'auto' }}
      tabIndex={0}
      aria-label={words.nearest}
    >
      <Table
        mt="sm"
        fz="md"
        verticalSpacing="xs"
        withTableBorder
        withColumnBorders
        data={{ head: [words.nearest, words.field, words.inOrder, words.onAsset], body }}
      />
    </Box>
  );
}

function Value({ field, value }: { field: Compared['field']; value: Compared['wanted'] }) {
  if (value === null) return <>{words.notSet}</>;
  if (field === 'srcLicenseOrderId') return <OrderLink orderId={String(value)} />;
  if (field === 'limitStartDate' || field === 'limitEndDate') return <Time timeMs={Number(value)} />;
  return <>{value}</>;
}
