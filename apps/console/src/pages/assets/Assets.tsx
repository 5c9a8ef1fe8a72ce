import type { ConsoleData } from '@lockstep/contract/console';
import { Group } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { useAddress } from '../../kit/inputs.tsx';
import { Page } from '../../kit/page.tsx';
import { Badge, Empty, StateBadge } from '../../kit/signs.tsx';
import { List, type Table } from '../../kit/table.tsx';
import { Time } from '../../kit/values.tsx';
import { AssetLink, HolderLink, OrderLink, OwnerLink, pageOf } from '../links.tsx';
import { VerdictMarks } from './Verdict.tsx';
import { reasonWords, licenseTypeWords as typeWords, validityWords, assetsWords as words } from './words.ts';

type Asset = ConsoleData<'listAssets'>['assets'][number];

/** Lists assets with filters. */
export function AssetsPage() {
  const { revoked: _, ...reasons } = reasonWords;
  const [{ assetNum, state, updatedFrom }] = useAddress();
  return (
    <Page title={words.assets} lead={words.lead}>
      <List
        label={words.assets}
        operation="listAssets"
        filters={[
          { name: 'assetNum', label: words.assetNumBegins, kind: 'text' },
          { name: 'channelCode', label: words.channel, kind: 'text' },
          { name: 'customerId', label: words.customerId, kind: 'text' },
          { name: 'enterpriseGlobalId', label: words.enterpriseGlobalId, kind: 'text' },
          { name: 'productUri', label: words.productUri, kind: 'text' },
          { name: 'licenseType', label: words.licenseType, kind: 'select', options: typeWords },
          { name: 'reason', label: words.reason, kind: 'select', options: reasons },
          { name: 'validity', label: words.validity, kind: 'select', options: validityWords },
          {
            name: 'assigned',
            label: words.held,
            kind: 'select',
            options: { true: words.assigned, false: words.unassigned },
          },
          { name: 'expiresFrom', until: 'expiresTo', label: words.ends, kind: 'future' },
          { name: 'updatedFrom', label: words.updatedFrom, kind: 'past' },
          {
            name: 'state',
            label: words.state,
            kind: 'select',
            options: { revoked: words.revokedInstead, all: words.allStates },
            placeholder: words.activeOnly,
          },
        ]}
        {...assetTable({ withRevoked: state !== undefined, isByChange: (state ?? updatedFrom) !== undefined })}
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

/** The active assets of an enterprise or a customer. */
export function AssetsOf({ owner }: { owner: { enterpriseGlobalId: string } | { customerId: string } }) {
  return (
    <List
      label={words.assets}
      operation="listAssets"
      call={{ query: owner }}
      {...assetTable({ withCustomer: 'enterpriseGlobalId' in owner })}
      none={[words.noAssets, words.noAssetsAdvice]}
    />
  );
}

/** The table of assets. Revoked ones show which order revoked them. */
export const assetTable = ({ withCustomer = true, withRevoked = false, isByChange = false } = {}): Table<Asset> => ({
  rowKey: ({ assetId }) => assetId,
  columns: [
    { header: words.assetNum, cell: ({ assetNum }) => <AssetLink assetNum={assetNum} /> },
    { header: words.state, cell: (asset) => <AssetMarks asset={asset} /> },
    { header: words.ends, cell: (asset) => <Time timeMs={asset.nextEndDate ?? findExpiry(asset)} /> },
    { header: words.customer, isHidden: !withCustomer, cell: (asset) => <OwnerLink owner={asset} /> },
    { header: words.holder, cell: (asset) => <Holder of={asset} /> },
    { header: words.revokedBy, isHidden: !withRevoked, cell: (asset) => <Revoker of={asset} /> },
    isByChange
      ? { header: words.updated, cell: ({ updatedTime }) => <Time timeMs={updatedTime} /> }
      : { header: words.bought, cell: ({ createdTime }) => <Time timeMs={createdTime} />, isMinor: true },
    { header: words.licenseType, cell: ({ licenseType }) => typeWords[licenseType], isMinor: true },
  ],
});

function Holder({ of: { memberName, memberAccount, enterpriseGlobalId } }: { of: Asset }) {
  if (memberName === null || memberAccount === null) return '–';
  return <HolderLink holder={{ name: memberName, account: memberAccount }} enterpriseGlobalId={enterpriseGlobalId} />;
}

function Revoker({ of: { revokedByOrderId: orderId, revokedByApplication } }: { of: Asset }) {
  if (orderId === null) return '–';
  return (
    <>
      <OrderLink orderId={orderId} /> {revokedByApplication}
    </>
  );
}

const findExpiry = ({ verdict }: Asset) => verdict.reasons.find(({ reason }) => reason === 'expired')?.since ?? null;

/** Whether an asset can be used, or why not, as badges. */
export function AssetMarks({ asset }: { asset: Pick<Asset, 'verdict' | 'borrowedUsbKey'> }) {
  return (
    <Group gap="xs" wrap="nowrap" component="span">
      <VerdictMarks verdict={asset.verdict}>
        <StateBadge state="active" />
      </VerdictMarks>
      {asset.borrowedUsbKey && <Badge>{words.borrowedLock}</Badge>}
    </Group>
  );
}
