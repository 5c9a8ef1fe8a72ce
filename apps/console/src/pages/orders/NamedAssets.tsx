import { Link } from '@tanstack/react-router';
import { CopyId } from '../../kit/index.ts';
import { useNumberFormat } from '../../words/formats.ts';
import { useWords } from '../../words/words.ts';
import { listNamedAssets } from './named-assets.ts';
import { ordersWords } from './words.ts';

const MAX_SHOWN = 20;

/** The assets that an order names, as it was sent, with links to their pages. */
export function NamedAssets({ order }: { order: unknown }) {
  const words = useWords(ordersWords);
  const write = useNumberFormat();
  const assetNums = listNamedAssets(order);
  if (assetNums.length === 0) return null;
  return (
    <p>
      {words.namedAssets}{' '}
      {assetNums.slice(0, MAX_SHOWN).map((assetNum) => (
        <span key={assetNum}>
          <CopyId id={assetNum}>
            <Link to="/assets/$assetNum" params={{ assetNum }}>
              {assetNum}
            </Link>
          </CopyId>{' '}
        </span>
      ))}
      {assetNums.length > MAX_SHOWN && words.moreNamed(write(assetNums.length - MAX_SHOWN))}
    </p>
  );
}
