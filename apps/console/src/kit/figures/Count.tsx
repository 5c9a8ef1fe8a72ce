import { useNumberFormat } from '../../words/formats.ts';
import type { Tone } from '../signs/Badge.tsx';
import styles from './Count.module.css';

/** A number in the format of the current language. */
export function Count({ value }: { value: number }) {
  const write = useNumberFormat();
  return <span className={styles.count}>{write(value)}</span>;
}

/** A labeled figure for the top of a page. */
export function Figure({ label, value, tone = 'neutral' }: { label: string; value: number | string; tone?: Tone }) {
  const write = useNumberFormat();
  return (
    <div className={styles.figure} data-tone={tone}>
      <dt className={styles.label}>{label}</dt>
      <dd className={styles.value}>{typeof value === 'number' ? write(value) : value}</dd>
    </div>
  );
}

/** A row of figures that wraps. */
export function Figures({ children }: { children: React.ReactNode }) {
  return <dl className={styles.figures}>{children}</dl>;
}
