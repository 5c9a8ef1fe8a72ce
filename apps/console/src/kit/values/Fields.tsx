import type { ReactNode } from 'react';
import styles from './Fields.module.css';

/** A field and what it holds; left out where `value` is undefined, a dash where it is null. */
export interface Field {
  label: string;
  value: ReactNode;
}

/** What is known of one thing: names and values. */
export function Fields({ fields }: { fields: readonly Field[] }) {
  return (
    <dl className={styles.fields}>
      {fields
        .filter(({ value }) => value !== undefined)
        .map(({ label, value }) => (
          <div key={label} className={styles.field}>
            <dt>{label}</dt>
            <dd>{value === null || value === '' ? '–' : value}</dd>
          </div>
        ))}
    </dl>
  );
}
