import type { PreviewedBatch, PreviewedOrder } from '@lockstep/contract/console';
import { Box, Button, SimpleGrid } from '@mantine/core';
import { useState } from 'react';
import { useOperation } from '../../api/operations.ts';
import { Choice, optionsOf, useAddress } from '../../kit/inputs.tsx';
import { Answer, Query, Section } from '../../kit/page.tsx';
import { Badge, Empty, Notice } from '../../kit/signs.tsx';
import { type Column, DataTable } from '../../kit/table.tsx';
import { CopyId, Fields, Figure, Figures, Labeled } from '../../kit/values.tsx';
import { explainCause } from '../../words/causes.ts';
import { codeName } from '../../words/formats.ts';
import { AssetContents } from '../assets/AssetContents.tsx';
import { AssetLink, OwnerLink } from '../links.tsx';
import { NearestProducts } from '../orders/PreviewOutcome.tsx';
import { ordersWords as ofOrders } from '../orders/words.ts';
import styles from '../pages.module.css';
import { previewWords as words } from './words.ts';

/**
 * The outcome of a preview: counts, orders, and one order beside the current state. The address has the state of the
 * orders to show, and the sequence of the one order.
 */
export function PreviewOutcomes({ batch: { orders, syncMode, ignoredFields } }: { batch: PreviewedBatch }) {
  const [{ state = '', order: chosen }, change] = useAddress();
  const failed = orders.filter((order) => order.state === 'failed').length;
  const shown = orders.filter((order) => state === '' || order.state === state);
  const order = orders.find(({ sequence }) => String(sequence) === chosen);
  const columns: Column<PreviewedOrder>[] = [
    { header: words.sequence, align: 'end', cell: ({ sequence }) => sequence },
    { header: words.state, cell: ({ state }) => <OutcomeBadge state={state} /> },
    {
      header: words.beside,
      cell: (order) => (
        <Button
          variant="default"
          size="compact-sm"
          aria-label={words.besideOf(String(order.sequence))}
          onClick={() => change({ order: String(order.sequence), cursor: undefined }, true)}
        >
          {words.beside}
        </Button>
      ),
    },
    { header: words.type, isMinor: true, cell: ({ orderType }) => codeName(orderType) },
    { header: words.customer, isMinor: true, cell: ({ customerId }) => <CopyId id={customerId} /> },
    { header: words.assets, cell: (order) => <Numbers order={order} /> },
    { header: words.effect, width: '16rem', cell: summarize },
  ];
  return (
    <Section title={words.outcome}>
      <Figures>
        <Figure label={words.orders} value={orders.length} />
        <Figure label={words.wouldSucceed} value={orders.length - failed} tone="good" />
        <Figure label={words.wouldFail} value={failed} tone={failed > 0 ? 'bad' : 'neutral'} />
      </Figures>
      {syncMode === 'sync' && failed > 0 && <Notice tone="warn" title={words.noneOfSync(failed)} />}
      {ignoredFields.length > 0 && (
        <Notice tone="warn" title={words.ignored}>
          {ignoredFields.join(words.comma)}
        </Notice>
      )}
      {failed > 0 && failed < orders.length && (
        <Choice
          maw="16rem"
          label={words.filter}
          value={state}
          options={{ '': words.all, failed: words.wouldFail, succeeded: words.wouldSucceed }}
          onChange={(chosen) => change({ state: chosen || undefined, cursor: undefined }, true)}
        />
      )}
      <DataTable
        label={words.outcome}
        columns={columns}
        rows={shown}
        rowKey={({ sequence }) => String(sequence)}
        isChosen={(each) => each === order}
      />
      {order !== undefined && <OrderBeside key={order.sequence} order={order} />}
    </Section>
  );
}

function Numbers({ order: { numbers, numberCount } }: { order: PreviewedOrder }) {
  const [first] = numbers;
  if (first === undefined) return null;
  return (
    <>
      <AssetLink assetNum={first.assetNum} />
      {numberCount > 1 && <div>{words.more(numberCount - 1)}</div>}
    </>
  );
}

function summarize(order: PreviewedOrder): string {
  const { cause, assetCount, productCount } = order;
  if (cause !== null) return explainCause(order);
  return assetCount + productCount === 0 ? words.noEffect : words.effects(assetCount, productCount);
}

function OutcomeBadge({ state }: Pick<PreviewedOrder, 'state'>) {
  return state === 'succeeded' ? <Badge tone="good">{words.succeed}</Badge> : <Badge tone="bad">{words.fail}</Badge>;
}

/** What one order would do, beside the current state. */
function OrderBeside({ order }: { order: PreviewedOrder }) {
  return (
    <Answer>
      <h3>
        {words.order(String(order.sequence))} <OutcomeBadge state={order.state} />
      </h3>
      <SimpleGrid cols={{ base: 1, md: 2 }} spacing="lg" className={styles.beside}>
        <Box className="box" p="md" miw={0} style={{ overflowWrap: 'anywhere' }}>
          <h4>{words.would}</h4>
          <Would order={order} />
        </Box>
        <Box className="box" p="md" miw={0} style={{ overflowWrap: 'anywhere' }}>
          <h4>{words.currentState}</h4>
          <AssetsNow numbers={order.numbers} numberCount={order.numberCount} />
        </Box>
      </SimpleGrid>
    </Answer>
  );
}

function Would({ order }: { order: PreviewedOrder }) {
  const { cause, nearest, assets, assetCount, products, productCount } = order;
  if (cause !== null) {
    return (
      <>
        <p>{explainCause(order)}</p>
        <p>
          <Labeled label={words.cause} value={<code>{cause}</code>} />
        </p>
        <NearestProducts nearest={nearest} />
      </>
    );
  }
  if (assetCount + productCount === 0) return <p>{words.noEffect}</p>;
  return (
    <>
      <Effects title={words.assets} count={assetCount} effects={assets} />
      <Effects title={words.products} count={productCount} effects={products} />
    </>
  );
}

type Effect = PreviewedOrder['assets'][number] | PreviewedOrder['products'][number];

function Effects({ title, count, effects }: { title: string; count: number; effects: readonly Effect[] }) {
  if (count === 0) return null;
  return (
    <>
      <h5>
        {title}
        {words.gap}
        {words.aside(count)}
      </h5>
      <Box component="ul" mah="24rem" m={0} ps="lg" style={{ overflow: 'auto' }} tabIndex={0} aria-label={title}>
        {effects.map((effect, place) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: one order may do the same twice.
          <li key={place}>
            {ofOrders[effect.action]} {'productUri' in effect && <code>{effect.productUri}</code>}{' '}
            <AssetLink assetNum={effect.assetNum} />
          </li>
        ))}
        {count > effects.length && <li>{words.more(count - effects.length)}</li>}
      </Box>
    </>
  );
}

/** The current state of an order's assets, one at a time. Active assets come first. */
function AssetsNow({ numbers, numberCount }: Pick<PreviewedOrder, 'numbers' | 'numberCount'>) {
  const [, change] = useAddress();
  const [chosen, setChosen] = useState(() => (numbers.find(({ isActive }) => isActive) ?? numbers[0])?.assetNum);
  const named = numbers.find(({ assetNum }) => assetNum === chosen);
  if (named === undefined) return null;
  return (
    <>
      {numberCount > 1 && (
        <Choice
          maw="20rem"
          mb="0.75rem"
          label={words.assetNum}
          value={named.assetNum}
          options={optionsOf(numbers.map(({ assetNum }) => assetNum))}
          onChange={(assetNum) => {
            setChosen(assetNum);
            change({ cursor: undefined });
          }}
        />
      )}
      {numberCount > numbers.length && <p>{words.more(numberCount - numbers.length)}</p>}
      {named.isActive ? (
        <AssetNow key={named.assetNum} assetNum={named.assetNum} />
      ) : (
        <Empty title={words.newNumber(named.assetNum)}>{words.newNumberAdvice}</Empty>
      )}
    </>
  );
}

function AssetNow({ assetNum }: { assetNum: string }) {
  const asset = useOperation('getAsset', { params: { assetNum } });
  return (
    <>
      <Query of={asset}>
        {({ active }) => (
          <Fields
            fields={{
              [words.assetNum]: <AssetLink assetNum={assetNum} />,
              [words.customer]: active === null ? null : <OwnerLink owner={active.owner} />,
            }}
          />
        )}
      </Query>
      <AssetContents assetNum={assetNum} isLent={asset.data?.active?.lentInto != null} />
    </>
  );
}
