import type { Overview } from '@lockstep/contract/console';
import { Link } from '@tanstack/react-router';
import { Section } from '../../kit/index.ts';
import { useNumberFormat } from '../../words/formats.ts';
import { useWords } from '../../words/words.ts';
import { ChannelTable } from './ChannelTable.tsx';
import { channelsWords } from './words.ts';

/** The first channels that are behind or paused, linked to all of them. Renders nothing if there are none. */
export function DelayedChannels({ delayed: { behind, paused, first } }: Pick<Overview, 'delayed'>) {
  const words = useWords(channelsWords);
  const write = useNumberFormat();
  if (first.length === 0) return null;
  return (
    <Section title={words.delayed}>
      <ChannelTable
        label={words.delayed}
        rows={first}
        footer={
          <p>
            <Link to="/channels" search={{ state: 'behind' }}>
              {words.allBehind(write(behind))}
            </Link>
            {' · '}
            <Link to="/channels" search={{ state: 'paused' }}>
              {words.allPaused(write(paused))}
            </Link>
          </p>
        }
      />
    </Section>
  );
}
