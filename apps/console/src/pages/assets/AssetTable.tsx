import type { ConsoleData } from '@lockstep/contract/console';
import { type Column, DataTable, type TableProps, Time } from '../../kit/index.ts';
import { useWords } from '../../words/words.ts';
import { OwnerLink } from '../enterprises/OwnerLink.tsx';
import { AssetLink } from './AssetLink.tsx';
import { AssetMarks } from './AssetMarks.tsx';
import { licenseTypeWords } from './license-types.ts';
import { assetsWords } from './words.ts';

type Asset = ConsoleData<'listAssets'>['assets'][number];

/** A table of assets. */
export function AssetTable(props: Omit<TableProps<Asset>, 'label'>) {
  const words = useWords(assetsWords);
  const typeWords = useWords(licenseTypeWords);
  const columns: Column<Asset>[] = [
    { header: words.assetNum, cell: ({ assetNum }) => <AssetLink assetNum={assetNum} /> },
    { header: words.state, cell: (asset) => <AssetMarks asset={asset} /> },
    { header: words.customer, cell: ({ owner }) => <OwnerLink owner={owner} /> },
    { header: words.licenseType, cell: ({ licenseType }) => typeWords[licenseType], isMinor: true },
    { header: words.ends, cell: ({ limitEndDate }) => <Time timeMs={limitEndDate} />, isMinor: true },
    { header: words.bought, cell: ({ createdTime }) => <Time timeMs={createdTime} />, isMinor: true },
  ];
  return <DataTable label={words.assets} columns={columns} rowKey={({ assetId }) => assetId} {...props} />;
}
