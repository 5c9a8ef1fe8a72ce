import type { ComparedPreview } from '@lockstep/contract/console';
import { Link } from '@tanstack/react-router';
import { useCauseWords } from '../../words/causes.ts';
import { useNumberFormat } from '../../words/formats.ts';
import { useWords } from '../../words/words.ts';
import { NearestProducts } from './NearestProducts.tsx';
import { ordersWords } from './words.ts';

/** The most effects to list: an order may have thousands. */
const MAX_NAMED = 5;

/** What an order would do to assets and products, or why it would fail. */
export function PreviewOutcome({ preview }: { preview: ComparedPreview }) {
  const causeWords = useCauseWords();
  if (preview.cause !== null) {
    return (
      <>
        <div>{causeWords(preview.cause, preview.message)}</div>
        <NearestProducts nearest={preview.nearest} />
      </>
    );
  }
  return <Actions preview={preview} />;
}

function Actions({ preview: { assets, products } }: { preview: ComparedPreview }) {
  const words = useWords(ordersWords);
  const write = useNumberFormat();
  const all = [
    ...assets.map(({ assetNum, action }) => ({ assetNum, action, productUri: null })),
    ...products.map(({ assetNum, action, productUri }) => ({ assetNum, action, productUri })),
  ];
  if (all.length === 0) return <span>{words.nothingWouldChange}</span>;
  return (
    <>
      {all.slice(0, MAX_NAMED).map(({ assetNum, action, productUri }, place) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: one order may do the same twice, and the list does not change.
        <div key={place}>
          {words[action]}{' '}
          <Link to="/assets/$assetNum" params={{ assetNum }}>
            {assetNum}
          </Link>
          {productUri !== null && <> · {productUri}</>}
        </div>
      ))}
      {all.length > MAX_NAMED && <div>{words.more(write(all.length - MAX_NAMED))}</div>}
    </>
  );
}
