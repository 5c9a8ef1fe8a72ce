import { Tabs } from '@mantine/core';
import { getRouteApi, Link } from '@tanstack/react-router';
import { useOperation } from '../../api/index.ts';
import { CopyButton, Notice, Page, Query, Section } from '../../kit/index.ts';
import { useWords } from '../../words/words.ts';
import { OrdersLink } from '../enterprises/OrdersLink.tsx';
import { AssetContents } from './AssetContents.tsx';
import { AssetFields } from './AssetFields.tsx';
import { AssetHistory } from './AssetHistory.tsx';
import { AssetMarks } from './AssetMarks.tsx';
import { EarlierAssets } from './EarlierAssets.tsx';
import { LentHere } from './LentHere.tsx';
import { assetsWords } from './words.ts';

const route = getRouteApi('/assets/$assetNum');

/** All about the asset of a number, and about those that had it before. */
export function AssetPage() {
  const words = useWords(assetsWords);
  const { assetNum } = route.useParams();
  const { tab, cursor } = route.useSearch();
  const navigate = route.useNavigate();
  const asset = useOperation('getAsset', { params: { assetNum } });
  const active = asset.data?.active ?? null;
  const page = { assetNum, cursor, onCursor: (next?: string) => void navigate({ search: { tab, cursor: next } }) };
  const tabs = [
    ...(active === null ? [] : (['contents'] as const)),
    'history' as const,
    ...(active?.borrowedUsbKey ? (['lentHere'] as const) : []),
    'earlier' as const,
  ];
  const chosen = tabs.find((each) => each === tab) ?? tabs[0]!;
  return (
    <Page
      title={assetNum}
      beside={
        <>
          <CopyButton text={assetNum} what={`${words.assetNum} ${assetNum}`} />
          {active !== null && <AssetMarks asset={active} isFrozen={active.freezing} />}
        </>
      }
      crumbs={[
        <Link key="assets" to="/assets">
          {words.assets}
        </Link>,
      ]}
      actions={<OrdersLink filters={{ assetNum }}>{words.ordersOfNumber}</OrdersLink>}
    >
      <Query of={asset}>
        {({ earlier, hasMoreEarlier }) => (
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
            <Tabs
              value={chosen}
              keepMounted={false}
              onChange={(next) => void navigate({ search: { tab: next ?? undefined } })}
            >
              <Tabs.List>
                {tabs.map((each) => (
                  <Tabs.Tab key={each} value={each}>
                    {words[each]}
                  </Tabs.Tab>
                ))}
              </Tabs.List>
              <Tabs.Panel value="contents" pt="md">
                <AssetContents {...page} isLent={active?.lentInto != null} />
              </Tabs.Panel>
              <Tabs.Panel value="history" pt="md">
                <AssetHistory {...page} />
              </Tabs.Panel>
              <Tabs.Panel value="lentHere" pt="md">
                {active !== null && <LentHere lentHere={active.lentHere} hasMore={active.hasMoreLentHere} />}
              </Tabs.Panel>
              <Tabs.Panel value="earlier" pt="md">
                <EarlierAssets earlier={earlier} hasMore={hasMoreEarlier} />
              </Tabs.Panel>
            </Tabs>
          </>
        )}
      </Query>
    </Page>
  );
}
