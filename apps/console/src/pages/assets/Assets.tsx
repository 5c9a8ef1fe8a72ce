import type { ConsoleData } from '@lockstep/contract/console';
import { Group } from '@mantine/core';
import { getRouteApi, Link } from '@tanstack/react-router';
import { useOperation } from '../../api/index.ts';
import {
  Badge,
  type Column,
  DataTable,
  Empty,
  Filters,
  NoRows,
  Page,
  Query,
  StateBadge,
  type TableProps,
  Time,
} from '../../kit/index.ts';
import { useWords } from '../../words/words.ts';
import { AssetLink, OwnerLink } from '../links.tsx';
import { assetsWords, licenseTypeWords } from './words.ts';

const route = getRouteApi('/assets');

/** Lists assets, filtered by number, customer or enterprise. */
export function AssetsPage() {
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

type Asset = ConsoleData<'listAssets'>['assets'][number];

/** A table of assets. */
export function AssetTable(props: Omit<TableProps<Asset>, 'label'>) {
  const words = useWords(assetsWords);
  const typeWords = useWords(licenseTypeWords);
  const columns: Column<Asset>[] = [
    { header: words.assetNum, cell: ({ assetNum }) => <AssetLink assetNum={assetNum} /> },
    { header: words.state, cell: (asset) => <AssetMarks asset={asset} /> },
    { header: words.customer, cell: ({ owner }) => <OwnerLink owner={owner} /> },
    { header: words.licenseType, cell: ({ licenseType }) => typeWords[licenseType], isMinor: true },
    { header: words.ends, cell: ({ limitEndDate }) => <Time timeMs={limitEndDate} />, isMinor: true },
    { header: words.bought, cell: ({ createdTime }) => <Time timeMs={createdTime} />, isMinor: true },
  ];
  return <DataTable label={words.assets} columns={columns} rowKey={({ assetId }) => assetId} {...props} />;
}

type MarkedAsset = ConsoleData<'listAssets'>['assets'][number];

/** The state of an asset and its further marks, as badges. */
export function AssetMarks({ asset, isFrozen = false }: { asset: MarkedAsset; isFrozen?: boolean }) {
  const words = useWords(assetsWords);
  return (
    <Group gap="0.3rem" component="span">
      <StateBadge state={asset.revokedTime === null ? 'active' : 'revoked'} />
      {asset.locked && <StateBadge state="disabled" />}
      {isFrozen && <Badge tone="warn">{words.frozen}</Badge>}
      {asset.borrowedUsbKey && <Badge>{words.borrowedLock}</Badge>}
      {asset.assigned && <Badge tone="busy">{words.held}</Badge>}
      {asset.lent && <Badge tone="busy">{words.lent}</Badge>}
    </Group>
  );
}
