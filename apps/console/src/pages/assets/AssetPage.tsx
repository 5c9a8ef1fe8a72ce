import type { ConsoleData } from '@lockstep/contract/console';
import { getRouteApi, Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { useOperation } from '../../api/operations.ts';
import { AddressTabs } from '../../kit/inputs.tsx';
import { Page, Query, Section } from '../../kit/page.tsx';
import { Empty, Notice } from '../../kit/signs.tsx';
import { type Column, DataTable } from '../../kit/table.tsx';
import { CopyButton, CopyId, Fields, Line, Time } from '../../kit/values.tsx';
import { useWords } from '../../words/words.ts';
import { AssetLink, EnterpriseLink, HolderLink, OrderLink, OwnerLink, pageOf } from '../links.tsx';
import { AssetContents } from './AssetContents.tsx';
import { AssetHistory } from './AssetHistory.tsx';
import { AssetMarks } from './Assets.tsx';
import { ReasonText, VerdictNotice } from './Verdict.tsx';
import { assetsWords, licenseTypeWords } from './words.ts';

type Asset = ConsoleData<'getAsset'>;

const route = getRouteApi('/assets/$assetNum');

/** The active asset of a number, and the assets that had the number before. */
export function AssetPage() {
  const words = useWords(assetsWords);
  const { assetNum } = route.useParams();
  const asset = useOperation('getAsset', { params: { assetNum } });
  const active = asset.data?.active ?? null;
  return (
    <Page
      title={assetNum}
      beside={
        <>
          <CopyButton text={assetNum} what={`${words.assetNum} ${assetNum}`} />
          {active !== null && <AssetMarks asset={active} />}
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
    >
      <Query of={asset}>
        {(read) => (
          <>
            {active === null ? (
              <Notice tone="warn" title={words.notActive}>
                {words.notActiveAdvice}
                {read.earlier.slice(0, 1).map(({ assetId, revokedTime, revokedByOrderId }) => (
                  <div key={assetId}>
                    <ReasonText reason={{ reason: 'revoked', since: revokedTime, licenseOrderId: revokedByOrderId }} />
                  </div>
                ))}
              </Notice>
            ) : (
              <>
                <VerdictNotice asset={active} />
                <Section title={words.currentState}>
                  <AssetFields asset={active} />
                </Section>
              </>
            )}
            <Parts assetNum={assetNum} asset={read} />
          </>
        )}
      </Query>
    </Page>
  );
}

function Parts({ assetNum, asset: { active, earlier, hasMoreEarlier } }: { assetNum: string; asset: Asset }) {
  const words = useWords(assetsWords);
  const part = (name: 'contents' | 'history' | 'lentHere' | 'earlier', content: ReactNode) => [
    { name, label: words[name], content },
  ];
  return (
    <AddressTabs
      of="tab"
      parts={[
        ...(active === null
          ? []
          : part('contents', <AssetContents assetNum={assetNum} isLent={active.lentInto !== null} />)),
        ...part('history', <AssetHistory assetNum={assetNum} />),
        ...(active?.borrowedUsbKey
          ? part('lentHere', <LentHere lentHere={active.lentHere} hasMore={active.hasMoreLentHere} />)
          : []),
        ...part('earlier', <EarlierAssets earlier={earlier} hasMore={hasMoreEarlier} />),
      ]}
    />
  );
}

type ActiveAsset = NonNullable<ConsoleData<'getAsset'>['active']>;

/** The fields of the active asset. */
function AssetFields({ asset }: { asset: ActiveAsset }) {
  const words = useWords(assetsWords);
  const typeWords = useWords(licenseTypeWords);
  const { owner, holder, lentInto } = asset;
  return (
    <Fields
      fields={[
        { label: words.customer, value: <OwnerLink owner={owner} withIds /> },
        { label: words.enterprise, value: <EnterpriseLink owner={owner} /> },
        {
          label: words.holder,
          value:
            holder === null ? (
              words.unassigned
            ) : (
              <>
                <HolderLink holder={holder} enterpriseGlobalId={owner.enterpriseGlobalId} />
                <Line label={words.since} value={<Time timeMs={holder.since} />} />
              </>
            ),
        },
        {
          label: words.lentInto,
          value:
            lentInto === null ? (
              words.notLent
            ) : (
              <>
                <AssetLink assetNum={lentInto.assetNum} />
                <Line label={words.since} value={<Time timeMs={lentInto.since} />} />
              </>
            ),
        },
        {
          label: words.licenseType,
          value: (
            <>
              {typeWords[asset.licenseType]}
              <div>
                <code>{asset.licenseType}</code>
              </div>
            </>
          ),
        },
        { label: words.begins, value: <Time timeMs={asset.limitStartDate} isExact /> },
        { label: words.ends, value: <Time timeMs={asset.limitEndDate} isExact /> },
        { label: words.bought, value: <Time timeMs={asset.createdTime} isExact /> },
        { label: words.updated, value: <Time timeMs={asset.updatedTime} isExact /> },
        { label: words.createdBy, value: <OrderLink orderId={asset.createdByOrderId} /> },
        {
          label: words.grants,
          value: (
            <>
              {asset.licenseOrderIds.map((orderId) => (
                <div key={orderId}>
                  <OrderLink orderId={orderId} />
                </div>
              ))}
              {asset.hasMoreOrders && words.moreGrants}
            </>
          ),
        },
        { label: words.assetId, value: <CopyId id={asset.assetId} what={words.assetId} /> },
        {
          label: words.extends,
          value:
            asset.assetExtendList.length === 0
              ? undefined
              : asset.assetExtendList.map(({ extendCode, extendValue }) => (
                  <div key={extendCode}>
                    <code>{extendCode}</code>: {extendValue}
                  </div>
                )),
        },
      ]}
    />
  );
}

type Lent = NonNullable<ConsoleData<'getAsset'>['active']>['lentHere'][number];

/** The assets lent into a borrowed lock, with the employees they are assigned to. */
function LentHere({ lentHere, hasMore }: { lentHere: readonly Lent[]; hasMore: boolean }) {
  const words = useWords(assetsWords);
  const columns: Column<Lent>[] = [
    { header: words.assetNum, cell: ({ assetNum }) => <AssetLink assetNum={assetNum} /> },
    {
      header: words.holder,
      cell: ({ holder }) => (holder === null ? words.unassigned : `${holder.name} · ${holder.account}`),
    },
    { header: words.since, cell: ({ since }) => <Time timeMs={since} /> },
  ];
  return (
    <DataTable
      label={words.lentHere}
      columns={columns}
      rows={lentHere}
      rowKey={({ assetNum }) => assetNum}
      empty={<Empty title={words.nothingLent}>{words.nothingLentAdvice}</Empty>}
      footer={hasMore ? <p>{words.moreLent}</p> : null}
    />
  );
}

type Earlier = ConsoleData<'getAsset'>['earlier'][number];

/** The revoked assets that had a number. */
function EarlierAssets({ earlier, hasMore }: { earlier: readonly Earlier[]; hasMore: boolean }) {
  const words = useWords(assetsWords);
  const columns: Column<Earlier>[] = [
    { header: words.customer, cell: ({ owner }) => <OwnerLink owner={owner} /> },
    { header: words.bought, cell: ({ createdTime }) => <Time timeMs={createdTime} /> },
    { header: words.createdBy, cell: (row) => <OrderLink orderId={row.createdByOrderId} />, isMinor: true },
    { header: words.revokedTime, cell: ({ revokedTime }) => <Time timeMs={revokedTime} /> },
    { header: words.revokedBy, cell: (row) => <OrderLink orderId={row.revokedByOrderId} /> },
    { header: words.assetId, cell: ({ assetId }) => <CopyId id={assetId} />, isMinor: true },
  ];
  return (
    <DataTable
      label={words.earlier}
      columns={columns}
      rows={earlier}
      rowKey={({ assetId }) => assetId}
      empty={<Empty title={words.noEarlier}>{words.noEarlierAdvice}</Empty>}
      footer={hasMore ? <p>{words.moreEarlier}</p> : null}
    />
  );
}
