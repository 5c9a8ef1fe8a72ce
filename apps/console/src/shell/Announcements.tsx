import { dismiss, useAnnouncements } from '../kit/signs/announce.ts';
import { CloseIcon } from '../kit/signs/icons.tsx';
import { useWords } from '../words/words.ts';
import styles from './Shell.module.css';
import { shellWords } from './words.ts';

/** The announcements. The live region always stays in the page, so that screen readers notice additions. */
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
