import type { OperatorAuditEntry } from '@lockstep/contract/console';
import { Time } from '../../kit/index.ts';
import { useWords } from '../../words/words.ts';
import { auditWords } from './audit-words.ts';
import styles from './Changed.module.css';
import { type ChangedField, listChanged } from './changed-fields.ts';

/** The changes of an entry, field by field: `status: pending → approved`. */
export function Changed({ of: { before, after } }: { of: OperatorAuditEntry }) {
  const fields = listChanged(before, after);
  if (fields.length === 0) return <>–</>;
  return (
    <ul className={styles.fields}>
      {fields.map((field) => (
        <li key={field.name}>
          {field.name === 'difference' ? (
            <Difference of={field.after as OrderDifference} />
          ) : (
            <Field of={field} isNew={before === null} />
          )}
        </li>
      ))}
    </ul>
  );
}

function Field({ of: field, isNew }: { of: ChangedField; isNew: boolean }) {
  const words = useWords(auditWords);
  return (
    <>
      {field.name !== '' && <span className={styles.name}>{`${field.name}${words.colon}`}</span>}
      {!isNew && (
        <>
          <Value of={field.before} name={field.name} />
          {' → '}
        </>
      )}
      <Value of={field.after} name={field.name} />
    </>
  );
}

/** How resent orders differ from the failed ones, as the service records it. */
interface OrderDifference {
  leftOut: number;
  added: number;
  changes: readonly { sequence: number; field: string; before?: unknown; after?: unknown }[];
  more: number;
}

function Difference({ of: { leftOut, added, changes, more } }: { of: OrderDifference }) {
  const words = useWords(auditWords);
  const write = (value: unknown) =>
    value === undefined ? words.absent : typeof value === 'string' ? value : JSON.stringify(value);
  const lines = [
    ...(leftOut > 0 ? [words.leftOut(leftOut)] : []),
    ...(added > 0 ? [words.added(added)] : []),
    ...changes.map(
      ({ sequence, field, before, after }) =>
        `${words.inOrder(sequence, field)}${words.colon}${write(before)} → ${write(after)}`,
    ),
    ...(more > 0 ? [words.moreChanges(more)] : []),
  ];
  return (
    <>
      <span className={styles.name}>
        {words.difference}
        {words.colon}
      </span>
      {lines.length === 0 ? (
        words.noDifference
      ) : (
        <ul>
          {lines.map((line) => (
            <li key={line}>{line}</li>
          ))}
        </ul>
      )}
    </>
  );
}

/** A value in the audit log. Fields whose names end in Time hold milliseconds. */
function Value({ of: value, name }: { of: unknown; name: string }) {
  const words = useWords(auditWords);
  if (value === null || value === undefined) return <>{words.nothingBefore}</>;
  if (typeof value === 'number' && name.endsWith('Time')) return <Time timeMs={value} />;
  if (Array.isArray(value) && value.every((each) => typeof each === 'string')) return <>{value.join(words.comma)}</>;
  return <>{typeof value === 'string' ? value : JSON.stringify(value)}</>;
}
