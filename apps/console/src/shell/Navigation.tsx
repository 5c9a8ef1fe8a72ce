import { Link } from '@tanstack/react-router';
import { useMay } from '../api/index.ts';
import { useWords } from '../words/words.ts';
import { areas } from './areas.ts';
import styles from './Shell.module.css';
import { shellWords } from './words.ts';

/** Links to the areas that the operator's role may see. In a narrow window, part of the menu. */
export function Navigation({ isOpen }: { isOpen: boolean }) {
  const words = useWords(shellWords);
  const may = useMay();
  return (
    <nav id="navigation" aria-label={words.navigation} className={styles.navigation} data-open={isOpen}>
      <ul>
        {areas
          .filter(({ least }) => may(least))
          .map(({ to, name }) => (
            <li key={to}>
              <Link to={to} activeOptions={{ exact: to === '/', includeSearch: false }}>
                {words[name]}
              </Link>
            </li>
          ))}
      </ul>
    </nav>
  );
}
