import { Kbd } from '@mantine/core';
import { Dialog } from '../kit/dialogs.tsx';
import { useAreas } from './areas.ts';
import styles from './Shell.module.css';
import { shellWords as words } from './words.ts';

/** Lists the keyboard shortcuts. */
export default function ShortcutsDialog({ onClose }: { onClose: () => void }) {
  const shortcuts: [keys: string[], text: string][] = [
    [['?'], words.shortcutHelp],
    [['Ctrl', 'K'], words.searchButton],
    [['↑', '↓'], words.shortcutRows],
    ...useAreas().map(({ name, key }): [string[], string] => [['g', key], words.shortcutGoTo(words[name])]),
  ];
  return (
    <Dialog title={words.shortcuts} onClose={onClose}>
      <dl className={styles.shortcuts}>
        {shortcuts.map(([keys, text]) => (
          <div key={text}>
            <dt>
              {keys.map((key) => (
                <Kbd key={key}>{key}</Kbd>
              ))}
            </dt>
            <dd>{text}</dd>
          </div>
        ))}
      </dl>
    </Dialog>
  );
}
