import type { RecordEntry } from '@lockstep/contract/console';
import { Time } from '../../kit/index.ts';
import { useWords } from '../../words/words.ts';
import styles from './Changed.module.css';
import { listChanged } from './changed-fields.ts';
import { recordWords } from './record-words.ts';

/** What a change changed, field by field: `status: pending → approved`. */
export function Changed({ of: { before, after } }: { of: RecordEntry }) {
  const fields = listChanged(before, after);
  if (fields.length === 0) return <>–</>;
  return (
    <ul className={styles.fields}>
      {fields.map((field) => (
        <li key={field.name}>
          {field.name !== '' && <span className={styles.name}>{field.name}: </span>}
          {before !== null && (
            <>
              <Value of={field.before} name={field.name} />
              {' → '}
            </>
          )}
          <Value of={field.after} name={field.name} />
        </li>
      ))}
    </ul>
  );
}

/** A value of the record. Fields whose names end in Time hold milliseconds. */
function Value({ of: value, name }: { of: unknown; name: string }) {
  const words = useWords(recordWords);
  if (value === null || value === undefined) return <>{words.nothingBefore}</>;
  if (typeof value === 'number' && name.endsWith('Time')) return <Time timeMs={value} />;
  if (Array.isArray(value) && value.every((each) => typeof each === 'string')) return <>{value.join(', ')}</>;
  return <>{typeof value === 'string' ? value : JSON.stringify(value)}</>;
}
