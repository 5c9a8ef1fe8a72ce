import type { NamedAuditEntry } from '@lockstep/contract/console';

type Detail = NamedAuditEntry['detail'];

const SHOWN_DIGITS = 4;

/** Hides all of a security mobile number but what tells it from another; a short one as a whole. */
export function hideMobile(mobile: string): string {
  const shown = mobile.length > SHOWN_DIGITS ? mobile.slice(-SHOWN_DIGITS) : '';
  return '•'.repeat(mobile.length - shown.length) + shown;
}

/** Hides the security mobile numbers that an entry of the member center's record names. */
export function hideMobiles({ before, after }: Detail): Detail {
  const hideIn = (side: Detail['before']): Detail['before'] =>
    side?.passwordMobile ? { ...side, passwordMobile: hideMobile(side.passwordMobile) } : side;
  return { before: hideIn(before), after: hideIn(after) };
}
