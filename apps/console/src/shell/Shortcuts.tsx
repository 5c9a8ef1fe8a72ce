import { Button } from '@mantine/core';
import { useNavigate } from '@tanstack/react-router';
import { useEffect, useRef, useState } from 'react';
import { useMay } from '../api/index.ts';
import { Dialog } from '../kit/dialogs/Dialog.tsx';
import { useWords } from '../words/words.ts';
import { areas } from './areas.ts';
import styles from './Shell.module.css';
import { shellWords } from './words.ts';

/** How long after `g` an area's key is accepted. */
const SEQUENCE_MS = 1_500;

/** Handles keyboard shortcuts, except while the operator types, and shows the dialog that lists them. */
export function Shortcuts() {
  const words = useWords(shellWords);
  const navigate = useNavigate();
  const may = useMay();
  const [isShown, setShown] = useState(false);
  const began = useRef(Number.NEGATIVE_INFINITY);
  const reachable = areas.filter(({ least }) => may(least));

  useEffect(() => {
    const listen = (event: KeyboardEvent) => {
      if (event.ctrlKey || event.metaKey || event.altKey || isWriting(event.target)) return;
      const area = reachable.find(({ key }) => key === event.key);
      if (area !== undefined && event.timeStamp - began.current < SEQUENCE_MS) void navigate({ to: area.to });
      else if (event.key === '?') setShown(true);
      else if (event.key === '/') {
        event.preventDefault();
        document.querySelector<HTMLInputElement>('#search')?.focus();
      }
      began.current = event.key === 'g' ? event.timeStamp : Number.NEGATIVE_INFINITY;
    };
    document.addEventListener('keydown', listen);
    return () => document.removeEventListener('keydown', listen);
  });

  if (!isShown) return null;
  return (
    <Dialog
      title={words.shortcuts}
      onClose={() => setShown(false)}
      actions={<Button onClick={() => setShown(false)}>{words.close}</Button>}
    >
      <dl className={styles.shortcuts}>
        <Shortcut keys={['?']} text={words.shortcutHelp} />
        <Shortcut keys={['/']} text={words.shortcutSearch} />
        <Shortcut keys={['↑', '↓']} text={words.shortcutRows} />
        {reachable.map(({ name, key }) => (
          <Shortcut key={name} keys={['g', key]} text={words.shortcutGoTo(words[name])} />
        ))}
      </dl>
    </Dialog>
  );
}

function Shortcut({ keys, text }: { keys: readonly string[]; text: string }) {
  return (
    <>
      <dt>
        {keys.map((key) => (
          <kbd key={key}>{key}</kbd>
        ))}
      </dt>
      <dd>{text}</dd>
    </>
  );
}

function isWriting(target: EventTarget | null): boolean {
  return target instanceof Element && target.closest('input, textarea, select, [contenteditable], dialog') !== null;
}
