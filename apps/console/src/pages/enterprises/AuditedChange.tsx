import type { ConsoleData } from '@lockstep/contract/console';
import { useWords } from '../../words/words.ts';
import { enterprisesWords } from './words.ts';

type Detail = ConsoleData<'listEnterpriseAuditLog'>['entries'][number]['detail'];

const FIELDS = ['userName', 'name', 'departmentId', 'remark', 'passwordMobile', 'assetNums', 'lent'] as const;
type Value = NonNullable<Detail['before']>[(typeof FIELDS)[number]];

/** A change in the member center, field by field: before → after. */
export function AuditedChange({ detail: { before, after } }: { detail: Detail }) {
  const words = useWords(enterprisesWords);
  const write = (value: Value) => writeValue(value, words) ?? words.nothing;
  const changed = FIELDS.filter((field) => write(before?.[field]) !== write(after?.[field]));
  if (changed.length === 0) return '–';
  const labels = { ...words, name: words.fieldName };
  return (
    <>
      {changed.map((field) => (
        <div key={field}>
          {labels[field]}
          {words.colon}
          {before !== null && `${write(before[field])} → `}
          {write(after?.[field])}
        </div>
      ))}
    </>
  );
}

/** Formats a field's value; null if it is empty. */
function writeValue(
  value: Value,
  { inLock, comma }: { inLock: (lock: string) => string; comma: string },
): string | null {
  if (value === undefined || value === null) return null;
  if (!Array.isArray(value)) return String(value);
  const parts = value.map((each) =>
    typeof each === 'string' ? each : `${each.assetNum} ${inLock(each.borrowedUsbKey)}`,
  );
  return parts.length === 0 ? null : parts.join(comma);
}
