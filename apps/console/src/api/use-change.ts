import type { ConsoleData, ConsoleOperationId } from '@lockstep/contract/console';
import { type UseMutationResult, useMutation, useQueryClient } from '@tanstack/react-query';
import type { CallFailure } from './call-failure.ts';
import { type CallOf, callOperation } from './call-operation.ts';

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
