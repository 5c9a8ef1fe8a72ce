import type { ReactNode } from 'react';
import styles from './Fields.module.css';

/** A label and a value. Undefined hides the field; null shows a dash. */
export interface Field {
  label: string;
  value: ReactNode;
}

/** A list of labels and values. */
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
