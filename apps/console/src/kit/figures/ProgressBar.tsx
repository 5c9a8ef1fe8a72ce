import styles from './ProgressBar.module.css';

/** How much of something is done, and how much of that failed. `label` says it in words. */
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
