import styles from './ProgressBar.module.css';

/** A bar of succeeded and failed parts of a total. `label` describes it to screen readers. */
export function ProgressBar({
  label,
  total,
  succeeded,
  failed,
}: {
  label: string;
  total: number;
  succeeded: number;
  failed: number;
}) {
  const percent = (count: number) => `${total === 0 ? 0 : (100 * count) / total}%`;
  return (
    <div
      className={styles.bar}
      role="progressbar"
      aria-label={label}
      aria-valuemin={0}
      aria-valuemax={total}
      aria-valuenow={succeeded + failed}
    >
      <div className={styles.good} style={{ width: percent(succeeded) }} />
      <div className={styles.bad} style={{ width: percent(failed) }} />
    </div>
  );
}
