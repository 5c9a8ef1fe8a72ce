import { dismiss, useAnnouncements } from '../kit/signs/announce.ts';
import { CloseIcon } from '../kit/signs/icons.tsx';
import { useWords } from '../words/words.ts';
import styles from './Shell.module.css';
import { shellWords } from './words.ts';

/** Outcomes, in a corner and for screen readers: they hear what is added while the region stays in the page. */
export function Announcements() {
  const words = useWords(shellWords);
  const announcements = useAnnouncements();
  return (
    <div className={styles.announcements} role="status" aria-live="polite" aria-label={words.announcements}>
      {announcements.map(({ id, tone, text }) => (
        <div key={id} className={styles.announcement} data-tone={tone}>
          <span>{text}</span>
          <button type="button" aria-label={words.dismiss} onClick={() => dismiss(id)}>
            <CloseIcon />
          </button>
        </div>
      ))}
    </div>
  );
}
