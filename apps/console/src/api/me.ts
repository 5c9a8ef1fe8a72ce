import { operations } from 'virtual:operations';
import type { ConsoleOperationId, Me, OperatorRole } from '@lockstep/contract/console';
import { createContext, use } from 'react';

const ROLES: readonly OperatorRole[] = ['viewer', 'support', 'admin'];

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
  return (least) => ROLES.indexOf(role) >= ROLES.indexOf(least);
}

/** Returns a function that says whether the operator's role may call an operation. */
export function useMayCall(): (id: ConsoleOperationId) => boolean {
  const may = useMay();
  return (id) => {
    const { role } = operations[id];
    return role === 'anybody' || may(role);
  };
}
