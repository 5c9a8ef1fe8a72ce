import type { ConsoleData } from '@lockstep/contract/console';
import { Link, useParams } from '@tanstack/react-router';
import { useOperation } from '../../api/operations.ts';
import { Page, Section } from '../../kit/page.tsx';
import { Badge, Empty, Notice } from '../../kit/signs.tsx';
import { type Column, DataTable } from '../../kit/table.tsx';
import { CopyButton, CopyId, Fields, Time } from '../../kit/values.tsx';
import { AssetLink, CustomerLink, EnterpriseLink, HolderLink, OrderLink, OwnerLink, pageOf } from '../links.tsx';
import { AssetContents, useContents } from './AssetContents.tsx';
import { AssetHistory } from './AssetHistory.tsx';
import { VerdictNotice } from './Verdict.tsx';
import { licenseTypeWords as typeWords, assetsWords as words } from './words.ts';

/** The active asset of a number: whether it can be used, its contents, and the history of its number. */
export function AssetPage() {
  const { assetNum } = useParams({ from: '/assets/$assetNum' });
  const asset = useOperation('getAsset', { params: { assetNum } });
  const active = asset.data?.active ?? null;
  const contents = useContents(assetNum, active !== null);
  return (
    <Page
      title={assetNum}
      beside={
        <>
          <CopyButton text={assetNum} what={`${words.assetNum} ${assetNum}`} />
          {active?.borrowedUsbKey && <Badge>{words.borrowedLock}</Badge>}
        </>
      }
      crumbs={[{ text: words.assets, to: '/assets' }]}
      actions={
        <>
          <Link {...pageOf.orders({ assetNum })}>{words.ordersOfNumber}</Link>
          {active !== null && (
            <Link {...pageOf.enterprise(active.owner.enterpriseGlobalId)} search={{ tab: 'holdings', assetNum }}>
              {words.whoHadIt}
            </Link>
          )}
        </>
      }
      of={asset}
    >
      {({ earlier, earlier: [last], hasMoreEarlier }) => (
        <>
          {active === null ? (
            <Notice tone="warn" title={words.notActive}>
              {words.notActiveAdvice}
              {last && (
                <>
                  {words.gap}
                  <OrderLink orderId={last.revokedByOrderId} /> · <Time timeMs={last.revokedTime} isExact />
                </>
              )}
            </Notice>
          ) : (
            <>
              <VerdictNotice asset={active} instances={contents.data?.instances} />
              <AssetFields asset={active} />
              <AssetContents assetNum={assetNum} isLent={active.lentInto !== null} />
              {active.borrowedUsbKey && <LentHere lentHere={active.lentHere} hasMore={active.hasMoreLentHere} />}
            </>
          )}
          <AssetHistory assetNum={assetNum} />
          {earlier.length > 0 && <EarlierAssets earlier={earlier} hasMore={hasMoreEarlier} />}
        </>
      )}
    </Page>
  );
}

type ActiveAsset = NonNullable<ConsoleData<'getAsset'>['active']>;

/** The fields of the active asset. */
function AssetFields({ asset }: { asset: ActiveAsset }) {
  const { owner, holder, lentInto, limitStartDate, limitEndDate } = asset;
  const extensions = asset.assetExtendList.map(({ extendCode, extendValue }) => `${extendCode}: ${extendValue}`);
  return (
    <Fields
      fields={{
        [words.holder]:
          holder === null ? (
            words.unassigned
          ) : (
            <span>
              <HolderLink holder={holder} enterpriseGlobalId={owner.enterpriseGlobalId} />
              {' · '}
              <Time timeMs={holder.since} />
            </span>
          ),
        [words.customer]: <CustomerLink owner={owner} />,
        [words.enterprise]: <EnterpriseLink owner={owner} />,
        [words.channel]: <Link {...pageOf.channel(owner.channelCode)}>{owner.channelCode}</Link>,
        [words.lentInto]: lentInto ? <AssetLink {...lentInto} /> : undefined,
        [words.begins]: limitStartDate ? <Time timeMs={limitStartDate} isExact /> : undefined,
        [words.ends]: limitEndDate ? <Time timeMs={limitEndDate} isExact /> : undefined,
        [words.bought]: <Time timeMs={asset.createdTime} isExact />,
        [words.updated]: <Time timeMs={asset.updatedTime} isExact />,
        [words.createdBy]: <OrderLink orderId={asset.createdByOrderId} />,
        [words.grants]: (
          <>
            {asset.licenseOrderIds.map((orderId) => (
              <OrderLink key={orderId} orderId={orderId} />
            ))}
            {asset.hasMoreOrders && words.moreGrants}
          </>
        ),
        [words.licenseType]: <span title={asset.licenseType}>{typeWords[asset.licenseType]}</span>,
        [words.assetId]: <CopyId id={asset.assetId} what={words.assetId} />,
        [words.extends]: extensions.join(words.comma) || undefined,
      }}
    />
  );
}

type Lent = NonNullable<ConsoleData<'getAsset'>['active']>['lentHere'][number];

/** The assets lent into a borrowed lock, with the employees they are assigned to. */
function LentHere({ lentHere, hasMore }: { lentHere: readonly Lent[]; hasMore: boolean }) {
  const columns: Column<Lent>[] = [
    { header: words.assetNum, cell: ({ assetNum }) => <AssetLink assetNum={assetNum} /> },
    {
      header: words.holder,
      cell: ({ holder }) => (holder === null ? words.unassigned : `${holder.name} · ${holder.account}`),
    },
    { header: words.since, cell: ({ since }) => <Time timeMs={since} /> },
  ];
  return (
    <Section title={words.lentHere}>
      <DataTable
        label={words.lentHere}
        columns={columns}
        rows={lentHere}
        rowKey={({ assetNum }) => assetNum}
        empty={<Empty title={words.nothingLent}>{words.nothingLentAdvice}</Empty>}
        footer={hasMore && <div className="small">{words.moreLent}</div>}
      />
    </Section>
  );
}

type Earlier = ConsoleData<'getAsset'>['earlier'][number];

/** The revoked assets that had a number. */
function EarlierAssets({ earlier, hasMore }: { earlier: readonly Earlier[]; hasMore: boolean }) {
  const columns: Column<Earlier>[] = [
    { header: words.customer, cell: ({ owner }) => <OwnerLink owner={owner} /> },
    { header: words.bought, cell: ({ createdTime }) => <Time timeMs={createdTime} /> },
    { header: words.createdBy, cell: (row) => <OrderLink orderId={row.createdByOrderId} />, isMinor: true },
    { header: words.revokedTime, cell: ({ revokedTime }) => <Time timeMs={revokedTime} /> },
    { header: words.revokedBy, cell: (row) => <OrderLink orderId={row.revokedByOrderId} /> },
    { header: words.assetId, cell: ({ assetId }) => <CopyId id={assetId} />, isMinor: true },
  ];
  return (
    <Section title={words.earlier}>
      <DataTable
        label={words.earlier}
        columns={columns}
        rows={earlier}
        rowKey={({ assetId }) => assetId}
        footer={hasMore && <div className="small">{words.moreEarlier}</div>}
      />
    </Section>
  );
}
