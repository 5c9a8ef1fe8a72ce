import type { PreviewedOrder } from '@lockstep/contract/console';
import { Badge } from '../../kit/index.ts';
import { useWords } from '../../words/words.ts';
import { previewWords } from './words.ts';

export function OutcomeBadge({ state }: Pick<PreviewedOrder, 'state'>) {
  const words = useWords(previewWords);
  return state === 'succeeded' ? <Badge tone="good">{words.succeed}</Badge> : <Badge tone="bad">{words.fail}</Badge>;
}
