import type { ConsoleData, ConsoleOperationId } from '@lockstep/contract/console';
import { keepPreviousData, type UseQueryResult, useQuery } from '@tanstack/react-query';
import type { CallFailure } from './call-failure.ts';
import { type CallOf, callOperation } from './call-operation.ts';

/** How a page reads. */
interface ReadOptions<Data> {
  /** Reads again this long after each answer, while the tab is shown; a function may end it when the data say so. */
  refreshMs?: number | false | ((data: Data | undefined) => number | false);
  /** Whether to read at all; true where absent. */
  isEnabled?: boolean;
  /** Shows what was there while the next page, or another filter, is read. */
  keepsPrevious?: boolean;
}

/** The answer of a reading operation, kept while it is read again. */
type Reading<Id extends ConsoleOperationId> = UseQueryResult<ConsoleData<Id>, CallFailure>;

/** Reads an operation for as long as the component is shown. */
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
