import type { ConsoleData } from '@lockstep/contract/console';
import { type Column, DataTable, Empty, Time } from '../../kit/index.ts';
import { useWords } from '../../words/words.ts';
import { AssetLink } from './AssetLink.tsx';
import { assetsWords } from './words.ts';

type Lent = NonNullable<ConsoleData<'getAsset'>['active']>['lentHere'][number];

/** The assets lent into a borrowed lock, with the employees they are assigned to. */
export function LentHere({ lentHere, hasMore }: { lentHere: readonly Lent[]; hasMore: boolean }) {
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
