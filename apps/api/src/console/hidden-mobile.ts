import type { NamedAuditEntry } from '@lockstep/contract/console';
import { hideMobile } from '@lockstep/operators';

type Detail = NamedAuditEntry['detail'];

/** Hides the security mobile numbers in an entry of the audit log of an enterprise. */
export function hideMobiles({ before, after }: Detail): Detail {
  const hideIn = (side: Detail['before']): Detail['before'] =>
    side?.passwordMobile ? { ...side, passwordMobile: hideMobile(side.passwordMobile) } : side;
  return { before: hideIn(before), after: hideIn(after) };
}
