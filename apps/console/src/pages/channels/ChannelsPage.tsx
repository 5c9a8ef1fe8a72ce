import type { ChannelHealth } from '@lockstep/contract/console';
import { getRouteApi } from '@tanstack/react-router';
import { useOperation } from '../../api/index.ts';
import { Filters, NoRows, optionsOf, Page, Query, useStateWords } from '../../kit/index.ts';
import { useWords } from '../../words/words.ts';
import { ChannelTable } from './ChannelTable.tsx';
import { channelsWords } from './words.ts';

const route = getRouteApi('/channels');
const STATES = ['current', 'behind', 'paused'] as const satisfies ChannelHealth[];
const REFRESH_MS = 5_000;

/** All channels that have customers, filtered by code and state. */
export default function ChannelsPage() {
  const words = useWords(channelsWords);
  const states = useStateWords();
  const { search, state, cursor } = route.useSearch();
  const query = { search, state: state as ChannelHealth | undefined, cursor };
  const channels = useOperation('listChannels', { query }, { keepsPrevious: true, refreshMs: REFRESH_MS });
  return (
    <Page title={words.channels} lead={words.intro}>
      <Filters
        fields={[
          { name: 'search', label: words.search, kind: 'text' },
          { name: 'state', label: words.state, kind: 'select', options: optionsOf(STATES, states) },
        ]}
      />
      <Query of={channels}>
        {({ channels: rows, nextCursor }) => (
          <ChannelTable
            label={words.channels}
            rows={rows}
            isStale={channels.isPlaceholderData}
            empty={<NoRows title={words.noneTitle}>{words.noneYet}</NoRows>}
            nextCursor={nextCursor}
          />
        )}
      </Query>
    </Page>
  );
}
