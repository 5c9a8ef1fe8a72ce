import { CopyButton } from './CopyId.tsx';
import styles from './JsonView.module.css';

/** A value as JSON, with a copy button. `label` names it. */
export function JsonView({ value, label }: { value: unknown; label: string }) {
  const text = JSON.stringify(value, null, 2) ?? 'null';
  return (
    <div className={styles.json}>
      <div className={styles.copy}>
        <CopyButton text={text} what={label} />
      </div>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by the keyboard. */}
      {/* biome-ignore lint/a11y/useSemanticElements: a section would be a second landmark of its name. */}
      <div className={styles.text} role="group" tabIndex={0} aria-label={label}>
        <pre>{text}</pre>
      </div>
    </div>
  );
}
