import type { ConsoleData } from '@lockstep/contract/console';
import { useWords } from '../../words/words.ts';
import { enterprisesWords } from './words.ts';

type Detail = ConsoleData<'listEnterpriseAudit'>['entries'][number]['detail'];
type State = NonNullable<Detail['before']>;

const FIELDS = ['userName', 'name', 'departmentId', 'remark', 'passwordMobile', 'assetNums', 'lent'] as const;

/** What a change of the member center found and left, field by field. */
export function RecordedChange({ detail: { before, after } }: { detail: Detail }) {
  const words = useWords(enterprisesWords);
  const changed = FIELDS.filter((field) => before?.[field] !== undefined || after?.[field] !== undefined);
  if (changed.length === 0) return '–';
  const labels = { ...words, name: words.fieldName };
  return (
    <>
      {changed.map((field) => (
        <div key={field}>
          {labels[field]}: {before !== null && <>{write(before[field]) ?? words.nothing} → </>}
          {after === null ? words.nothing : (write(after[field]) ?? words.nothing)}
        </div>
      ))}
    </>
  );
}

/** Writes what a field holds; null where it holds nothing. */
function write(value: State[(typeof FIELDS)[number]]): string | null {
  if (value === undefined || value === null) return null;
  if (!Array.isArray(value)) return String(value);
  const parts = value.map((each) => (typeof each === 'string' ? each : `${each.assetNum} (${each.borrowedUsbKey})`));
  return parts.length === 0 ? null : parts.join(', ');
}
