import type { NamedAuditEntry } from '@lockstep/contract/console';

type Detail = NamedAuditEntry['detail'];

const SHOWN_DIGITS = 4;

/** Hides a security mobile number except for its last digits; hides a short number completely. */
export function hideMobile(mobile: string): string {
  const shown = mobile.length > SHOWN_DIGITS ? mobile.slice(-SHOWN_DIGITS) : '';
  return '•'.repeat(mobile.length - shown.length) + shown;
}

/** Hides the security mobile numbers in an entry of the audit log of an enterprise. */
export function hideMobiles({ before, after }: Detail): Detail {
  const hideIn = (side: Detail['before']): Detail['before'] =>
    side?.passwordMobile ? { ...side, passwordMobile: hideMobile(side.passwordMobile) } : side;
  return { before: hideIn(before), after: hideIn(after) };
}
