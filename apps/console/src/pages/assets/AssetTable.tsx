import type { ConsoleData } from '@lockstep/contract/console';
import { useMemo } from 'react';
import { type Column, DataTable, type TableProps, Time } from '../../kit/index.ts';
import { useWords } from '../../words/words.ts';
import { OwnerLink } from '../enterprises/OwnerLink.tsx';
import { AssetLink } from './AssetLink.tsx';
import { AssetMarks } from './AssetMarks.tsx';
import { licenseTypeWords } from './license-types.ts';
import { assetsWords } from './words.ts';

type Asset = ConsoleData<'listAssets'>['assets'][number];

/** Assets in rows. */
export function AssetTable(props: Omit<TableProps<Asset>, 'label'>) {
  const words = useWords(assetsWords);
  const typeWords = useWords(licenseTypeWords);
  const columns = useMemo(
    (): Column<Asset>[] => [
      { id: 'assetNum', header: words.assetNum, cell: ({ assetNum }) => <AssetLink assetNum={assetNum} /> },
      { id: 'state', header: words.state, cell: (asset) => <AssetMarks asset={asset} /> },
      { id: 'owner', header: words.owner, cell: ({ owner }) => <OwnerLink owner={owner} /> },
      { id: 'type', header: words.licenseType, cell: ({ licenseType }) => typeWords[licenseType], isMinor: true },
      { id: 'ends', header: words.ends, cell: ({ limitEndDate }) => <Time timeMs={limitEndDate} />, isMinor: true },
      { id: 'bought', header: words.bought, cell: ({ createdTime }) => <Time timeMs={createdTime} />, isMinor: true },
    ],
    [words, typeWords],
  );
  return <DataTable label={words.assets} columns={columns} rowKey={({ assetId }) => assetId} {...props} />;
}
