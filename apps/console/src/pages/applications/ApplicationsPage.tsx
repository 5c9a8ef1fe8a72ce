import type { ApplicationStatus, ConsoleApplication } from '@lockstep/contract/console';
import { Button } from '@mantine/core';
import { getRouteApi, Link } from '@tanstack/react-router';
import { useMayCall, useOperation } from '../../api/index.ts';
import {
  type Column,
  CopyId,
  DataTable,
  Filters,
  NoRows,
  optionsOf,
  Page,
  Query,
  StateBadge,
  Time,
  useStateWords,
} from '../../kit/index.ts';
import { useWords } from '../../words/words.ts';
import { ChannelList } from './ChannelList.tsx';
import { applicationsWords } from './words.ts';

const route = getRouteApi('/applications');
const STATUSES = ['pending', 'approved', 'suspended'] as const satisfies ApplicationStatus[];

/** All applications, filtered by name, key and status. */
export default function ApplicationsPage() {
  const words = useWords(applicationsWords);
  const states = useStateWords();
  const mayCall = useMayCall();
  const { search, status, cursor } = route.useSearch();
  const query = { search, status: status as ApplicationStatus | undefined, cursor };
  const applications = useOperation('listApplications', { query }, { keepsPrevious: true });
  const columns = useColumns();
  return (
    <Page
      title={words.applications}
      lead={words.intro}
      actions={
        mayCall('createApplication') && (
          <Button renderRoot={(props) => <Link to="/applications/new" {...props} />}>{words.newTitle}</Button>
        )
      }
    >
      <Filters
        fields={[
          { name: 'search', label: words.search, kind: 'text' },
          {
            name: 'status',
            label: words.status,
            kind: 'select',
            options: optionsOf(STATUSES, { ...states, pending: states.unapproved }),
          },
        ]}
      />
      <Query of={applications}>
        {({ applications: rows, nextCursor }) => (
          <DataTable
            label={words.applications}
            columns={columns}
            rows={rows}
            rowKey={({ appKey }) => appKey}
            isStale={applications.isPlaceholderData}
            empty={<NoRows title={words.noneTitle}>{words.noneYet}</NoRows>}
            nextCursor={nextCursor}
          />
        )}
      </Query>
    </Page>
  );
}

function useColumns(): readonly Column<ConsoleApplication>[] {
  const words = useWords(applicationsWords);
  return [
    {
      header: words.name,
      width: '12rem',
      cell: ({ appKey, name }) => (
        <Link to="/applications/$appKey" params={{ appKey }}>
          {name}
        </Link>
      ),
    },
    { header: words.appKey, cell: ({ appKey }) => <CopyId id={appKey} what={words.appKey} /> },
    { header: words.status, cell: ({ status }) => <StateBadge state={status} pending="unapproved" /> },
    { header: words.scopes, isMinor: true, cell: ({ scopes }) => scopes.join(words.comma) },
    { header: words.channels, isMinor: true, cell: ({ channels }) => <ChannelList of={channels} /> },
    { header: words.createdTime, isMinor: true, cell: ({ createdTime }) => <Time timeMs={createdTime} /> },
  ];
}
