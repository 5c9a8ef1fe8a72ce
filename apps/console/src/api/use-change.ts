import type { ConsoleData, ConsoleOperationId } from '@lockstep/contract/console';
import { type UseMutationResult, useMutation, useQueryClient } from '@tanstack/react-query';
import type { CallFailure } from './call-failure.ts';
import { type CallOf, callOperation } from './call-operation.ts';

/** A change that can be made, and how the last one went. */
type Change<Id extends ConsoleOperationId> = UseMutationResult<ConsoleData<Id>, CallFailure, CallOf<Id>>;

/** An operation that changes something. Whatever the page shows is read again when it is done. */
export function useChange<Id extends ConsoleOperationId>(id: Id): Change<Id> {
  const client = useQueryClient();
  return useMutation<ConsoleData<Id>, CallFailure, CallOf<Id>>({
    mutationFn: (call) => callOperation(id, call),
    // Reading again must not hold up what the page says of the change; a read that fails shows itself.
    onSettled: () => void client.invalidateQueries(),
  });
}
