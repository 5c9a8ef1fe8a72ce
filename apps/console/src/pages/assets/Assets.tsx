import type { ConsoleData } from '@lockstep/contract/console';
import { Group } from '@mantine/core';
import { getRouteApi, Link } from '@tanstack/react-router';
import { Filters } from '../../kit/inputs.tsx';
import { Page } from '../../kit/page.tsx';
import { Badge, Empty, StateBadge } from '../../kit/signs.tsx';
import { List, type Table } from '../../kit/table.tsx';
import { Time } from '../../kit/values.tsx';
import { useWords } from '../../words/words.ts';
import { AssetLink, OwnerLink, pageOf } from '../links.tsx';
import { assetsWords, licenseTypeWords } from './words.ts';

type Asset = ConsoleData<'listAssets'>['assets'][number];

const route = getRouteApi('/assets');

/** Lists assets, filtered by number, customer or enterprise. */
export function AssetsPage() {
  const words = useWords(assetsWords);
  const { revoked, assetNum } = route.useSearch();
  const table = useAssetTable();
  const isRevoked = revoked === 'true';
  const filters = [
    { name: 'assetNum', label: words.assetNumBegins, kind: 'text' },
    { name: 'customerId', label: words.customerId, kind: 'text' },
    { name: 'enterpriseGlobalId', label: words.enterpriseGlobalId, kind: 'text' },
    { name: 'revoked', label: words.revokedInstead, kind: 'flag' },
  ] as const;
  return (
    <Page title={words.assets} lead={words.lead}>
      {isRevoked && assetNum === undefined ? (
        <>
          <Filters fields={filters} />
          <Empty title={words.revokedNeedsNumber}>{words.revokedNeedsNumberAdvice}</Empty>
        </>
      ) : (
        <List
          label={words.assets}
          operation="listAssets"
          call={{ query: { revoked: undefined, state: isRevoked ? 'revoked' : 'active' } }}
          rows={({ assets }) => assets}
          filters={filters}
          {...table}
          none={[words.noAssets, words.noAssetsAdvice]}
          noMatches={
            assetNum && (
              <Empty title={words.noSuchAsset(assetNum)}>
                <Link {...pageOf.asset(assetNum)}>{words.openNumber}</Link>
              </Empty>
            )
          }
        />
      )}
    </Page>
  );
}

/** The table of assets. */
export function useAssetTable(): Table<Asset> {
  const words = useWords(assetsWords);
  const typeWords = useWords(licenseTypeWords);
  return {
    rowKey: ({ assetId }) => assetId,
    columns: [
      { header: words.assetNum, cell: ({ assetNum }) => <AssetLink assetNum={assetNum} /> },
      { header: words.state, cell: (asset) => <AssetMarks asset={asset} /> },
      { header: words.customer, cell: ({ owner }) => <OwnerLink owner={owner} /> },
      { header: words.licenseType, cell: ({ licenseType }) => typeWords[licenseType], isMinor: true },
      { header: words.ends, cell: ({ limitEndDate }) => <Time timeMs={limitEndDate} />, isMinor: true },
      { header: words.bought, cell: ({ createdTime }) => <Time timeMs={createdTime} />, isMinor: true },
    ],
  };
}

/** The state of an asset and its further marks, as badges. */
export function AssetMarks({ asset, isFrozen = false }: { asset: Asset; isFrozen?: boolean }) {
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
