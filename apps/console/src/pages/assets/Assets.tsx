import type { ConsoleData } from '@lockstep/contract/console';
import { Group } from '@mantine/core';
import { getRouteApi, Link } from '@tanstack/react-router';
import { Page } from '../../kit/page.tsx';
import { Badge, Empty, StateBadge } from '../../kit/signs.tsx';
import { type Column, List, type Table } from '../../kit/table.tsx';
import { Time } from '../../kit/values.tsx';
import { useWords } from '../../words/words.ts';
import { AssetLink, HolderLink, OrderLink, OwnerLink, pageOf } from '../links.tsx';
import { VerdictMarks } from './Verdict.tsx';
import { assetsWords, licenseTypeWords, reasonWords, validityWords } from './words.ts';

type Asset = ConsoleData<'listAssets'>['assets'][number];

const route = getRouteApi('/assets');

/** Lists assets with filters. */
export function AssetsPage() {
  const words = useWords(assetsWords);
  const typeWords = useWords(licenseTypeWords);
  const { revoked, assetNum } = route.useSearch();
  return (
    <Page title={words.assets} lead={words.lead}>
      <List
        label={words.assets}
        operation="listAssets"
        call={{ query: { revoked: undefined, state: revoked === 'true' ? 'revoked' : 'active' } }}
        rows={({ assets }) => assets}
        filters={[
          { name: 'assetNum', label: words.assetNumBegins, kind: 'text' },
          { name: 'channelCode', label: words.channel, kind: 'text' },
          { name: 'customerId', label: words.customerId, kind: 'text' },
          { name: 'enterpriseGlobalId', label: words.enterpriseGlobalId, kind: 'text' },
          { name: 'productUri', label: words.productUri, kind: 'text' },
          { name: 'licenseType', label: words.licenseType, kind: 'select', options: typeWords },
          { name: 'reason', label: words.reason, kind: 'select', options: useWords(reasonWords) },
          { name: 'validity', label: words.validity, kind: 'select', options: useWords(validityWords) },
          {
            name: 'assigned',
            label: words.held,
            kind: 'select',
            options: { true: words.assigned, false: words.unassigned },
          },
          { name: 'expiresFrom', label: words.expiresFrom, kind: 'time' },
          { name: 'expiresTo', label: words.expiresTo, kind: 'time' },
          { name: 'updatedFrom', label: words.updatedFrom, kind: 'time' },
          { name: 'revoked', label: words.revokedInstead, kind: 'flag' },
        ]}
        {...useAssetTable(revoked === 'true')}
        none={[words.noAssets, words.noAssetsAdvice]}
        noMatches={
          assetNum && (
            <Empty title={words.noSuchAsset(assetNum)}>
              <Link {...pageOf.asset(assetNum)}>{words.openNumber}</Link>
            </Empty>
          )
        }
      />
    </Page>
  );
}

/** The table of assets. Revoked ones show when, and which order revoked them. */
export function useAssetTable(isRevoked = false): Table<Asset> {
  const words = useWords(assetsWords);
  const typeWords = useWords(licenseTypeWords);
  const active: Column<Asset>[] = [
    { header: words.holder, cell: (asset) => <Holder of={asset} /> },
    { header: words.nextEnd, cell: ({ nextEndDate }) => <Time timeMs={nextEndDate} />, isMinor: true },
  ];
  const revoked: Column<Asset>[] = [
    { header: words.revokedTime, cell: ({ revokedTime }) => <Time timeMs={revokedTime} /> },
    { header: words.revokedBy, cell: ({ revokedByOrderId: id }) => id !== null && <OrderLink orderId={id} /> },
  ];
  return {
    rowKey: ({ assetId }) => assetId,
    columns: [
      { header: words.assetNum, cell: ({ assetNum }) => <AssetLink assetNum={assetNum} /> },
      { header: words.state, cell: (asset) => <AssetMarks asset={{ ...asset, assigned: false }} /> },
      { header: words.customer, cell: (asset) => <OwnerLink owner={asset} /> },
      { header: words.licenseType, cell: ({ licenseType }) => typeWords[licenseType], isMinor: true },
      ...(isRevoked ? revoked : active),
      { header: words.bought, cell: ({ createdTime }) => <Time timeMs={createdTime} />, isMinor: true },
    ],
  };
}

function Holder({ of: { memberName, memberAccount, enterpriseGlobalId } }: { of: Asset }) {
  if (memberName === null || memberAccount === null) return '–';
  return <HolderLink holder={{ name: memberName, account: memberAccount }} enterpriseGlobalId={enterpriseGlobalId} />;
}

type Marked = Pick<Asset, 'verdict' | 'borrowedUsbKey' | 'lent'> & { assigned: boolean };

/** The state of an asset and its further marks, as badges. */
export function AssetMarks({ asset }: { asset: Marked }) {
  const words = useWords(assetsWords);
  return (
    <Group gap="0.3rem" component="span">
      <VerdictMarks verdict={asset.verdict}>
        <StateBadge state="active" />
      </VerdictMarks>
      {asset.borrowedUsbKey && <Badge>{words.borrowedLock}</Badge>}
      {asset.assigned && <Badge tone="busy">{words.held}</Badge>}
      {asset.lent && <Badge tone="busy">{words.lent}</Badge>}
    </Group>
  );
}
