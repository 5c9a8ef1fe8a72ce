import { getRouteApi, Link } from '@tanstack/react-router';
import { useOperation } from '../../api/index.ts';
import { Empty, Filters, NoRows, Page, Query } from '../../kit/index.ts';
import { useWords } from '../../words/words.ts';
import { AssetTable } from './AssetTable.tsx';
import { assetsWords } from './words.ts';

const route = getRouteApi('/assets');

/** Lists assets, filtered by number, customer or enterprise. */
export default function AssetsPage() {
  const words = useWords(assetsWords);
  const { revoked, ...search } = route.useSearch();
  const isRevoked = revoked === 'true';
  const lacksNumber = isRevoked && search.assetNum === undefined;
  const query = { ...search, state: isRevoked ? ('revoked' as const) : ('active' as const) };
  const found = useOperation('listAssets', { query }, { keepsPrevious: true, isEnabled: !lacksNumber });
  return (
    <Page title={words.assets} lead={words.lead}>
      <Filters
        fields={[
          { name: 'assetNum', label: words.assetNumBegins, kind: 'text' },
          { name: 'customerId', label: words.customerId, kind: 'text' },
          { name: 'enterpriseGlobalId', label: words.enterpriseGlobalId, kind: 'text' },
          { name: 'revoked', label: words.revokedInstead, kind: 'flag' },
        ]}
      />
      {lacksNumber ? (
        <Empty title={words.revokedNeedsNumber}>{words.revokedNeedsNumberAdvice}</Empty>
      ) : (
        <Query of={found}>
          {({ assets, nextCursor }) => (
            <AssetTable
              rows={assets}
              isStale={found.isPlaceholderData}
              empty={<NoAssets search={search} />}
              nextCursor={nextCursor}
            />
          )}
        </Query>
      )}
    </Page>
  );
}

/** The empty state. */
function NoAssets({ search }: { search: { [name: string]: string | undefined } }) {
  const words = useWords(assetsWords);
  const { assetNum } = search;
  if (assetNum !== undefined) {
    return (
      <Empty title={words.noSuchAsset(assetNum)}>
        <Link to="/assets/$assetNum" params={{ assetNum }}>
          {words.openNumber}
        </Link>
      </Empty>
    );
  }
  return <NoRows title={words.noAssets}>{words.noAssetsAdvice}</NoRows>;
}
