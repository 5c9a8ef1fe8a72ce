import type { PreviewedBatch, PreviewedOrder } from '@lockstep/contract/console';
import { Button, NativeSelect } from '@mantine/core';
import { type Column, CopyId, DataTable, Figure, Figures, Notice, Section } from '../../kit/index.ts';
import { useCauseWords } from '../../words/causes.ts';
import { useCodeNames } from '../../words/code-names.ts';
import { useNumberFormat } from '../../words/formats.ts';
import { useWords } from '../../words/words.ts';
import { AssetLink } from '../assets/AssetLink.tsx';
import { OrderBeside } from './OrderBeside.tsx';
import { OutcomeBadge } from './OutcomeBadge.tsx';
import styles from './PreviewOutcomes.module.css';
import { previewWords } from './words.ts';

/** The parts of the outcome to show. */
interface Look {
  state?: string | undefined;
  order?: string | undefined;
}

/** The outcome of a preview: counts, orders, and one order beside the current state. */
export function PreviewOutcomes({
  batch: { orders, syncMode, ignoredFields },
  state,
  chosen,
  onLook,
}: {
  batch: PreviewedBatch;
  state: string | undefined;
  chosen: string | undefined;
  onLook: (look: Look) => void;
}) {
  const words = useWords(previewWords);
  const write = useNumberFormat();
  const failed = orders.filter((order) => order.state === 'failed').length;
  const shown = orders.filter((order) => state === undefined || order.state === state);
  const order = orders.find(({ sequence }) => String(sequence) === chosen);
  return (
    <Section title={words.outcome}>
      <Figures>
        <Figure label={words.orders} value={orders.length} />
        <Figure label={words.wouldSucceed} value={orders.length - failed} tone="good" />
        <Figure label={words.wouldFail} value={failed} tone={failed > 0 ? 'bad' : 'neutral'} />
      </Figures>
      {syncMode === 'sync' && failed > 0 && <Notice tone="warn" title={words.noneOfSync(write(failed))} />}
      {ignoredFields.length > 0 && (
        <Notice tone="warn" title={words.ignored}>
          {ignoredFields.join(words.comma)}
        </Notice>
      )}
      {failed > 0 && failed < orders.length && (
        <NativeSelect
          className={styles.filter ?? ''}
          label={words.filter}
          value={state ?? ''}
          data={[
            { value: '', label: words.all },
            { value: 'failed', label: words.wouldFail },
            { value: 'succeeded', label: words.wouldSucceed },
          ]}
          onChange={(event) => onLook({ state: event.currentTarget.value || undefined })}
        />
      )}
      <OutcomeTable orders={shown} chosen={order} onChoose={({ sequence }) => onLook({ order: String(sequence) })} />
      {order !== undefined && <OrderBeside key={order.sequence} order={order} />}
    </Section>
  );
}

function OutcomeTable({
  orders,
  chosen,
  onChoose,
}: {
  orders: readonly PreviewedOrder[];
  chosen: PreviewedOrder | undefined;
  onChoose: (order: PreviewedOrder) => void;
}) {
  const words = useWords(previewWords);
  const codeName = useCodeNames();
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
          onClick={() => onChoose(order)}
        >
          {words.beside}
        </Button>
      ),
    },
    { header: words.type, isMinor: true, cell: ({ orderType }) => codeName(orderType) },
    { header: words.customer, isMinor: true, cell: ({ customerId }) => <CopyId id={customerId} /> },
    { header: words.assets, cell: (order) => <Numbers order={order} /> },
    { header: words.effect, width: '16rem', cell: (order) => <Summary order={order} /> },
  ];
  return (
    <DataTable
      label={words.outcome}
      columns={columns}
      rows={orders}
      rowKey={({ sequence }) => String(sequence)}
      isChosen={(order) => order === chosen}
    />
  );
}

function Numbers({ order: { numbers, numberCount } }: { order: PreviewedOrder }) {
  const words = useWords(previewWords);
  const write = useNumberFormat();
  const [first] = numbers;
  if (first === undefined) return null;
  return (
    <>
      <AssetLink assetNum={first.assetNum} />
      {numberCount > 1 && <div>{words.more(write(numberCount - 1))}</div>}
    </>
  );
}

function Summary({ order: { cause, message, assetCount, productCount } }: { order: PreviewedOrder }) {
  const words = useWords(previewWords);
  const write = useNumberFormat();
  const causeWords = useCauseWords();
  if (cause !== null) return <>{causeWords(cause, message)}</>;
  if (assetCount + productCount === 0) return <>{words.noEffect}</>;
  return <>{words.effects(write(assetCount), write(productCount))}</>;
}
