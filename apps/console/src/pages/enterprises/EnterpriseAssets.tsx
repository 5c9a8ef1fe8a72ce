import { useOperation } from '../../api/index.ts';
import { Empty, Query } from '../../kit/index.ts';
import { useWords } from '../../words/words.ts';
import { AssetTable } from '../assets/AssetTable.tsx';
import type { EnterprisePart } from './enterprise-part.ts';
import { enterprisesWords } from './words.ts';

/** The assets of an enterprise, customer by customer. */
export function EnterpriseAssets({ enterpriseGlobalId, cursor, onCursor }: EnterprisePart) {
  const words = useWords(enterprisesWords);
  const found = useOperation('listAssets', { query: { enterpriseGlobalId, cursor } }, { keepsPrevious: true });
  return (
    <Query of={found}>
      {({ assets, nextCursor }) => (
        <AssetTable
          rows={assets}
          isStale={found.isPlaceholderData}
          empty={<Empty title={words.noAssets}>{words.noAssetsAdvice}</Empty>}
          paging={{ cursor, nextCursor, onCursor }}
        />
      )}
    </Query>
  );
}
