import { operations } from 'virtual:operations';
import type { ConsoleData, ConsoleOperationId, Me, OperatorRole } from '@lockstep/contract/console';
import { OPERATOR_ROLES } from '@lockstep/contract/words';
import {
  keepPreviousData,
  QueryClient,
  type UseMutationResult,
  type UseQueryResult,
  useMutation,
  useQuery,
  useQueryClient,
} from '@tanstack/react-query';
import { createContext, use } from 'react';
import { CallFailure, type CallOf, callOperation } from './calls.ts';

/** Between reloads of what changes all the time. */
export const REFRESH_MS = 5_000;

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

type Change<Id extends ConsoleOperationId> = UseMutationResult<ConsoleData<Id>, CallFailure, CallOf<Id>>;

/** Returns a mutation that calls an operation. Afterwards all data on the page is reloaded. */
export function useChange<Id extends ConsoleOperationId>(id: Id): Change<Id> {
  const client = useQueryClient();
  return useMutation<ConsoleData<Id>, CallFailure, CallOf<Id>>({
    mutationFn: (call) => callOperation(id, call),
    // Not awaited: a reload must not delay the outcome, and shows its own failure.
    onSettled: () => void client.invalidateQueries(),
  });
}

const MAX_RETRIES = 2;

/** Retries only calls that did not reach the service: a refused call would be refused again. */
function isWorthRetrying(failures: number, error: Error): boolean {
  const isPassing = error instanceof CallFailure && (error.status === 0 || error.status >= 500);
  return isPassing && failures < MAX_RETRIES;
}

/** The cache of the service's responses. */
export const queryClient = new QueryClient({
  defaultOptions: {
    queries: { retry: isWorthRetrying, staleTime: 2_000, networkMode: 'always' },
    mutations: { retry: false, networkMode: 'always' },
  },
});

/** The logged-in operator. Every page but the login page has one. */
export const MeContext = createContext<Me | null>(null);

/** Returns the logged-in operator. */
export function useMe(): Me {
  const me = use(MeContext);
  if (me === null) throw new Error('no operator is logged in');
  return me;
}

/**
 * Returns a function that says whether the operator's role includes another. Only hides what the service would refuse.
 */
export function useMay(): (least: OperatorRole) => boolean {
  const { role } = useMe();
  return (least) => OPERATOR_ROLES.indexOf(role) >= OPERATOR_ROLES.indexOf(least);
}

/** Returns a function that says whether the operator's role may call an operation. */
export function useMayCall(): (id: ConsoleOperationId) => boolean {
  const may = useMay();
  return (id) => {
    const { role } = operations[id];
    return role === 'anybody' || may(role);
  };
}
