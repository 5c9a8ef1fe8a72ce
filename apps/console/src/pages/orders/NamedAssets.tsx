import { useNumberFormat } from '../../words/formats.ts';
import { useWords } from '../../words/words.ts';
import { AssetLink } from '../assets/AssetLink.tsx';
import { ordersWords } from './words.ts';

const MAX_SHOWN = 20;

/** The assets named in an order's request, linked to their pages. */
export function NamedAssets({ order }: { order: unknown }) {
  const words = useWords(ordersWords);
  const write = useNumberFormat();
  const { assets = [] } = (order ?? {}) as { assets?: readonly { assetNos: readonly string[] }[] };
  const assetNums = [...new Set(assets.flatMap(({ assetNos }) => assetNos))];
  if (assetNums.length === 0) return null;
  return (
    <p>
      {words.namedAssets}
      {words.gap}
      {assetNums.slice(0, MAX_SHOWN).map((assetNum) => (
        <span key={assetNum}>
          <AssetLink assetNum={assetNum} />{' '}
        </span>
      ))}
      {assetNums.length > MAX_SHOWN && words.more(write(assetNums.length - MAX_SHOWN))}
    </p>
  );
}
