import type { Verdict } from '@lockstep/contract';
import { HIDDEN, type NamedAuditEntry } from '@lockstep/contract/console';
import { hideMobile, type Operator } from '@lockstep/operators';

type Detail = NamedAuditEntry['detail'];

/** Hides the security mobile numbers in an entry of the audit log of an enterprise. */
export function hideMobiles({ before, after }: Detail): Detail {
  const hideIn = (side: Detail['before']): Detail['before'] =>
    side?.passwordMobile ? { ...side, passwordMobile: hideMobile(side.passwordMobile) } : side;
  return { before: hideIn(before), after: hideIn(after) };
}

const MOBILES = ['passwordMobile', 'adminCellNumber'];
/** The last three may contain mobile numbers or e-mail addresses. */
const HIDDEN_FIELDS = ['address', 'adminEmail', 'adminAccount', 'operatorIdentity', 'answer'];

/** Hides from viewers who asked to disable or freeze an asset (rules 9 Operators). */
export const hideReasons = <Row extends { verdict: Verdict }>(operator: Operator, row: Row): Row => ({
  ...row,
  verdict: { ...row.verdict, reasons: row.verdict.reasons.map((reason) => hidePersonal(operator, reason)) },
});

/** Hides mobile numbers, addresses and e-mail addresses from viewers (rules 9 Operators). */
export function hidePersonal<Fields extends object>({ role }: Operator, fields: Fields): Fields {
  if (role !== 'viewer') return fields;
  const shown = Object.entries(fields).map(([name, value]) => {
    if (typeof value !== 'string' || value === '') return [name, value];
    if (MOBILES.includes(name)) return [name, hideMobile(value)];
    return [name, HIDDEN_FIELDS.includes(name) ? HIDDEN : value];
  });
  return Object.fromEntries(shown) as Fields;
}
