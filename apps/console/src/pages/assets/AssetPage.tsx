import type { ConsoleData } from '@lockstep/contract/console';
import { getRouteApi, Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { useOperation } from '../../api/index.ts';
import { AddressTabs, CopyButton, Notice, Page, Query, Section } from '../../kit/index.ts';
import { useWords } from '../../words/words.ts';
import { AssetContents } from './AssetContents.tsx';
import { AssetFields } from './AssetFields.tsx';
import { AssetHistory } from './AssetHistory.tsx';
import { AssetMarks } from './AssetMarks.tsx';
import { EarlierAssets } from './EarlierAssets.tsx';
import { LentHere } from './LentHere.tsx';
import { assetsWords } from './words.ts';

type Asset = ConsoleData<'getAsset'>;

const route = getRouteApi('/assets/$assetNum');

/** The active asset of a number, and the assets that had the number before. */
export default function AssetPage() {
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
          {active !== null && <AssetMarks asset={active} isFrozen={active.freezing} />}
        </>
      }
      crumbs={[{ text: words.assets, to: '/assets' }]}
      actions={
        <Link to="/orders" search={{ assetNum }}>
          {words.ordersOfNumber}
        </Link>
      }
    >
      <Query of={asset}>
        {(read) => (
          <>
            {active === null ? (
              <Notice tone="warn" title={words.notActive}>
                {words.notActiveAdvice}
              </Notice>
            ) : (
              <Section title={words.ofNow}>
                <AssetFields asset={active} />
              </Section>
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
