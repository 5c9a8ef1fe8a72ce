import type { ConsoleData } from '@lockstep/contract/console';
import { Group } from '@mantine/core';
import { Badge, StateBadge } from '../../kit/index.ts';
import { useWords } from '../../words/words.ts';
import { assetsWords } from './words.ts';

type Asset = ConsoleData<'listAssets'>['assets'][number];

/** The state of an asset and its further marks, as badges. */
export function AssetMarks({ asset, isFrozen = false }: { asset: Asset; isFrozen?: boolean }) {
  const words = useWords(assetsWords);
  return (
    <Group gap="0.3rem" component="span">
      <StateBadge state={asset.revokedTime === null ? 'active' : 'revoked'} />
      {asset.locked && <StateBadge state="disabled" />}
      {isFrozen && <Badge tone="warn">{words.frozen}</Badge>}
      {asset.borrowedUsbKey && <Badge>{words.borrowedLock}</Badge>}
      {asset.assigned && <Badge tone="busy">{words.held}</Badge>}
      {asset.lent && <Badge tone="busy">{words.lent}</Badge>}
    </Group>
  );
}
