import type { ApplicationStatus, ConsoleApplication } from '@lockstep/contract/console';
import { Button } from '@mantine/core';
import { getRouteApi, Link } from '@tanstack/react-router';
import { useMemo } from 'react';
import { useMayCall, useOperation } from '../../api/index.ts';
import {
  type Column,
  CopyId,
  DataTable,
  Empty,
  type FilterField,
  Filters,
  NothingMatches,
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

/** All applications: found by name, key and status. */
export function ApplicationsPage() {
  const words = useWords(applicationsWords);
  const states = useStateWords();
  const mayCall = useMayCall();
  const { search, status, cursor } = route.useSearch();
  const navigate = route.useNavigate();
  const query = { search, status: status as ApplicationStatus | undefined, cursor };
  const applications = useOperation('listApplications', { query }, { keepsPrevious: true });
  const columns = useColumns();
  const fields: FilterField<'search' | 'status'>[] = [
    { name: 'search', label: words.search, kind: 'text' },
    { name: 'status', label: words.status, kind: 'select', options: optionsOf(STATUSES, states) },
  ];
  const isFiltered = search !== undefined || status !== undefined;
  return (
    <Page
      title={words.title}
      lead={words.intro}
      actions={
        mayCall('createApplication') && (
          <Button renderRoot={(props) => <Link to="/applications/new" {...props} />}>{words.newTitle}</Button>
        )
      }
    >
      <Filters fields={fields} value={{ search, status }} onChange={(next) => void navigate({ search: next })} />
      <Query of={applications}>
        {({ applications: rows, nextCursor }) => (
          <DataTable
            label={words.title}
            columns={columns}
            rows={rows}
            rowKey={({ appKey }) => appKey}
            isStale={applications.isPlaceholderData}
            empty={isFiltered ? <NothingMatches /> : <Empty title={words.noneTitle}>{words.noneYet}</Empty>}
            paging={{
              cursor,
              nextCursor,
              onCursor: (next) => void navigate({ search: { search, status, cursor: next } }),
            }}
          />
        )}
      </Query>
    </Page>
  );
}

function useColumns(): readonly Column<ConsoleApplication>[] {
  const words = useWords(applicationsWords);
  return useMemo(
    () => [
      {
        id: 'name',
        header: words.name,
        width: '12rem',
        cell: ({ appKey, name }) => (
          <Link to="/applications/$appKey" params={{ appKey }}>
            {name}
          </Link>
        ),
      },
      { id: 'appKey', header: words.appKey, cell: ({ appKey }) => <CopyId id={appKey} what={words.appKey} /> },
      { id: 'status', header: words.status, cell: ({ status }) => <StateBadge state={status} /> },
      { id: 'scopes', header: words.scopes, isMinor: true, cell: ({ scopes }) => scopes.join(', ') },
      { id: 'channels', header: words.channels, isMinor: true, cell: ({ channels }) => <ChannelList of={channels} /> },
      {
        id: 'created',
        header: words.createdTime,
        isMinor: true,
        cell: ({ createdTime }) => <Time timeMs={createdTime} />,
      },
    ],
    [words],
  );
}
