import type { Overview } from '@lockstep/contract/console';
import { Link } from '@tanstack/react-router';
import { useOperation } from '../../api/index.ts';
import { CopyButton, Notice } from '../../kit/index.ts';
import { useWords } from '../../words/words.ts';
import { LATEST_BATCHES } from './LatestBatches.tsx';
import { overviewWords } from './words.ts';

/** Tells a newcomer that this is the demo, what is in it, and what to do next; nothing once the reader goes further. */
export function DemoNotice({ appKey, submitCommand }: NonNullable<Overview['demo']>) {
  const words = useWords(overviewWords);
  const { data } = useOperation('listAllBatches', LATEST_BATCHES, { keepsPrevious: true });
  if (data === undefined) return null;
  const steps = [
    { does: words.demoFirst, file: 'first-batch.json' },
    { does: words.demoMixed, file: 'mixed-batch.json' },
  ];
  if (data.batches.length > steps.length) return null;
  const step = steps[data.batches.length];
  const command = step && `${submitCommand} examples/${step.file}`;
  return (
    <Notice tone="neutral" title={step?.does ?? words.demoTutorial}>
      {command !== undefined && (
        <p>
          <code>{command}</code> <CopyButton text={command} what={words.demoCommand} />
        </p>
      )}
      {words.demoData}
      {words.gap}
      <Link to="/enterprises">{words.demoEnterprises}</Link>
      {words.comma}
      <Link to="/applications/$appKey" params={{ appKey }}>
        {words.demoApplication}
      </Link>
      {words.comma}
      <a href={new URL('../guides/tutorial', document.baseURI).href}>{words.demoGuide}</a>
    </Notice>
  );
}
