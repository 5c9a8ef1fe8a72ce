import { operations } from 'virtual:operations';
import type { ConsoleOperationId, Me, OperatorRole } from '@lockstep/contract/console';
import { createContext, use } from 'react';

const ROLES: readonly OperatorRole[] = ['viewer', 'support', 'admin'];

/** Who is logged in; there is somebody on every page but the log-in page. */
export const MeContext = createContext<Me | null>(null);

/** Who is logged in. */
export function useMe(): Me {
  const me = use(MeContext);
  if (me === null) throw new Error('nobody is logged in here');
  return me;
}

/** Whether the reader's role may do something. The server decides; this only hides what it would refuse. */
export function useMay(): (least: OperatorRole) => boolean {
  const { role } = useMe();
  return (least) => ROLES.indexOf(role) >= ROLES.indexOf(least);
}

/** Whether the reader's role may call an operation. */
export function useMayCall(): (id: ConsoleOperationId) => boolean {
  const may = useMay();
  return (id) => {
    const { role } = operations[id];
    return role === 'anybody' || may(role);
  };
}
