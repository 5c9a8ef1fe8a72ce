import type { ConsoleData, ConsoleOperationId } from '@lockstep/contract/console';
import { keepPreviousData, type UseQueryResult, useQuery } from '@tanstack/react-query';
import type { CallFailure } from './call-failure.ts';
import { type CallOf, callOperation } from './call-operation.ts';

interface ReadOptions<Data> {
  /** Milliseconds between reloads while the tab is visible. A function can stop them, depending on the data. */
  refreshMs?: number | false | ((data: Data | undefined) => number | false);
  /** Whether to fetch at all. Default: true. */
  isEnabled?: boolean;
  /** Keeps the previous data while another page or filter loads. */
  keepsPrevious?: boolean;
}

type Reading<Id extends ConsoleOperationId> = UseQueryResult<ConsoleData<Id>, CallFailure>;

/** Fetches an operation, and reloads it while the component is mounted. */
export function useOperation<Id extends ConsoleOperationId>(
  id: Id,
  call: CallOf<Id>,
  { refreshMs = false, isEnabled = true, keepsPrevious = false }: ReadOptions<ConsoleData<Id>> = {},
): Reading<Id> {
  return useQuery<ConsoleData<Id>, CallFailure>({
    queryKey: [id, call],
    queryFn: ({ signal }) => callOperation(id, call, signal),
    enabled: isEnabled,
    refetchInterval:
      typeof refreshMs === 'function'
        ? (query) => refreshMs(query.state.data as ConsoleData<Id> | undefined)
        : refreshMs,
    refetchIntervalInBackground: false,
    ...(keepsPrevious ? { placeholderData: keepPreviousData } : {}),
  }) as Reading<Id>;
}
